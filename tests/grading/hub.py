"""A model hub on this machine: just enough of its address scheme to list and fetch the files of folders."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """Serves `folders` by their names on the hub; notes what was asked for."""

    daemon_threads = True

    def __init__(self, folders: dict[str, Path]) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.folders = folders
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(**folders: Path) -> Iterator[Hub]:
    """A hub where `tiny__t5=FOLDER` is the model tiny/t5."""
    hub = Hub({name.replace("__", "/"): folder for name, folder in folders.items()})
    thread = Thread(target=hub.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        thread.join()
        hub.server_close()


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal."""

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.split("?")[0]
        self.server.asked.append(path)
        for name, folder in self.server.folders.items():
            if path.startswith(f"/api/models/{name}"):
                return self._listing(name, folder)
            file = folder / path.split("/")[-1]
            if path.startswith(f"/{name}/resolve/") and file.is_file():
                return self._send(file.read_bytes(), "application/octet-stream", with_body)
        self.send_response(404)
        self.send_header("X-Error-Code", "RepoNotFound")
        self.send_header("Content-Length", "0")
        return self.end_headers()

    def _listing(self, name: str, folder: Path) -> None:
        files = sorted(path.name for path in folder.iterdir())
        found = {"id": name, "modelId": name, "sha": COMMIT, "siblings": [{"rfilename": file} for file in files]}
        if "/tree/" in self.path:
            tree = [
                {"type": "file", "path": file, "size": (folder / file).stat().st_size, "oid": file} for file in files
            ]
            return self._send(json.dumps(tree).encode(), "application/json", True)
        return self._send(json.dumps(found).encode(), "application/json", True)

    def _send(self, body: bytes, kind: str, with_body: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if with_body:
            self.wfile.write(body)
