"""Files are recognised by how they begin, then by their names, and read by the reader of their own format."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from exam_core.errors import BadInput
from exam_core.formats import registry
from exam_core.formats.format import Format, Opening
from exam_core.formats.registry import known_formats, known_kinds, reader, table
from exam_core.formats.sniffing import guess_kind, naming_the_kind
from exam_core.formats.trec import RUN, read_run
from exam_core.formats.trec_tables import run_columns
from tests.wings import added_to

BEGINNINGS = added_to(
    {
        "a.txt": ("q1 Q0 d1 1 2.5 mine\n", "run"),
        "no names.txt": ("q1 Q0 d1 1 2.5\n", "run"),
        "mostly whole.txt": ("q1 Q0 d1 1 2.5 mine\n" * 2 + "q1\n", "run"),
        "half of it.txt": ("q1 Q0 d1 1 2.5 mine\nq1\n", None),
        "b.txt": ("# a comment\nq1 0 d1 2\n", "qrels"),
        "antique.trec": ("q1 U0 d1 2\n", "qrels"),
        "umbrela.rag24.qrels": ("q1 0 d1 2\n", "labels"),
        "marco.tsv": ("q1\td1\t1\nq1\td2\t2\n", "run"),
        "Thomas.txt": ("q1 0 d1 2\n", "labels"),
        "OfMyPrompt.txt": ("q1 0 d1 2\n", "labels"),
        "c.txt": ("q1\twhat is rain\n", "topics"),
        "d.txt": ("a title\nsystem,rank\nbm25,1\n", "leaderboard"),
        "e.txt": ("method\texam\t+/-\texam-std\nbm25\t0.3\t+/-\t0.02\n", "leaderboard"),
        "f.txt": ('["q1", []]\n', "workbench"),
        "grades.csv": ("qid;docid;question;rating;judge\nq1;d1;Why?;4;gpt\n", "workbench"),
        "g.txt": ('{"query_id": "q1", "items": []}\n', "bank"),
        "h.txt": ('{"qid": "q1", "question": "Why?"}\n', "bank"),
        "i.txt": ('{"qid": "q1", "nuggets": []}\n', "bank"),
        "j.txt": ('{"nugget_bank": [], "items": []}\n', "bank"),
        "bank.csv": ('query_id,question_text\nq1,"Why, then?"\n', "bank"),
        "bank of qids.csv": ("qid,question,weight\nq1,Why?,1\n", "bank"),
        "list.json": ('[\n{"query_id": "q1",\n"question_text": "Why?"}]\n', "bank"),
        "questions.jsonl": ('{"query_id": "q1", "question_text": "Why?"}\n', "bank"),
        "texts.json": ('{"q1": ["Why?", "How?"], "q 2": []}\n', "bank"),
        "texts, indented.json": ('{\n  "rain": [\n    "Why is \\"it\\": wet?",\n', "bank"),
        "lists of other things.json": ('{"documents": ["d1"], "run": "a"}\n', None),
        "corpus.jsonl": ('{"_id": "d1", "title": "", "text": "Rain falls."}\n', "passages"),
        "segments.jsonl": (
            '{"docid": "d1#0", "url": "u", "title": "t", "headings": "h", "segment": "s"}\n',
            "passages",
        ),
        "contents.json": ('[\n {\n  "id": "d1",\n  "contents": "Rain falls."\n }\n]', "passages"),
        "beir.jsonl": (f'{{"_id": "d1", "text": "{"word " * 60}", "metadata": {{}}}}\n', "passages"),
        "headed.tsv": ("docid\ttext\ttitle\nd1\tRain falls.\tRain\n", "passages"),
        "a board by topic.txt": ("run1 NUGGETS_FOUND leaf 4\nrun1 NUGGETS_FOUND cloud 2\n", "leaderboard"),
        "a board of five.txt": ("run1 P leaf 4 0.5\n", None),
        "a board by number.txt": ("run1\t301\tP@5\t1\nrun2\t301\tP@5\t0\n", "leaderboard"),
        "five judgments.txt": ("1 0 d1 1 0.9\n", None),
        "long texts.txt": (f"d1\t{'bread rises and ' * 30}\n", "passages"),
        "a board by measure.txt": ("run_id\tmeasure\ttopic_id\tvalue\n", "leaderboard"),
        "a board of two.txt": ("bm25\t0.31\nsplade\t0.38\n", None),
        "a board of ids.txt": ("q1\td1\n", None),
        "topics of 2025.json": ('[\n {\n  "id": "1",\n  "title": "Why does it rain?"\n }\n]\n', "topics"),
        "texts of queries.jsonl": ('{"query_id": "q1", "text": "Why does it rain?"}\n', "topics"),
        "metrics.jsonl": ('{"qid": "q1", "ndcg": 0.5}\n', "leaderboard"),
        "years.jsonl": ('{"qid": "q1", "year": 1990}\n', None),
        "results.json": ('{"q1": {"map": 0.5, "P_5": 0.2}}', "leaderboard"),
        "colbert.tsv": ("7\t1001\t1\t2.5\n7\t1002\t2\t2.25\n", "run"),
        "passages that count up.txt": ("7 0 1 1\n7 0 2 0\n", "qrels"),
        "top1000.tsv": (f"7\t1001\twhy rain\t{'it rains ' * 40}\n", "passages"),
        "wide bank.csv": ("query_id,question_1,question_2\nq1,Why?,How?\n", None),
        "label studio, flat.json": (
            '[{"query_id": "q1", "doc_id": "d1", "relevance": "2: highly relevant"}]\n',
            "labels",
        ),
        "ranked.csv": ("query,doc,rank,score\nq1,d1,1,2\n", "run"),
        "scored.csv": ("query,doc,score\nq1,d1,2\nq1,d2,1.5\n", "run"),
        "labels or scores.csv": ("query,doc,score\nq1,d1,0.5\nq1,d2,1.5\n", None),
        "labels or scores.json": ('{"q1": {"d1": 0.5, "d2": 1.5}}', None),
        "scores.run.csv": ("query,doc,score\nq1,d1,0.5\nq1,d2,1.5\n", "run"),
        "beyond any scale.csv": ("query,doc,score\nq1,d1,0.5\nq1,d2,31.5\n", "run"),
        "decimal grades.csv": ("query,doc,grade\nq1,d1,0.5\nq1,d2,1.5\n", "qrels"),
        "strata.txt": ("1 0 d1 1 0.5 2\n1 0 d2 1 1.0 1\n", None),
        "a run named 2.txt": ("1 Q0 d1 1 0.5 2\n1 Q0 d2 2 0.25 2\n", "run"),
        "judged or scored.csv": ("query,doc,score\nq1,d1,2\n", "qrels"),
        "headed.txt": ("qid\tquery\n1\tfleas\n", "topics"),
        "trec.topics": ("<top>\n", "topics"),
        "l.run": ('{"other": 1}\n', None),
        "m.run.gz": ("nothing telling\n", "run"),
        "qrels.dl19.txt": ("nothing telling\n", "qrels"),
        "n.csv": ("nothing telling\n", None),
        "o.topics": ("", "topics"),
        "topics.csv": ("nothing telling\n", "topics"),
        "p.run.csv": ("nothing telling\n", "run"),
        "p.txt": ("", None),
    },
    "BEGINNINGS",
)


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_file_is_recognised_by_its_beginning_then_by_its_name(tmp_path: Path, name: str) -> None:
    text, kind = BEGINNINGS[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert guess_kind(tmp_path / name) == kind


def test_every_kind_is_recognised_by_some_beginning() -> None:
    assert {kind for _, kind in BEGINNINGS.values() if kind} == set(known_kinds())


def test_a_refusal_names_what_the_file_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("q1 0 d1 2\n", encoding="utf-8")
    with (
        pytest.raises(BadInput, match=r"import it with: examboard import qrels .*a\.txt --collection mine$"),
        naming_the_kind("run", path, "mine"),
    ):
        read_run(path)


@pytest.mark.parametrize("kind", ["qrels", "labels"])
def test_judgments_and_labels_are_not_taken_for_each_other(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("Sun.txt" if kind == "qrels" else "a.txt")
    path.write_text("q1 0 d1 2\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"^\S+: wrong$"), naming_the_kind(kind, path, "mine"):
        raise BadInput(f"{path}: wrong")


def comma(opening: Opening) -> bool:
    return all(line.count(",") == 4 for line in opening.lines)


def read_commas(path: Path) -> str:
    return f"{path.name}, read at its commas"


COMMAS = Format(kind=RUN, written="commas", looks="a run with commas", order=5, fits=comma, read=read_commas)


@pytest.fixture
def with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs may also be written with commas."""
    rows = table([*known_formats(), COMMAS])
    monkeypatch.setattr(registry, "known_formats", lambda: rows)


@pytest.mark.usefixtures("with_commas")
@pytest.mark.parametrize(
    ("text", "expected"),
    [("q1,d1,1,2.5,mine\n", read_commas), ("q1 Q0 d1 1 2.5 mine\n", read_run), ("neither\n", read_run)],
    ids=["commas", "blanks", "neither"],
)
def test_a_kind_in_two_formats_is_read_by_the_one_that_a_file_looks_like(
    tmp_path: Path, text: str, expected: object
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    assert reader("run", path) is expected


@pytest.mark.usefixtures("with_commas")
def test_the_title_of_a_kind_names_all_its_formats() -> None:
    assert known_kinds.__wrapped__()["run"].title == "Run (commas, TREC format, CSV, JSON)"


def test_a_format_that_is_declared_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="Declared twice"):
        table([COMMAS, replace(COMMAS, order=7)])


def test_two_kinds_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="Two kinds are named run"):
        table([*known_formats(), replace(COMMAS, kind=replace(RUN, main="grades"))])


def test_a_byte_that_is_no_text_keeps_nobody_from_guessing_the_kind(tmp_path):
    (path := tmp_path / "grades.tsv").write_bytes(b"query_id\tpassage\tquestion\tgrade\nq1\0\td1\ta\t3\n")
    assert guess_kind(path) == "workbench"


NAMES_OF_COLUMNS = ["query", "topic", "score", "run", "name", "metric", "value", "label", "answer", "all", "runid"]


@pytest.mark.parametrize("query", ["1", "q1", "topic1", "query_1", "question_1", "1a_b"])
def test_a_line_that_only_runs_have_is_asked_of_no_other_format(tmp_path, query):
    # What is certain is tried first, so no format that is tried before runs may take such a file, whatever its names.
    path, run = tmp_path / "labels.csv", next(row for row in known_formats() if row.written == "TREC format")
    before = known_formats()[: known_formats().index(run)]
    for doc, name in product([*NAMES_OF_COLUMNS, "d1"], [*NAMES_OF_COLUMNS, "bm25"]):
        path.write_text(f"{query} Q0 {doc} 1 9.5 {name}\n{query} Q0 d:2 2 -7e-2 {name}\n")
        opening = Opening(path)
        assert run.is_certain(opening)
        assert run.fits(opening)
        assert not any(row.fits(opening) for row in before)
        assert not run_columns(opening)


@pytest.mark.parametrize("line", ["q1\tQ0\td1\t1\t9.5\tbm25", "q1 Q0 d,1 1 9.5 bm25", "q Q0 d1 1 9.5 bm25", "# a run"])
def test_a_run_that_may_be_something_else_is_not_certain(tmp_path, line):
    (tmp_path / "a.run").write_text(f"q1 Q0 d1 1 9.5 bm25\n{line}\n")
    assert not Opening(tmp_path / "a.run").is_trec_run
