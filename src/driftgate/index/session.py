"""An HTTP session that counts what it fetches."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import requests

if TYPE_CHECKING:
    from driftgate.index.settings import IndexSettings

TIMEOUT_SECONDS = 60.0


class CountingSession(requests.Session):
    """A session that knows how many body bytes its answers announced.

    Attributes:
        bytes_fetched: Their sum, as sent over the wire.
    """

    def __init__(self, settings: IndexSettings) -> None:
        super().__init__()
        self.bytes_fetched = 0
        self._lock = threading.Lock()
        if settings.cert:
            self.verify = settings.cert
        retries = requests.adapters.Retry(total=3, backoff_factor=0.5, status_forcelist=(502, 503))
        self.mount("https://", requests.adapters.HTTPAdapter(pool_maxsize=16, max_retries=retries))

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:  # noqa: ANN401
        """Send ``request``, with a time limit if the caller gave none, and count the answer."""
        if kwargs.get("timeout") is None:
            kwargs["timeout"] = TIMEOUT_SECONDS
        response = super().send(request, **kwargs)
        if request.method != "HEAD":
            length = response.headers.get("Content-Length")
            size = int(length) if length else (0 if kwargs.get("stream") else len(response.content))
            with self._lock:
                self.bytes_fetched += size
        return response
