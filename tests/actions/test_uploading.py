"""Uploads: kinds are guessed, a preview stores nothing and says what would happen, an import can be undone."""

import gzip
import json
import lzma
from pathlib import Path

import pytest

from exam_core.actions.import_plans import PlannedFile, import_of
from exam_core.actions.undoing import undo_import
from exam_core.actions.uploading import (
    UPLOAD_KINDS,
    UPLOAD_MEGABYTES,
    Upload,
    import_uploads,
    names_of_uploads,
    outline_of_upload,
    plain_file_name,
    preview_uploads,
)
from exam_core.errors import BadInput, ExamboardError, UsageError
from exam_core.store import Store
from tests.actions.action_files import content, workbench

RUN = "q1 Q0 q1-d0 1 2.5 mine\nq1 Q0 new 2 1.5 mine\nq9 Q0 q1-d0 1 1.0 mine\n"
QRELS = "q1 0 q1-d0 2\nq1 0 q1-d1 0\n"
BANK = json.dumps({"query_id": "q1", "items": [{"question_id": "q1/0", "question_text": "Why?"}]})
BOARD = "system,rank\nbm25,1\ndense,2\nother,3\n"


def upload(name, text):
    return Upload(name, text.encode())


def preview_upload(store, found, collection, *order):
    """What one file would bring."""
    (part,) = preview_uploads(store, collection, [(found, PlannedFile(Path(found.name), *order))]).parts
    return part


def import_upload(store, found, collection, *order):
    """Import one file."""
    return import_uploads(store, collection, [(found, PlannedFile(Path(found.name), *order))], replace=True)


def files(path):
    return {found for found in path.rglob("*") if found.is_file()}


@pytest.mark.parametrize("kind", UPLOAD_KINDS)
def test_a_kind_has_an_import_and_words_for_a_name_that_may_be_empty(kind):
    assert import_of(kind).__name__ == f"import_{kind}"
    named = UPLOAD_KINDS[kind]
    assert bool(named.unnamed) == bool(named.option and not named.needed)


def _fill(folder):
    path = workbench(folder / "graded.jsonl")
    import_upload(Store(folder / "store"), Upload("graded.jsonl", path.read_bytes()), "mine", "workbench", "genq")


@pytest.fixture
def graded(copied):
    """A store whose collection `mine` has two queries, six passages and two runs."""
    return Store(copied("uploading", _fill) / "store")


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("misleading.csv", RUN, "run"),
        ("Sun.qrel", QRELS, "labels"),
        ("excel.csv", "\xef\xbb\xbfQuery,Question\r\n01,Why?\r\n", "bank"),
        ("broken.run", "q1 Q0 d1 1 2.5\nq1 Q0 d2 2 1.5\n", "run"),
        ("empty.run", "", "run"),
        ("picture.png", "\x89PNG\r\n\x1a\n\x00\x00", None),
    ],
)
def test_a_kind_is_guessed(name, text, kind):
    assert outline_of_upload(Upload(name, text.encode("latin-1"))).kind == kind


def test_a_bank_of_graded_questions_is_known_by_its_questions(graded):
    asked = graded.snapshot("mine").query("SELECT query_id, question_id FROM questions")
    lines = [
        json.dumps({"query_id": row.query_id, "items": [{"question_id": row.question_id, "question_text": "Why?"}]})
        for row in asked.itertuples()
    ]
    found = upload("dl19-genq.jsonl", "\n".join(lines))
    assert names_of_uploads(graded, "mine", [(found, "bank")]) == ["genq"]


@pytest.mark.parametrize("text", [BANK.replace("q1/0", "other"), "no bank"], ids=["other questions", "no bank"])
def test_another_bank_is_not_taken_for_a_graded_one(graded, text):
    for collection in ("mine", "none such"):
        assert names_of_uploads(graded, collection, [(upload("other.jsonl", text), "bank")]) == ["other"]


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress], ids=["gz", "xz"])
def test_a_compressed_file_is_guessed_and_imported(store, compress):
    assert callable(compress)
    found = Upload("packed", compress(RUN.encode()))
    done = import_upload(store, found, "mine", "run")
    assert (outline_of_upload(found).kind, done.counts["rankings"]) == ("run", 3)


def test_a_preview_shows_the_first_rows_of_a_run_what_is_strange_and_what_is_not_graded(graded):
    found = preview_upload(graded, upload("a.run", RUN), "mine", "run")
    assert list(found.rows["doc_id"]) == ["q1-d0", "new", "q1-d0"]
    assert "1 of the file's 2 queries is not in mine: q9." in found.fit
    assert any(sentence.startswith("2 of the 3 passages in the file's top 20 have no grade") for sentence in found.fit)


def test_a_preview_of_judgments_or_of_a_board_says_how_it_fits(graded):
    found = preview_upload(graded, upload("a.qrels", QRELS), "mine", "qrels", "second")
    assert found.fit == ["The file has nothing for 1 of the 2 queries of mine: q2."]
    found = preview_upload(graded, upload("board.csv", BOARD), "mine", "leaderboard", "official")
    assert "2 of the file's 3 runs are in the collection." in found.fit


def refusal(store, *asked):
    """Why an upload is refused: the preview says it, and the import raises it."""
    with pytest.raises(ExamboardError) as refused:
        import_upload(store, *asked)
    assert preview_upload(store, *asked).refused == str(refused.value)
    return str(refused.value)


def test_a_contradiction_is_refused_in_the_preview_already(graded, tmp_path):
    other = workbench(tmp_path / "other.jsonl", seed=1)
    said = refusal(graded, Upload("other.jsonl", other.read_bytes()), "mine", "workbench", "genq")
    assert said.startswith("other.jsonl: contradicts")


@pytest.mark.parametrize("kind", UPLOAD_KINDS)
@pytest.mark.parametrize("raw", [b"", b"\x89PNG\r\n\x1a\n\x00\xff\xfe", b"\x1f\x8bnot gzip", b"\n\n"])
def test_a_file_of_no_kind_is_refused_with_its_name_and_writes_nothing(store, kind, raw):
    with pytest.raises(ExamboardError, match=r"^odd\.bin") as refused:
        import_upload(store, Upload("odd.bin", raw), "mine", kind, "name")
    assert ("/tmp" in str(refused.value), files(store.path)) == (False, set())


def test_a_file_beyond_the_limit_is_sent_to_the_command_line(store):
    with pytest.raises(BadInput, match=r"more than 50 MB\. Import it on the command line"):
        preview_upload(store, Upload("large.run", bytes(UPLOAD_MEGABYTES * 2**20 + 1)), "mine", "run")


@pytest.mark.parametrize("kind", [name for name, kind in UPLOAD_KINDS.items() if kind.needed])
def test_a_missing_name_is_asked_for(store, kind):
    with pytest.raises(BadInput, match=f"a: {UPLOAD_KINDS[kind].name}: give one"):
        import_upload(store, upload("a", QRELS), "mine", kind, " ")


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\runs\\a.run", "a.run"),
        ("..", "upload"),
        ("", "upload"),
        ("a\nb\x00.run", "a_b_.run"),
        ("<b>*x*</b>=1.run", "b>=1.run"),
        ("été 🙂.run", "été 🙂.run"),
    ],
)
def test_a_hostile_name_becomes_a_plain_one(name, plain):
    assert plain_file_name(name) == plain


def test_a_long_name_is_cut_in_the_middle():
    short = plain_file_name("a" * 400 + "é" * 400 + ".run.gz")
    assert (len(short.encode()) <= 200, short.endswith(".run.gz")) == (True, True)


def test_an_upload_equals_the_same_file_on_the_command_line(graded, tmp_path):
    from exam_core.actions.importing_runs import import_run

    other = Store(tmp_path / "other")
    (tmp_path / "a.run").write_text(RUN, encoding="utf-8")
    import_run(other, "mine", tmp_path / "a.run")
    import_upload(graded, upload("a.run", RUN), "twin", "run")
    assert content(graded.snapshot("twin")) == content(other.snapshot("mine"))


def test_an_upload_that_changes_nothing_has_nothing_to_undo(graded):
    asked = upload("a.run", RUN), "mine", "run"
    import_upload(graded, *asked)
    assert import_upload(graded, *asked).import_ids == ()


@pytest.mark.parametrize(("asked", "said"), [("9", "No import begins with 9"), ("00", "More than one import begins")])
def test_an_id_that_is_no_one_import_is_refused(graded, asked, said):
    import_upload(graded, upload("a.run", RUN), "mine", "run")
    with pytest.raises(UsageError, match=said):
        undo_import(graded, "mine", asked)


def test_a_single_file_store_takes_no_upload(graded, tmp_path):
    from exam_core.store.sharing import export_duckdb

    export_duckdb([graded.snapshot("mine")], tmp_path / "shared.duckdb")
    with pytest.raises(UsageError, match="read only"):
        preview_upload(Store(tmp_path / "shared.duckdb"), upload("a.run", RUN), "mine", "run")


def test_an_upload_that_unpacks_to_very_much_is_refused(store):
    found = Upload("bomb.run.gz", gzip.compress(RUN.encode() * 200_000))
    assert "unpacks to hundreds of times its size" in refusal(store, found, "mine", outline_of_upload(found).kind or "")
