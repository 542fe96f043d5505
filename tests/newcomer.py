"""What somebody brings who begins: two runs, topics, judgments, questions and a corpus, and a model that rates them."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

WORDS = ("sky", "rain", "sun", "moon", "river", "stone", "glass", "bread", "salt", "wind")
QUERIES = {f"q{number}": WORDS[number] for number in range(6)}
CHOICES = {4: "The answer is mostly relevant and complete but may have minor gaps or inaccuracies.", 1: "No answer."}


def _docs(place: int, good: int) -> list[str]:
    return [f"d{10 * rank + (place if rank <= good else (place + good) % 10)}" for rank in range(1, 11)]


def write(folder: Path, passages: int) -> Path:
    """The files, in a folder that is made: bm25 lists 7 passages of 10 about a query's word, dense 3.

    Passage d12 is about the third word.
    """
    folder.mkdir()
    asked = list(enumerate(QUERIES.items()))
    for name, good in (("bm25", 7), ("dense", 3)):
        lines = [
            f"{query} Q0 {doc} {rank} {20 - rank} {name}\n"
            for place, (query, _) in asked
            for rank, doc in enumerate(_docs(place, good), 1)
        ]
        (folder / f"{name}.run").write_text("".join(lines), encoding="utf-8")
    judged = {(query, doc) for place, (query, _) in asked for good in (7, 3) for doc in _docs(place, good)}
    lines = [f"{query} 0 {doc} {int(WORDS[int(doc[1:]) % 10] == QUERIES[query])}\n" for query, doc in sorted(judged)]
    (folder / "qrels.txt").write_text("".join(lines), encoding="utf-8")
    lines = [f"{query}\twhat is known of {word}\n" for query, word in QUERIES.items()]
    (folder / "topics.tsv").write_text("".join(lines), encoding="utf-8")
    lines = [f"{query};{start} {word}?\n" for query, word in QUERIES.items() for start in ("What is", "Why is there")]
    (folder / "bank.csv").write_text("qid;question text\n" + "".join(lines), encoding="utf-8")
    texts = ({"_id": f"d{number}", "text": f"This is about {WORDS[number % 10]}."} for number in range(passages))
    (folder / "corpus.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    return folder


class _Rates(BaseHTTPRequestHandler):
    """Copies a line of the prompt's choices: 4 where the passage has the question's last word, else 1."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
        rating = next((4 for word in WORDS if len(re.findall(rf"\b{word}\b", asked)) > 1), 1)
        message = {"role": "assistant", "content": f"{rating}: {CHOICES[rating]}"}
        answer = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        self._send(answer | {"usage": {"prompt_tokens": 90, "completion_tokens": 12}})

    def do_GET(self) -> None:
        self._send({"data": [{"id": "rater"}]})

    def _send(self, answer: dict[str, object]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_said: object) -> None:
        """Say nothing."""


@contextmanager
def rater() -> Iterator[str]:
    """A server that speaks as OpenAI's does; its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Rates) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
