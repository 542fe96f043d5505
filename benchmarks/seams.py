"""The places where text or bytes from outside enter in memory: what `fuzz_memory.py` throws damaged inputs at.

What somebody types, the address of a page, a message of a browser, a reply of a server, an answer of a model, a record
of the store that somebody damaged. A seam takes its input or refuses it by an ExamboardError, or by the exception that
its documentation names. An assertion is a promise on what comes out.
"""

from __future__ import annotations

import csv
import html
import json
import math
import pkgutil
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
from markdown_it import MarkdownIt

from benchmarks import wings
from exam_core import aliases, hiding, table_text, tags, wording
from exam_core.actions import importing, uploading
from exam_core.actions.committing import refuse_version
from exam_core.analysis.choosing import choose, depth_number, parse_label_map, with_ensembles
from exam_core.analysis.references import find_reference
from exam_core.errors import is_utf8, visible
from exam_core.formats.banks.nuggetizer import NuggetLine
from exam_core.formats.json_lines import BadLine, decode_line, decode_object
from exam_core.formats.numbers import as_number, as_whole_number
from exam_core.formats.reading import fault_of_id
from exam_core.formats.workbench.graded_files import Line
from exam_core.grading.modes.mode import ModeInput as AskedOfModel
from exam_core.grading.modes.papers import MODES, grader_name
from exam_core.jobs.records import Job
from exam_core.measures import Measure
from exam_core.people import reviewer_name
from exam_core.request import Request
from exam_core.store import Snapshot, Store, version_1
from exam_core.store.aliases_and_tags import ORDER
from exam_core.store.catalogue import RecordKind
from exam_core.store.evidence import words_of
from exam_core.store.files import folder_name, plain_name
from exam_core.store.grade_segments import GRADER
from exam_core.store.manifests import IMPORT
from exam_core.store.names import BankRef, Source, page_of
from exam_core.store.question_banks import find_bank
from exam_core.texts import words
from exam_core.texts.marking import mark, mark_words
from exam_core.texts.porter import nltk_stem
from pages.shared import guarding, passage_texts, share_and_export
from pages.shared.boxes import escaped

TOKENS = (
    *(
        b"@",
        b"(",
        b")",
        b",",
        b"=",
        b"/",
        b":",
        b"\\",
        b"'",
        b'"',
        b"&amp;",
        b"&",
        b"<b>",
        b"]",
        b"}",
        b"*",
        b"_",
        b"`",
    ),
    *(b"9" * 20, b"1" * 5000, "²".encode(), "٣".encode(), "İ".encode(), "\ufeff".encode(), "\u0301".encode()),
    *(b"</think>", b"<think>", b"```\n", b"?\n", b"1. ", b"%00", b"%2e%2e", b"http://", b"[::1]", b"xn--a", b"-", b"."),
    *(b'{"a":[' * 400, b"]}" * 400, b"\xed\xa0\x80", b'"\\ud800"', b"1e400", b"-1", b" " * 300, b"a.a." * 500),
)
"""What is put into texts, beside what is put into files."""
GRADED = (
    b'["q1",[{"paragraph_id":"d1","text":"they fly","paragraph_data":{"judgments":[{"paragraphId":"d1","query":"q1",'
    b'"relevance":1,"titleQuery":"q1"}],"rankings":[{"method":"bm25","paragraphId":"d1","queryId":"q1","rank":1,'
    b'"score":2.5}]},"exam_grades":[{"correctAnswered":["a"],"wrongAnswered":[],"answers":[["a","4"]],"llm":"t5",'
    b'"llm_options":{},"exam_ratio":1,"self_ratings":[{"question_id":"a","self_rating":4}],'
    b'"prompt_info":{"prompt_class":"R","is_self_rated":true}}],"grades":[{"correctAnswered":true,"answer":"Yes",'
    b'"llm":"t5","llm_options":{},"prompt_info":{"prompt_class":"Thomas"}},{"correctAnswered":true,"answer":"Yes",'
    b'"llm":"t5","llm_options":{},"prompt_info":{"prompt_class":"Sun"}}]}]]\n'
)
WORDS = (
    "The stratum corneum, i.e. the outermost layer of the U.S. skin, isn't alive. Why? <b>Because</b> & so on.",
    "Ein Text ohne Ende ... und weiter; (siehe Abb. 3) — «genau».",
)
MARKDOWN = MarkdownIt()
RUNS = ("bm25", "lsa", "ICT-DRMMTKS", "run_3", "İ")


@dataclass(frozen=True)
class Seam:
    """A place where text or bytes enter.

    Parameters
    ----------
    seeds : inputs that it takes, all texts or all bytes
    documented : exceptions beside ExamboardError by which it may refuse an input
    slow : whether it takes a tenth of a millisecond or more, and so has fewer inputs
    """

    call: Callable[[Any], object]
    seeds: tuple[Any, ...]
    documented: tuple[type[Exception], ...] = ()
    slow: bool = False

    def given(self, content: bytes) -> str | bytes:
        """What it is given for some bytes; every fourth text that is not UTF-8 is as Python keeps such arguments."""
        if isinstance(self.seeds[0], bytes):
            return content
        return content.decode(errors="replace" if len(content) % 4 else "surrogateescape")


@cache
def place() -> Path:
    """A folder, in memory where there is one, for what is read from files."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="examboard-seams-", dir=memory if memory.is_dir() else None))


@cache
def collection() -> Snapshot:
    """A small collection: a bank, a grader of questions and two of whole passages, judgments and a run."""
    store, file = Store(place() / "store"), place() / "graded.jsonl"
    file.write_bytes(GRADED)
    importing.import_workbench(store, "c", file, bank="b")
    return store.snapshot("c")


def stored(name: str, content: bytes) -> Path:
    """A file of the store, as somebody left it."""
    path = place() / "stored" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def json_of(text: str) -> Any:
    """What a browser or a provider says, as JSON; None of what is none."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def measure(text: str) -> None:
    found = Measure.parse(text)
    assert Measure.parse(str(found)) == found


def evaluation(**asked: Any) -> None:
    choose(collection(), Request(**({"measure": "P@20", "grader": "t5.Sun"} | asked)))


def label_map(text: str) -> None:
    parse_label_map(text)
    evaluation(label_map=text)


def reference(text: str) -> None:
    find_reference(collection(), text, choose(collection(), Request("P@20", grader="t5.Sun")))


def grader(text: str) -> None:
    choose(with_ensembles(collection(), [text]), Request("P@20", grader=text))


def identifier(text: str) -> None:
    refuse_version(text)
    if fault_of_id(text) is None:
        assert plain_name(folder_name(text)) == text
    assert str(Source.parse(str(Source("run", text)))) == f"run:{text}"
    page_of(text)
    BankRef.parse(text)


def called(text: str) -> None:
    found = aliases.aliases([text, "flan-t5-large.self-rating"], {}, {})
    assert len(set(found.values())) == len(found)
    grader_name(text, "self-rating", {"decoding": text})
    assert aliases.checked(text, "g", {"g": "G", "h": "H"}).isprintable() or not text.isascii()


def upload_name(text: str) -> None:
    found = uploading.plain_file_name(text)
    assert found.strip(".")
    assert not re.search(r"[/\\\0\n]", found)
    assert len(found.encode()) <= 200


def run_filter(text: str) -> None:
    assert len(hiding.hidden_runs(text, RUNS)) < len(RUNS)
    assert len(wording.shortened(text, 10)) <= 10
    assert all(len(line) <= 12 for line in wording.in_lines(text, 12))
    wording.listed(text)
    words_of(text)


def graded_answer(text: str) -> None:
    about = AskedOfModel("they fly", "who?", ("the stratum corneum", "u.s.", "all of the above"), "q")
    for mode in MODES.values():
        for rules in ("null", "paper", "authors"):
            if mode.verifier == "llm":
                mode.verify_prompts(text, about)
                verdict = mode.verdict([text, None])
            else:
                verdict = mode.read(text, about, rules)
            assert verdict.grade is None or 0 <= verdict.grade <= mode.scale


def headers(text: str) -> None:
    name, _, origin = text.partition(" ")
    said = [(b"host", name.encode("latin-1", "replace")), (b"origin", origin.encode("latin-1", "replace"))]
    guarding.refusal({"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": said})


def reviewer(text: str) -> None:
    reviewer_name(text).encode()


def cell(text: str) -> None:
    assert (found := as_number(text)) is None or math.isfinite(found)
    as_whole_number(text)


def on_a_page(text: str) -> None:
    name = " ".join(text.replace("\0", "").split())
    assert html.unescape(re.sub("<[^>]*>", "", MARKDOWN.render(escaped(name)))).strip() == name
    places = mark_words(text, ["the", "a", "<"])
    shown = passage_texts.marked(text, places)
    assert html.unescape(re.sub("</?mark[^>]*>", "", shown)) == text
    assert shown.count("<") == 2 * len(places)
    passage_texts.excerpt(text, places, 20)


def in_a_file(text: str) -> None:
    visible(text).encode()
    assert visible(text, line_ends=False).isprintable() or not text.isascii()
    table_text.escaped(text)
    assert json.loads(table_text.as_json([text])) == [text]
    if not is_utf8(text):
        return
    _, *rows = csv.reader(StringIO(table_text.as_text(pd.DataFrame({"name": [text]}, dtype=object), "csv"), newline=""))
    assert [row[0] for row in rows if row] in ([text], [f"'{text}"])
    assert not any(one.startswith(("=", "+", "-", "@")) for row in rows for one in row)


def passage(text: str) -> None:
    words.content_stems(text)
    nltk_stem(text)
    mark(text, text, [text])


def job(content: bytes) -> None:
    order = None
    with suppress(ValueError):
        order = ORDER.decode(content)
    found = Job(stored("job/progress.json", content).parent, order)
    _ = found.arguments, found.damage, found.progress()


def of_kind(kind: RecordKind[Any], *values: object) -> Seam:
    """What a record of a kind says, as somebody left it."""
    return Seam(kind.decode, tuple(map(msgspec.json.encode, values)), (ValueError,))


def of_version_1(content: bytes) -> None:
    """Files of version 1."""
    for name in ("c/imports/000001-0123456789abcdef.json", "c/graders/g.json", "c/reviews/q.jsonl", ".modes/m.toml"):
        stored(f"old/{name}", content)
    assert list(version_1.records(place() / "stored" / "old"))


def layout(content: bytes) -> None:
    """The file by which versions know each other."""
    version_1.refuse_others(stored("laid/.layout", content).parent)


def a_manifest() -> object:
    """The record of an import."""
    collection()
    return next(iter(Store(place() / "store").catalogue.read(IMPORT, "c").values.values()))


MEASURES = (
    "Cover@20",
    "P@5",
    "AP",
    "nDCG@10",
    "POURPRE(beta=5,terms=idf)",
    "ROUGE1",
    "alpha_nDCG@20",
    "NuggetVital",
    "nCover@20",
)
GRADERS = ("t5.Sun", "majority(t5.Sun,t5.Thomas)", "majority(t5.Sun@1,t5.Thomas@2)", "median(t5.Sun,t5.Thomas)", "t5.R")
NAMES = (
    "flan-t5-large.self-rating.greedy.bf16",
    "run:bm25",
    "official",
    "page/facet",
    "graded.jsonl.gz",
    "../x",
    "a b",
)
LINE, ANY, NUGGETS = msgspec.json.Decoder(Line), msgspec.json.Decoder(), msgspec.json.Decoder(NuggetLine)
SEAMS = {
    "measure": Seam(measure, MEASURES),
    "measure of an evaluation": Seam(lambda text: evaluation(measure=text, depth=None), MEASURES),
    "bank": Seam(lambda text: find_bank(collection(), text), ("b", "b@1", "b@2", "a@b")),
    "grader or ensemble": Seam(grader, GRADERS, slow=True),
    "judgments": Seam(lambda text: evaluation(grader=None, judgments=text), ("official", "qrels:P@20")),
    "reference": Seam(
        reference, ("official", "qrels:P@20:depth=5", "grades:Cover@20:tau=3:grader=t5.R:bank=b"), slow=True
    ),
    "label map": Seam(label_map, ("5=3,4=1", " 1 = 0")),
    "depth": Seam(depth_number, ("20", "all", "1000")),
    "filter of runs": Seam(run_filter, ("idst* -prf", "bm25", "-*", 'a "b c" d')),
    "version of a link": Seam(share_and_export.is_newer, ("1", "2")),
    "id or name": Seam(identifier, NAMES, (UnicodeEncodeError,)),
    "alias or name of a grader": Seam(called, NAMES),
    "tag": Seam(lambda text: tags.checked_tags({"bm25": [text]}, RUNS), ("uses an LLM", " a ")),
    "name of an upload": Seam(upload_name, NAMES, slow=True),
    "answer of a model": Seam(
        graded_answer, ("4", "- 4:", "Yes.", "(iii)", "unanswerable", "the stratum corneum", *WORDS), slow=True
    ),
    "host and origin": Seam(headers, ("localhost:8501 http://localhost:8501", "[::1]:80 null", "a.example.org ")),
    "name of a reviewer": Seam(reviewer, ("Ann", "odd\n passage")),
    "cell of a table": Seam(cell, ("2.5", "2026-01-31T12:00:00+01:00", "yes", "-1", "1e3")),
    "line of a graded file": Seam(lambda line: decode_line(line, LINE, ANY), (GRADED,), (BadLine,)),
    "line of nuggets": Seam(
        lambda line: decode_object(line, NUGGETS),
        (b'{"qid":"q1","query":"x","nuggets":[{"text":"a","importance":"vital","assignment":"support"}]}',),
        (BadLine,),
    ),
    "text on a page": Seam(on_a_page, (*WORDS, *NAMES), slow=True),
    "text in a file or terminal": Seam(in_a_file, (*WORDS, "=1+1", "\x1b[2J"), slow=True),
    "text of a passage": Seam(passage, WORDS, slow=True),
    "file of version 1": Seam(of_version_1, (b'{"a":1}', b'{"a":1,"check":"0123456789abcdef"}\n'), slow=True),
    "layout": Seam(layout, (b'{"layout":1}',)),
    "import": of_kind(IMPORT, a_manifest()),
    "description of a grader": of_kind(GRADER, {"kind": "exam"}),
    "record of a job": Seam(
        job,
        (b'{"kind":"order","request":{"order":{"collection":"c","mode":"qa","options":{}}}}', b'{"done":1}'),
        slow=True,
    ),
}


def all_seams() -> dict[str, Seam]:
    """All seams by their names, those of wings that have some too."""
    names = (f"benchmarks.wings.{found.name}.seams" for found in pkgutil.iter_modules(wings.__path__))
    modules = (import_module(name) for name in names if find_spec(name))
    return SEAMS | {name: seam for module in modules for name, seam in module.SEAMS.items()}
