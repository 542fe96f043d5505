"""Throws damaged files at every reader of `exam_core/formats`: each has to take or refuse them, within bounds.

    PYTHONPATH=. python benchmarks/fuzz.py --seconds 600 --folder /dev/shm/fuzz > benchmarks/fuzz.json

The registry says which readers there are, so that a new format is fuzzed without being told. Inputs are small
real files of which pieces were changed, removed, doubled, joined or packed. What is neither read nor refused by an
ExamboardError, or takes more than 2 s or 512 MiB, is kept, the smallest of each: they go to tests/formats/fuzzed.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import inspect
import json
import lzma
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from exam_core.errors import ExamboardError
from exam_core.formats.format import Format
from exam_core.formats.registry import known_formats
from exam_core.formats.sniffing import guess_kind
from exam_core.home import home

SECONDS, MEBIBYTES = 2, 512
SEED = 18
TOKENS = (
    *(
        b"NaN",
        b"Infinity",
        b"-0",
        b"1e999",
        b"9" * 400,
        b"-1",
        b"0.1",
        b"null",
        b"true",
        b'""',
        b"[]",
        b"{}",
        b'"\\ud800"',
    ),
    *(
        b"\0",
        b"\r",
        b"\n",
        b"\t",
        b",",
        b'"',
        b"\xff",
        b"\xef\xbb\xbf",
        "\u202e\u2028".encode(),
        b"[" * 5000,
        b'{"a":' * 2000,
    ),
    *(b"x" * 5000, b"\x1b[2J", b"q1 Q0 d1 1 1 r\n", b"=1+1", b"../../etc", "é".encode() * 300),
)
TEXTS = (
    b"q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\nq2 Q0 d1 1 0.5 bm25\n",
    b"q1 0 d1 3\nq1 0 d2 0\nq2 0 d1 1\n",
    b"q1\twho wrote it\nq2\twhat is it\n",
    b"<top>\n<num> Number: 301\n<title> crime\n</top>\n",
    b"system,rank\nbm25,1\nlsa,2\n",
    b'[{"query_id":"q1","question_id":"a","question":"who?","weight":1.5},{"query_id":"q2","question":"what?"}]',
    b'{"q1":["who?","what?"],"q2":["why?"]}',
    b"query_id,question_id,question,weight,enabled\nq1,a,who?,1,true\nq1,b,what?,2,false\n",
    b'{"qid":"q1","query":"x","nuggets":[{"text":"a","importance":"vital","assignment":"support"}]}\n',
    b'["q1",[{"paragraph_id":"d1","text":"t","exam_grades":[{"self_ratings":[{"question_id":"a","self_rating":4}]}]}]]\n',
    b'{"query_id":"q1","items":[{"question_id":"a","question_text":"who?"}]}\n',
    b"review_id,queue_id,query_id,doc_id,question_id,reviewer,answer\nr,u,q1,d1,,Ann,3\n",
    b'[{"id":1,"data":{"query_id":"q1","doc_id":"d1"},"annotations":[{"result":[{"value":{"rating":3}}]}]}]',
    b'{"data":[{"title":"q1","paragraphs":[{"context":"c","qas":[{"id":"a","question":"who?","answers":[]}]}]}]}',
)


class TooSlow(BaseException):
    """A reader took more than `SECONDS`."""


def seeds() -> list[bytes]:
    """Small real files: those above, and the beginnings of the project's own."""
    own = [path for path in sorted((home() / "data").rglob("*")) if path.suffix in (".jsonl", ".csv", ".json")]
    return [*TEXTS, *(b"".join(path.read_bytes().splitlines(keepends=True)[:3])[:8000] for path in own)]


def mutated(rng: random.Random, among: list[bytes]) -> bytes:
    """One of the files, changed in up to six places."""
    content = bytearray(rng.choice(among))
    for _ in range(rng.randint(0, 6)):
        start = rng.randint(0, len(content))
        end = min(len(content), start + rng.choice((1, 1, 4, 20, 200)))
        match rng.randrange(6):
            case 0:
                content[start:end] = rng.randbytes(end - start)
            case 1:
                del content[start:end]
            case 2:
                content[start:start] = content[start:end] * rng.choice((1, 2, 50))
            case 3:
                content[start:start] = rng.choice(TOKENS)
            case 4:
                content[start:end] = rng.choice(TOKENS)
            case _:
                other = rng.choice(among)
                content[start:] = other[rng.randint(0, len(other)) :]
    packed = rng.randrange(40)
    if packed < 2:
        whole = gzip.compress(content, 1) if packed else lzma.compress(content, preset=0)
        return whole[: rng.choice((len(whole), rng.randint(0, len(whole))))]
    return bytes(content)


def called(row: Format, path: Path) -> Any:
    """What a reader makes of a file; names that it wants are made up."""
    _, *others = inspect.signature(row.read).parameters.values()
    needed = [one for one in others if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    found = row.read(path, **{one.name: "fuzz" for one in needed})
    if isinstance(found, Iterator):
        list(found)
    return found


def finding(row: Format, path: Path) -> str:
    """What a reader does that it must not; empty if it reads or refuses the file."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        called(row, path)
    except ExamboardError as error:
        said = str(error)
        return "" if said.strip() and "\x1b" not in said and "\0" not in said else "says what a terminal acts upon"
    except TooSlow:
        return f"took more than {SECONDS} s"
    except MemoryError:
        return f"took more than {MEBIBYTES} MiB"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(place.filename).name}:{place.name}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def bound() -> None:
    """Limit the memory of this process to what it has and `MEBIBYTES` more, and let a slow reader be told."""

    def too_slow(*_: object) -> None:
        raise TooSlow

    signal.signal(signal.SIGALRM, too_slow)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MEBIBYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def fuzz(folder: Path, seconds: float, seed: int = SEED) -> dict[str, Any]:
    """Throw files at all readers in turn until the time is over.

    Returns
    -------
    how many inputs each reader had, how many it refused to recognise, and what was found
    """
    rng, among = random.Random(seed), seeds()
    counts: dict[str, dict[str, int]] = {}
    found: dict[str, str] = {}
    path, until = folder / "input", time.monotonic() + seconds
    slowest = 0.0
    while time.monotonic() < until:
        content = mutated(rng, among)
        path.write_bytes(content)
        guess_kind(path)
        for row in known_formats():
            name = f"{row.kind.key}: {row.written}"
            count = counts.setdefault(name, {"inputs": 0, "findings": 0})
            began = time.monotonic()
            what = finding(row, path)
            slowest = max(slowest, time.monotonic() - began)
            count["inputs"] += 1
            if what:
                count["findings"] += 1
                _keep(folder, found, f"{name}: {what}", content)
    total = sum(count["inputs"] for count in counts.values())
    return {"seed": seed, "seconds": seconds, "inputs": total, "slowest_s": slowest, "readers": counts, "found": found}


def _keep(folder: Path, found: dict[str, str], what: str, content: bytes) -> None:
    """Keep the smallest input of each finding."""
    kept = folder / f"found-{hashlib.sha256(what.encode()).hexdigest()[:12]}"
    if not kept.exists() or kept.stat().st_size > len(content):
        kept.write_bytes(content)
        found[what] = kept.name


def main() -> int:
    """Fuzz, and print what came of it as JSON."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--folder", type=Path, help="where inputs lie; one in memory is quickest")
    options.add_argument("--seed", type=int, default=SEED)
    asked = options.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="examboard-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    list(known_formats())
    bound()
    done = fuzz(folder, asked.seconds, asked.seed)
    commit = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False)
    command = f"python benchmarks/fuzz.py --seconds {asked.seconds:g} --seed {asked.seed}"
    print(json.dumps({"commit": commit.stdout.strip(), "command": command, **done}, indent=1))
    return bool(done["found"])


if __name__ == "__main__":
    sys.exit(main())
