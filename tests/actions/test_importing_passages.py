"""Texts of passages: of a corpus, what the collection names; filled in by id, replaced, undone, shared."""

import json
from pathlib import Path

import pandas as pd
import pytest

from exam_core.actions import importing_passages
from exam_core.actions.import_plans import PlannedFile
from exam_core.actions.importing import import_qrels, import_workbench
from exam_core.actions.importing_passages import import_given_passages, import_passages
from exam_core.actions.importing_runs import import_run
from exam_core.actions.undoing import undo_import
from exam_core.actions.uploading import Upload, import_uploads, outline_of_upload, preview_uploads
from exam_core.errors import BadInput
from tests.actions.action_files import workbench


@pytest.fixture
def named(store, tmp_path):
    """A collection whose run names d1, d2 and d3."""
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq2 Q0 d3 1 1 a\n", encoding="utf-8")
    import_run(store, "c", tmp_path / "a.run")
    return store


def corpus(folder, name="corpus.jsonl", **texts):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"_id": d, "text": t}) + "\n" for d, t in texts.items()), encoding="utf-8")
    return path


def texts(store):
    frame = store.snapshot("c").frame("passages")
    return dict(zip(frame["doc_id"], frame["passage_text"], strict=True))


def test_what_is_named_is_kept_and_what_lacks_a_text_is_counted(named, tmp_path):
    done = import_passages(named, "c", corpus(tmp_path, d1="one", d9="nine", d2="two"))
    assert done.counts == {"passages": 2}
    assert done.notes == [
        "Of the 3 passages only those that c names are kept. To keep all: examboard import passages FILE --all",
        "1 of 3 passages that runs, judgments and grades name have no text yet.",
    ]
    assert texts(named) == {"d1": "one", "d2": "two"}


def test_lines_without_a_text_are_left_out_and_the_first_is_named(named, tmp_path):
    path = corpus(tmp_path, d9="nine", d1="one")
    with path.open("a", encoding="utf-8") as file:
        file.write('{"_id": "d2", "text": null}\n{"_id": "d3"}\n')
    done = import_passages(named, "c", path)
    assert (texts(named), done.notes[1]) == (
        {"d1": "one"},
        "Left out: 2 passages without any words; the first is corpus.jsonl:3.",
    )
    path.write_text('{"_id": "d9", "text": "nine"}\n{"_id": "d2", "text": null}\n', encoding="utf-8")
    with pytest.raises(
        BadInput, match=r"no passage that would be kept has a text .*; the first without one is .*jsonl:2"
    ):
        import_passages(named, "c", path)


def test_all_are_kept_on_demand_and_where_nothing_is_named(store, tmp_path, monkeypatch):
    path = corpus(tmp_path, d1="one", d9="nine")
    assert import_passages(store, "c", path).counts == {"passages": 2}
    monkeypatch.setattr(importing_passages, "MOST_UNNAMED", 1)
    with pytest.raises(BadInput, match=r"corpus.jsonl: has more than 1 passages, and d names none yet"):
        import_passages(store, "d", path)
    assert store.collections() == ["c"]
    assert import_passages(store, "d", path, every=True).changed


def test_the_same_corpus_again_takes_its_own_place_and_another_one_fills_in(named, tmp_path):
    first = corpus(tmp_path / "a", d1="one", d4="four")
    import_passages(named, "c", first)
    assert not import_passages(named, "c", first).changed
    (tmp_path / "qrels").write_text("q1 0 d4 1\n", encoding="utf-8")
    import_qrels(named, "c", tmp_path / "qrels")
    assert "It replaces" in " ".join(import_passages(named, "c", first).replaced)
    import_passages(named, "c", corpus(tmp_path / "b", d1="one", d2="two"))
    assert texts(named) == {"d1": "one", "d2": "two", "d4": "four"}
    undo_import(named, "c")
    assert texts(named) == {"d1": "one", "d4": "four"}


def test_a_text_that_contradicts_the_one_that_is_there_is_refused(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "graded.jsonl"))
    before = texts(store)
    doc_id, text = next((d, t) for d, t in before.items() if isinstance(t, str))
    with pytest.raises(BadInput, match=rf"doc_id {doc_id}: passage_text is .* there and .*other.* here\n.*--no-title"):
        import_passages(store, "c", corpus(tmp_path, **{doc_id: f"{text} other"}))
    assert import_passages(store, "c", corpus(tmp_path, **{doc_id: text})).changed
    assert texts(store) == before


def test_ids_that_fit_nothing_are_refused_with_how_they_differ(named, tmp_path):
    with pytest.raises(BadInput, match=r"none of its 3 passages is named in c; it has ids such as D1, .* d1\.\n\S"):
        import_passages(named, "c", corpus(tmp_path, D1="one", D2="two", D3="three"))


def test_a_folder_is_beirs_or_one_of_parts(named, tmp_path):
    beir, parts = tmp_path / "beir", tmp_path / "parts"
    corpus(beir, d1="one")
    corpus(beir, "queries.jsonl", d2="a query")
    import_passages(named, "c", beir)
    corpus(parts, "part-00000", d2="two")
    corpus(parts / "more", "docs.json", d3="three")
    (parts / "_SUCCESS").write_text("done", encoding="utf-8")
    (parts / "README.md").write_text("Read me.", encoding="utf-8")
    assert (
        import_passages(named, "c", parts).notes[-1]
        == "Left out of parts, because they are not part of the corpus: README.md."
    )
    assert texts(named) == {"d1": "one", "d2": "two", "d3": "three"}
    (tmp_path / "none").mkdir()
    with pytest.raises(BadInput, match=r"none: holds no file of passages"):
        import_passages(named, "c", tmp_path / "none")


def test_an_upload_is_previewed_and_imported(named, tmp_path):
    upload = Upload("corpus.jsonl", corpus(tmp_path, d1="one", d9="nine").read_bytes())
    kind = outline_of_upload(Upload("corpus.jsonl", b'{"_id": "d1", "title": "", "text": "x"}\n')).kind
    (preview,) = preview_uploads(named, "c", [(upload, PlannedFile(Path(upload.name), str(kind)))]).parts
    assert (kind, preview.counts, texts(named)) == ("passages", {"passages": 1}, {})
    assert preview.rows["passage_text"].tolist() == ["one"]
    import_uploads(named, "c", [(upload, PlannedFile(Path(upload.name), "passages"))])
    assert texts(named) == {"d1": "one"}


class Doc:
    """A record as ir_datasets has it."""

    def __init__(self, doc_id: str, title: str, body: str) -> None:
        self.doc_id, self.title, self.body = doc_id, title, body


class Plain:
    doc_id = "d1"

    def default_text(self) -> str:
        return "A\none"


@pytest.mark.parametrize(
    "given",
    [
        iter([Doc("d1", "A", "one"), Doc("d9", "", "nine")]),
        [Plain()],
        [{"docno": "d1", "text": "A\none"}],
        {"d1": "A\none"},
        pd.DataFrame({"docno": ["d1", "d2"], "title": ["A", ""], "text": ["one", None]}),
    ],
    ids=["records", "default text", "dictionaries", "by id", "frame"],
)
def test_passages_come_in_whatever_holds_them(named, given):
    done = import_given_passages(named, "c", given)
    assert (done.counts, texts(named)) == ({"passages": 1}, {"d1": "A\none"})


def test_what_is_given_again_changes_nothing_and_other_passages_fill_in(named):
    import_given_passages(named, "c", {"d1": "one"})
    assert not import_given_passages(named, "c", {"d1": "one"}).changed
    import_given_passages(named, "c", {"d2": "two"})
    assert texts(named) == {"d1": "one", "d2": "two"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([{"docno": 1, "text": "x"}], "id or text is 1 .int., not text .record 0"),
        ([{"docno": "d1"}, {"docno": "d2", "text": None}], "no passage that would be kept has a text .text, contents"),
        ([{"docno": "d1", "text": 1}], "id or text is 1 .int., not text .record 0"),
        ({"d1": "\ud800"}, "id or text is not UTF-8 .record 0"),
        (
            [{"docno": "d1", "text": "x"}, {"docno": "d1", "text": "y"}],
            "record 1: second text for passage d1, with other values than record 0",
        ),
        ("corpus", "is of type str"),
        ({}, "holds nothing to import"),
    ],
)
def test_what_is_given_and_no_passage_is_refused(named, given, says):
    with pytest.raises(BadInput, match=says):
        import_given_passages(named, "c", given)
