"""Throws damaged files at every reader of `exam_core/formats`: each has to take or refuse them, within bounds.

    PYTHONPATH=. python benchmarks/fuzz.py --seconds 600 --seed 7 --folder /dev/shm/fuzz --add benchmarks/fuzz.json

The registry says which readers there are, so that a new format is fuzzed without being told. Inputs are small
real files of which pieces were changed, removed, doubled, joined or packed. What is neither read nor refused by an
ExamboardError, or takes more than 2 s or 512 MiB, is kept, the smallest of each: they go to tests/formats/fuzzed, and
those of `fuzz_memory.py` to tests/test_seams.py.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import inspect
import json
import lzma
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from exam_core.errors import ExamboardError
from exam_core.formats.format import Format
from exam_core.formats.registry import known_formats
from exam_core.formats.sniffing import guess_kind
from exam_core.installation import home

SECONDS, MEBIBYTES = 2, 512
SEED = 18
OWN = 0.125
"""Share of the rounds in which each reader gets a file that began as one of its own kind."""
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
    b"query-id\tcorpus-id\tscore\nq1\td1\t1.0\nq2\td1\tERROR\n",
    b"q1\twho wrote it\nq2\twhat is it\n",
    b'q1\tteam\trun\t1\twho wrote it?\nq1\tteam\trun\t2\t"what is it?"\n',
    b"topic_id,run_tag,answer_id,auto_assessment,weight\nq1,a,n1,supports,-2\nq1,a,n2,none,1\n",
    b'{"run_name":"a","results":[{"topic_id":"q1","answer":"It is [1, 2]. So.","references":["1","2"]}]}',
    b'{"run_name":"a","turns":[{"turn_id":"1_1","responses":[{"rank":1,"text":"x","passage_provenance":[{"id":"d"}]}]}]}',
    b'{"custom_id":"q1|d1","response":{"body":{"model":"m","choices":[{"message":{"content":"2"}}]}}}\n',
    b'{"run_id":"a","mean":0.5,"per_topic":{"q1":0.25,"q2":0.75}}\n',
    b'{"results":{"task":{"acc,none":0.5,"acc_stderr,none":0.1}},"config":{"model":"m"}}',
    b'user_input,response,faithfulness\nwho?,"so,\nit is",0.5\n',
    b"eval_id,sample_id,model,id,epoch,score_a\ne,s,m,q1,1,C\ne,s,m,q1,2,I\n",
    b"<top>\n<num> Number: 301\n<title> crime\n</top>\n",
    b'<topics><topic number="1"><!-- x --><query>who &amp; <![CDATA[why]]></query><narrative/></topic></topics>\n',
    b'{"topic_id":1,"title":"t","problem_statement":"why?","background":"b"}\n{"_id":"2","text":"who?"}\n',
    b"system,rank\nbm25,1\nlsa,2\n",
    b'sep=;\r\nrun_id;score;rank\r\n"bm""25";0,25;2\r\nlsa;0,5;1;;\r\n',
    b"\xff\xfe" + 'Query ID\tQuestion\tWeight\r\n1\t"who,\nor what?"\t0,5\r\n'.encode("utf-16-le"),
    b'[{"query_id":"q1","question_id":"a","question":"who?","weight":1.5},{"query_id":"q2","question":"what?"}]',
    b'{"q1":["who?","what?"],"q2":["why?"]}',
    b"query_id,question_id,question,weight,enabled\nq1,a,who?,1,true\nq1,b,what?,2,false\n",
    b'{"qid":"q1","query":"x","nuggets":[{"text":"a","importance":"vital","assignment":"support"}]}\n',
    b'["q1",[{"paragraph_id":"d1","text":"t","paragraph_data":{"judgments":[{"paragraphId":"d1","query":"q1","relevance":1,'
    b'"titleQuery":"q"}],"rankings":[{"method":"bm25","paragraphId":"d1","queryId":"q1","rank":1,"score":2.5}]},'
    b'"exam_grades":[{"correctAnswered":["a"],"wrongAnswered":["b"],"answers":[["a","4"],["b",null]],"llm":"t5",'
    b'"llm_options":{},"exam_ratio":0.5,"self_ratings":[{"question_id":"a","self_rating":4}],'
    b'"prompt_info":{"prompt_class":"R","is_self_rated":true}}],"grades":[{"correctAnswered":true,"answer":"Yes",'
    b'"llm":"t5","llm_options":{},"prompt_info":{"prompt_class":"Thomas"}}]}]]\n',
    b'[{"globalID":"L_1","lessonName":"skin","questions":{"nonDiagramQuestions":{"NDQ_1":{"beingAsked":{"processedText":'
    b'"who?"},"answerChoices":{"a":{"processedText":"he"},"b":{"rawText":"b. she"}},"correctAnswer":{"rawText":"b"}}},'
    b'"diagramQuestions":{"DQ_1":{}}},"topics":{"T_1":{}},"adjunctTopics":{}}]\n',
    b'{"metadata":{"topic_id":"q1"},"nugget_bank":[{"question":"why?","aggregator_type":"OR",'
    b'"answers":[{"answer":"x","references":["d1"]}]}]}\n',
    b'system,prompt,query_id,sample,answer\nm,short,q1,1,so it is\nm,short,q1,2,"no, it isn\'t"\n',
    b'{"qid":"q1","run_id":"r","answer_text":"so","nuggets":[{"text":"a","importance":"vital","assignment":"support"}]}\n',
    b'{"system":"m","prompt":"short","query_id":"q1","sample":1,"answer":"so it is","temperature":0.5}\n',
    b"system,prompt,query_id,sample,rank_zero_based,documents_including_answer,monot5_score,parameters\nm,short,q1,1,3,9,0.5,7\n",
    b"task_id,query,ranker_order,expert_order\nt1,who?,a b c,b a c\nt2,,a b,a b\n",
    b'{"run_id":"r","query_id":"q1","text":"so it is"}\n',
    b'{"run_id":"r","topic_id":"q1","references":["d1","d2"],"answer":[{"text":"so","citations":[0,1]}]}\n',
    b'{"metadata":{"run_id":"r","narrative_id":7,"narrative":"why?"},"responses":[{"text":"so","citations":{"d1":0.5}}],'
    b'"references":["d1"],"documents":{"d1":{"id":"d1","text":"t","title":"u"}}}\n',
    b'[{"request_id":"7","team_id":"t","sentences":[{"text":"so","citations":[{"docid":"d1","score":1}]},"no"]}]\n',
    b'{"_id":"d1","title":"t","text":"so it is","metadata":{}}\n{"docid":"d2","segment":"no"}\n',
    b"docid\ttext\ttitle\nd1\tso it is\tt\nd2\tno\t\n",
    b'{"prompt_id":"p","prompt":[{"role":"user","content":"why?"}],"rubrics":[{"criterion":"a","points":-2,"tags":["x"]}]}\n',
    b'{"query_id":"q1","items":[{"question_id":"a","question_text":"who?"}]}\n',
    b"qid;docid;question;rating;judge;run;rank\nq1;d1;who?;4,0;m;r;1\nq1;d2;who?;;m;r;2\n",
    b'{"reviewer":"Ann","query_id":"q1","doc_id":"d1","answer":3}\n',
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


def changed(rng: random.Random, of: Sequence[bytes], among: Sequence[bytes], tokens: Sequence[bytes] = TOKENS) -> bytes:
    """One of some inputs, changed in up to six places; what is joined to it is one among others."""
    content = bytearray(rng.choice(of))
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
                content[start:start] = rng.choice(tokens)
            case 4:
                content[start:end] = rng.choice(tokens)
            case _:
                other = rng.choice(among)
                content[start:] = other[rng.randint(0, len(other)) :]
    return bytes(content)


def mutated(rng: random.Random, of: Sequence[bytes], among: Sequence[bytes]) -> bytes:
    """The same, now and then packed."""
    content = changed(rng, of, among)
    packed = rng.randrange(40)
    if packed < 2:
        whole = gzip.compress(content, 1) if packed else lzma.compress(content, preset=0)
        return whole[: rng.choice((len(whole), rng.randint(0, len(whole))))]
    return content


@cache
def names_of(row: Format) -> tuple[str, ...]:
    """What a reader wants to be told besides the file."""
    _, *others = inspect.signature(row.read).parameters.values()
    return tuple(one.name for one in others if one.default is one.empty and one.kind is not one.VAR_KEYWORD)


def called(row: Format, path: Path) -> None:
    """Let a reader read a file; names that it wants are made up."""
    found = row.read(path, **dict.fromkeys(names_of(row), "fuzz"))
    if isinstance(found, Iterator):
        deque(found, maxlen=0)


def finding(row: Format, path: Path) -> str:
    """What a reader does that it must not; empty if it reads or refuses the file."""
    return fault_of(told_plainly, row, path)


def told_plainly(row: Format, path: Path) -> None:
    """Let a reader read a file; what it says of one must be fit for a terminal."""
    try:
        called(row, path)
    except ExamboardError as error:
        if re.search("[\0\x1b]", str(error)):
            raise ValueError("says what a terminal acts upon") from None
        raise


def fault_of(call: Callable[..., object], *arguments: Any, documented: tuple[type[Exception], ...] = ()) -> str:
    """What a call does that it must not; empty if it returns, or refuses what it was given in a message.

    Seconds are those of the processor: others may use the machine, and nothing here waits.

    Parameters
    ----------
    documented : exceptions beside ExamboardError by which it may refuse
    """
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        call(*arguments)
    except (ExamboardError, *documented) as error:
        return "" if str(error).strip() else "refuses without a word"
    except TooSlow:
        return f"took more than {SECONDS} s"
    except MemoryError:
        return f"took more than {MEBIBYTES} MiB"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(place.filename).name}:{place.name}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def bound() -> None:
    """Limit the memory of this process to what it has and `MEBIBYTES` more, and let a slow reader be told."""

    def too_slow(*_: object) -> None:
        raise TooSlow

    signal.signal(signal.SIGPROF, too_slow)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MEBIBYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def fuzz(folder: Path, seconds: float, inputs: int, seed: int = SEED) -> dict[str, Any]:
    """Throw files at all readers in turn, until the time is over or each reader had so many.

    All get the same file, but now and then each gets one that began as a file that it can read.

    Returns
    -------
    how many inputs each reader had, and what was found
    """
    rng, among, readers = random.Random(seed), seeds(), known_formats()
    # A reader that could read none of them would be tried at its doors only.
    own = {row: [content for content in among if reads(row, folder / "input", content)] for row in readers}
    counts = {f"{row.kind.key}: {row.written}": {"inputs": 0, "findings": 0} for row in readers}
    found: dict[str, str] = {}
    path, until = folder / "input", time.monotonic() + seconds
    slowest, began = 0.0, time.process_time()
    for _ in range(inputs):
        if time.monotonic() > until:
            break
        each_its_own = rng.random() < OWN
        content = mutated(rng, among, among)
        path.write_bytes(content)
        guess_kind(path)
        for row, (name, count) in zip(readers, counts.items(), strict=True):
            if each_its_own:
                content = mutated(rng, own[row], among)
                path.write_bytes(content)
            before = time.process_time()
            what = finding(row, path)
            slowest = max(slowest, time.process_time() - before)
            count["inputs"] += 1
            if what:
                count["findings"] += 1
                keep(folder, found, f"{name}: {what}", content)
    run = {"seed": seed, "processor_s": round(time.process_time() - began, 1), "slowest_s": round(slowest, 3)}
    return {"runs": [run], "counts": counts, "found": found}


def reads(row: Format, path: Path, content: bytes) -> bool:
    """Whether a reader takes a file."""
    path.write_bytes(content)
    try:
        called(row, path)
    except ExamboardError:
        return False
    return True


def keep(folder: Path, found: dict[str, str], what: str, content: bytes) -> None:
    """Keep the smallest input of each finding."""
    kept = folder / f"found-{hashlib.sha256(what.encode()).hexdigest()[:12]}"
    if not kept.exists() or kept.stat().st_size > len(content):
        kept.write_bytes(content)
        found[what] = kept.name
        print(f"{what}: {content[:1000]!r}", file=sys.stderr)


def added(done: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """What was done now, with what was done before; each run with its commit and command."""
    commit = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False)
    command = " ".join(["benchmarks/" + Path(sys.argv[0]).name, *sys.argv[1:]])
    for run in done["runs"]:
        inputs = sum(count["inputs"] for count in done["counts"].values())
        run |= {"commit": commit.stdout.strip(), "command": command, "inputs": inputs}
    counts = {name: dict(count) for name, count in before.get("counts", {}).items()}
    for name, count in done["counts"].items():
        was = counts.get(name, {})
        counts[name] = {what: was.get(what, 0) + number for what, number in count.items()}
    return {
        "inputs": sum(count["inputs"] for count in counts.values()),
        "findings": sum(count["findings"] for count in counts.values()),
        "counts": counts,
        "found": before.get("found", {}) | done["found"],
        "runs": before.get("runs", []) + done["runs"],
    }


def told(done: dict[str, Any], file: Path | None, part: str) -> int:
    """Print what was done, or add it to a part of a file; returns the exit status."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file and file.exists() else {}
    kept[part] = added(done, kept.get(part, {}))
    whole = json.dumps(kept, indent=1)
    if file:
        file.write_text(f"{whole}\n", encoding="utf-8")
    else:
        print(whole)
    return bool(done["found"])


def options(about: str) -> argparse.ArgumentParser:
    """What both scripts can be told."""
    found = argparse.ArgumentParser(description=about.splitlines()[0])
    found.add_argument("--seconds", type=float, default=60, help="stop then at the latest")
    found.add_argument("--inputs", type=int, default=10**9, help="stop after so many for each")
    found.add_argument("--seed", type=int, default=SEED)
    found.add_argument("--folder", type=Path, help="where inputs lie; one in memory is quickest")
    found.add_argument("--add", type=Path, help="a file of counts to add to")
    return found


def folder_of(asked: argparse.Namespace) -> Path:
    """Where inputs lie."""
    folder: Path = asked.folder or Path(tempfile.mkdtemp(prefix="examboard-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> int:
    """Fuzz the readers, and say what came of it as JSON."""
    asked = options(str(__doc__)).parse_args()
    folder = folder_of(asked)
    known_formats()
    bound()
    return told(fuzz(folder, asked.seconds, asked.inputs, asked.seed), asked.add, "files")


if __name__ == "__main__":
    sys.exit(main())
