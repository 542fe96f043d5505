"""Labels as scripts of LLMJudge and umbrela write them: ids under other names, texts beside them, signs of failure."""

import pytest

from exam_core.store import Store


@pytest.fixture
def bring(of_report):
    return of_report("t4/umbrela-labels")


@pytest.fixture
def grades(tmp_path):
    return lambda: Store(tmp_path / "store").snapshot("c").frame("grades")


@pytest.mark.parametrize("beside", [True, False], ids=["beside a run", "in a new collection"])
def test_qidx_and_docidx_are_the_ids_beside_texts(bring, grades, beside):
    if beside:
        bring("run", "a.run")
    assert "2 queries, 16 labels" in bring("labels", "llmjudge.jsonl", "--grader", "g1").out
    assert set(grades()["query_id"]) == {"q1", "q2"}
    assert set(grades()["doc_id"]) == {f"p{number}" for number in range(1, 9)}


@pytest.mark.parametrize("kind", ["labels", "qrels", "run", "files"])
def test_texts_are_taken_for_no_ids(bring, tmp_path, kind):
    done = bring(kind, "umbrela.jsonl", *(["--grader", "g2"] if kind == "labels" else []))
    assert done.status == 1
    assert "umbrela.jsonl:1: texts in query and passage, where ids of queries and passages belong" in done.err
    assert "It has: model, query, passage, prompt, prediction, judgment, result_status" in done.err
    assert "It looks like" not in done.err
    assert not Store(tmp_path / "store").collections()


def test_a_label_that_umbrela_filled_in_is_unreadable(bring, grades):
    bring("run", "a.run")
    assert "1 could not be read (result_status=0 1)" in bring("labels", "umbrela_ids.jsonl", "--grader", "g3").out
    found = grades()
    assert len(found) == 16
    assert found.loc[found["grade"].isna(), ["query_id", "doc_id"]].to_numpy().tolist() == [["q1", "p4"]]


def test_filled_in_labels_are_no_judgments(bring):
    done = bring("qrels", "umbrela_ids.jsonl")
    assert (done.status, "umbrela_ids.jsonl:4: relevance result_status=0 is not a whole number" in done.err) == (
        1,
        True,
    )


TABLE = "frage;text_nr;urteil;score\nq1;d1;2;0,5\nq1;d2;0;0,25\n"
RECORD = '{"frage": "q1", "doc_id": 7, "text_nr": "d1", "urteil": 2, "label": 0}\n'
NAMED = ("--as", "query=frage,doc=text_nr,label=urteil")


@pytest.mark.parametrize("kind", ["qrels", "files"])
@pytest.mark.parametrize(("name", "content"), [("a.csv", TABLE), ("a.jsonl", RECORD)])
def test_columns_that_a_user_names_are_read_before_all_others(examboard, tmp_path, kind, name, content):
    (file := tmp_path / name).write_text(content)
    done = examboard(tmp_path / "store", "import", kind, file, "--collection", "c", *NAMED)
    assert done.err == ""
    table = Store(tmp_path / "store").snapshot("c").frame("judgments").sort_values("doc_id")
    assert table[["query_id", "doc_id", "relevance"]].to_numpy().tolist()[0] == ["q1", "d1", 2]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("query=topic_nr", "a.csv: has no column topic_nr. Its columns are: frage, text_nr, urteil, score"),
        ("question=frage", "Human judgments has no field question. It has: query, doc, label, judge"),
        ("query=frage,doc=frage", "write each of our fields once"),
        ("frage", "write each of our fields once"),
        ("", "say which they are: --as query=NAME,doc=NAME,label=NAME"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused_with_those_that_do(examboard, tmp_path, asked, says):
    (file := tmp_path / "a.csv").write_text(TABLE)
    done = examboard(
        tmp_path / "store", "import", "qrels", file, "--collection", "c", *(["--as", asked] if asked else [])
    )
    assert done.status
    assert says in done.err


def test_a_file_of_no_kind_is_told_how_its_columns_are_named(examboard, tmp_path):
    (file := tmp_path / "a.csv").write_text(TABLE)
    assert "say which they are: --as query=NAME" in examboard(tmp_path / "store", "import", file).err


def test_the_same_file_with_other_columns_is_read_anew(examboard, tmp_path):
    (file := tmp_path / "a.csv").write_text("frage,text_nr,alt,neu\nq1,d1,3,5\nq1,d2,1,4\n")
    for column in ("alt", "neu"):
        named = f"query=frage,doc=text_nr,score={column}"
        done = examboard(tmp_path / "store", "import", "run", file, "--collection", "c", "--replace", "--as", named)
        assert done.status == 0
    assert sorted(Store(tmp_path / "store").snapshot("c").frame("rankings")["score"]) == [4, 5]
