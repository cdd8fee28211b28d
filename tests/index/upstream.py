"""A small package index: archives made on the spot, served over HTTP or from a folder."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from driftgate.index.settings import IndexSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

METADATA = """Metadata-Version: 2.1
Name: pkg-python
Version: {version}
Requires-Python: >=3.10
Requires-Dist: torch
Requires-Dist: tqdm; extra == 'all'
"""


def wheel(version: str, source: str, ballast: int = 0) -> bytes:
    """A wheel of ``pkg`` whose only module is ``source``, and ``ballast`` bytes beside it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pkg/data.bin", os.urandom(ballast))
        archive.writestr("pkg/__init__.py", source)
        info = f"pkg_python-{version}.dist-info/METADATA"
        archive.writestr(info, METADATA.format(version=version))
    return file.getvalue()


def sdist(version: str, source: str) -> bytes:
    """A source archive of ``pkg`` whose only module is ``source``."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, text in [
            ("PKG-INFO", METADATA.format(version=version)),
            ("pkg/__init__.py", source),
        ]:
            info = tarfile.TarInfo(f"pkg_python-{version}/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return file.getvalue()


def wheel_name(version: str) -> str:
    """The file name of such a wheel."""
    return f"pkg_python-{version}-py3-none-any.whl"


@dataclass
class Served:
    """What the index offers, and what it was asked for.

    Attributes:
        files: Contents by file name.
        yanked: File names that were withdrawn.
        wrong_hashes: File names whose hash is announced wrongly.
        ranges: Whether ranged requests are answered.
        sizes: Whether the page says how long files are.
        requests: Path and Range header of each request.
        url: The index's address.
    """

    files: dict[str, bytes]
    yanked: set[str] = field(default_factory=set)
    wrong_hashes: set[str] = field(default_factory=set)
    ranges: bool = True
    sizes: bool = True
    requests: list[tuple[str, str]] = field(default_factory=list)
    url: str = ""

    @property
    def settings(self) -> IndexSettings:
        """Settings that name this index alone."""
        return IndexSettings(self.url)

    def page(self) -> bytes:
        """The project's page, as JSON."""
        files = [
            {
                "filename": name,
                "url": f"/files/{name}",
                "hashes": {
                    "sha256": "0" * 64
                    if name in self.wrong_hashes
                    else hashlib.sha256(data).hexdigest()
                },
                **({"size": len(data)} if self.sizes else {}),
                "upload-time": "2026-05-09T10:00:00Z",
                "requires-python": ">=3.9",
                "yanked": name in self.yanked,
            }
            for name, data in self.files.items()
        ]
        page = {"meta": {"api-version": "1.1"}, "name": "pkg-python", "versions": []}
        return json.dumps({**page, "files": files}).encode()


def _part(data: bytes, asked: str) -> tuple[bytes, str]:
    """What a Range header asks for, and the Content-Range header that goes with it."""
    start, _, end = asked.removeprefix("bytes=").partition("-")
    first = int(start) if start else max(0, len(data) - int(end))
    last = int(end) if start and end else len(data) - 1
    body = data[first : last + 1]
    return body, f"bytes {first}-{first + len(body) - 1}/{len(data)}"


@contextmanager
def serve(served: Served) -> Iterator[Served]:
    """Serve an index on this machine while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            served.requests.append((self.path, asked))
            if self.path == "/simple/pkg-python/":
                self._answer(200, served.page(), "application/vnd.pypi.simple.v1+json")
                return
            data = served.files.get(self.path.removeprefix("/files/"))
            if data is None:
                self._answer(404, b"", "text/plain")
            elif asked and served.ranges:
                body, span = _part(data, asked)
                self._answer(206, body, "application/octet-stream", span)
            else:
                self._answer(200, data, "application/octet-stream")

        def do_HEAD(self) -> None:
            self.do_GET()

        def _answer(self, status: int, body: bytes, kind: str, span: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if span:
                self.send_header("Content-Range", span)
            self.end_headers()
            self.wfile.write(body if self.command == "GET" else b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that has seen enough may hang up."""

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/simple"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def write_folder(folder: Path, files: dict[str, bytes]) -> Path:
    """Put ``files`` into ``folder``, as find-links has them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder
