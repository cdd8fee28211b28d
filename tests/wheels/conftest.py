"""Small wheels made on the spot, and a server that serves ranges of them."""

from __future__ import annotations

import base64
import hashlib
import threading
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    MakeWheel = Callable[..., Path]

GOOD = {
    "flashinfer/__init__.py": b"raise ImportError('not to be run')\n",
    "flashinfer/comm/__init__.py": b"answer = 42\n",
    "flashinfer/data/kernel.cu": b"__global__ void nothing() {}\n",
    "flashinfer_python-1.0.dist-info/METADATA": b"Name: flashinfer-python\nVersion: 1.0\n",
    "torch/__init__.py": b"raise SystemExit('shadowed torch')\n",
}


@pytest.fixture
def make_wheel(tmp_path: Path) -> MakeWheel:
    """Write a wheel of these files, with its RECORD; ``extra`` entries are added as they are."""

    def make(
        files: dict[str, bytes] | None = None,
        extra: tuple[tuple[zipfile.ZipInfo, bytes], ...] = (),
        name: str = "flashinfer_python-1.0-py3-none-any.whl",
        record: dict[str, bytes] | None = None,
    ) -> Path:
        files = GOOD if files is None else files
        path = tmp_path / "wheelhouse" / name
        path.parent.mkdir(exist_ok=True)
        recorded = "".join(_record_line(*item) for item in (record or files).items())
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
            for file, content in files.items():
                wheel.writestr(file, content)
            wheel.writestr("flashinfer_python-1.0.dist-info/RECORD", recorded)
            for info, content in extra:
                wheel.writestr(info, content)
        return path

    return make


def _record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(content)}\n"


class _Handler(BaseHTTPRequestHandler):
    """Serves files of one folder, with single ranges unless ``ranges`` is off."""

    def __init__(self, folder: Path, ranges: bool, *args: object) -> None:
        self.folder = folder
        self.ranges = ranges
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        content = (self.folder / self.path.lstrip("/")).read_bytes()
        asked = self.headers.get("Range")
        if asked and self.ranges:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            part = content[int(first) : int(last) + 1]
            self.send_response(206)
            self.send_header(
                "Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}"
            )
        else:
            part = content
            self.send_response(200)
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Serve the folder of made wheels; call with ``ranges=False`` for a server without ranges."""
    servers: list[ThreadingHTTPServer] = []

    def start(*, ranges: bool = True) -> str:
        handler = partial(_Handler, tmp_path / "wheelhouse", ranges)
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
