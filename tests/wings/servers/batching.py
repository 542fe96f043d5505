"""A real HTTP server that speaks chat completions, files and batches, and keeps all that it has in a folder."""

from __future__ import annotations

import json
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Says = Callable[[str], dict[str, Any]]


def completed(text: str, prompt: int = 50, answer: int = 3) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": prompt, "completion_tokens": answer}}


class BatchServer(ThreadingHTTPServer):
    """Batches are done with when they are looked at `looks` times.

    Parameters
    ----------
    folder : for files and batches, so that another server may go on with them
    ends_as : the status of a batch that has ended
    answers : so many prompts of a batch, the others end with it
    refuses : why a chat is refused, by its request; empty: it is not
    stumbles : how often it fails at first, by what it is asked ("POST /files")
    moment : is told what is about to be done ("before POST /batches"), and what is done but not said ("after ...")
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, folder: Path, *, looks: int = 2, ends_as: str = "completed", answers: int = 10**9) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.looks, self.ends_as, self.answers = folder, looks, ends_as, answers
        self.moment: Callable[[str], None] = lambda _: None
        self.says: Says = lambda _: completed("4")
        self.asked: list[str] = []
        self.chats: Counter[str] = Counter()
        self.refuses: Callable[[dict[str, Any]], str] = lambda _: ""
        self.stumbles: Counter[str] = Counter()
        self.lock = threading.Lock()
        folder.mkdir(exist_ok=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def __enter__(self) -> BatchServer:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_args: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that was killed is no error

    @property
    def batches(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in sorted(self.folder.glob("batch*"), key=lambda p: p.name)]

    def lines(self, batch: dict[str, Any]) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / batch["input_file_id"]).read_text().splitlines()]

    @property
    def paid(self) -> Counter[str]:
        """How often each prompt was answered at once, or is in a batch."""
        return self.chats + Counter(
            line["body"]["messages"][0]["content"]
            for batch in self.batches
            if batch["status"] != "failed"
            for line in self.lines(batch)
            if line["custom_id"] not in batch.get("refused", ())
        )

    def write(self, name: str, content: str) -> str:
        (self.folder / f".{name}").write_text(content)
        (self.folder / f".{name}").replace(self.folder / name)
        return name

    def look(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch as it is the next time."""
        batch["seen"] += 1
        if batch["status"] in ("validating", "in_progress", "cancelling"):
            ended = batch["seen"] >= self.looks or batch["status"] == "cancelling"
            batch["status"] = "in_progress"
            if ended:
                self._end(batch, "cancelled" if batch["cancelled"] else self.ends_as)
        self.write(batch["id"], json.dumps(batch))
        return batch

    def _end(self, batch: dict[str, Any], status: str) -> None:
        batch["status"] = status
        if status == "failed":
            batch["errors"] = {"data": [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]}
            return
        lines = self.lines(batch)
        out: list[dict[str, Any]] = []
        bad: list[dict[str, Any]] = []
        for line in reversed(lines[: self.answers]):  # in another order than they came
            said = self.says(line["body"]["messages"][0]["content"])
            if why := self.refuses(line["body"]):
                said = {"status": 400, "error": {"message": why}}
                batch.setdefault("refused", []).append(line["custom_id"])
            code = said.pop("status", 200)
            where = out if code == 200 else bad
            told = {"id": "x", "response": {"status_code": code, "request_id": "r", "body": said}, "error": None}
            where.append(told | {"custom_id": line["custom_id"]})
        for line in lines[self.answers :]:
            error = {"code": f"batch_{status}", "message": f"This request could not be executed: {status}."}
            bad.append({"id": "x", "custom_id": line["custom_id"], "response": None, "error": error})
        for name, found in (("output_file_id", out), ("error_file_id", bad)):
            if found:
                text = "".join(json.dumps(one) + "\n" for one in found)
                batch[name] = self.write(f"file-{uuid.uuid4().hex}", text)
        batch["request_counts"] = {"total": len(lines), "completed": len(out), "failed": len(bad)}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: BatchServer

    def do_POST(self) -> None:
        self._do(self.rfile.read(int(self.headers["Content-Length"] or 0)))

    def do_GET(self) -> None:
        self._do(b"")

    def do_DELETE(self) -> None:
        self._do(b"")

    def _do(self, body: bytes) -> None:
        path = self.path.removeprefix("/v1").partition("?")[0]
        parts = enumerate(path.split("/"))
        what = f"{self.command} {'/'.join(part for n, part in parts if n != 2 or part == 'completions')}"
        self.server.asked.append(what)
        self.server.moment(f"before {what}")
        with self.server.lock:
            self.server.stumbles[what] -= 1
            fails = self.server.stumbles[what] >= 0
            status, said = (503, {}) if fails else self._said(path.strip("/").split("/"), body)
        self.server.moment(f"after {what}")
        content = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _said(self, path: list[str], body: bytes) -> tuple[int, Any]:
        server = self.server
        if path == ["chat", "completions"]:
            asked = json.loads(body)
            if why := server.refuses(asked):
                return 400, {"error": {"message": why}}
            server.chats[asked["messages"][0]["content"]] += 1
            return 200, server.says(asked["messages"][0]["content"])
        if path == ["files"]:
            boundary = self.headers["Content-Type"].partition("boundary=")[2].encode()
            purpose, file = body.split(b"--" + boundary)[1:3]
            assert purpose.endswith(b"\r\n\r\nbatch\r\n")
            text = file.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n").decode()
            return 200, {"id": server.write(f"file-{uuid.uuid4().hex}", text)}
        if path[0] == "files":
            file_path = server.folder / path[1]
            return (200, file_path.read_bytes()) if file_path.exists() else (404, {"error": {"message": "no file"}})
        if path == ["batches"] and self.command == "POST":
            asked = json.loads(body)
            number = f"batch_{len(server.batches):03}"
            made = {
                "id": number,
                "status": "validating",
                "seen": 0,
                "cancelled": False,
                "request_counts": None,
                **asked,
            }
            server.write(number, json.dumps(made))
            return 200, made
        if path == ["batches"]:
            after, found = self.path.partition("after=")[2], server.batches[::-1]
            names = [one["id"] for one in found]
            start = names.index(after) + 1 if after in names else 0
            return 200, {"data": found[start : start + 2], "has_more": start + 2 < len(found)}
        batch = json.loads((server.folder / path[1]).read_text())
        if path[2:] == ["cancel"]:
            batch |= {"status": "cancelling", "cancelled": True}
            server.write(batch["id"], json.dumps(batch))
            return 200, batch
        return 200, server.look(batch)

    def log_message(self, *_args: object) -> None:
        pass
