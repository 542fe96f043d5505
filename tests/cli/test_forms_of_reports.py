"""Forms of reports of version 1.0: the files of each folder of ../shared/reports/t4/."""

from __future__ import annotations

import json

import pytest

from exam_core.actions.uploading import Upload, kind_of_upload
from exam_core.store import Store


def test_workers_are_reviewers_each_with_their_own_reviews(examboard, shared_data, tmp_path):
    folder, store = shared_data / "reports" / "t4" / "annotation-tools", tmp_path / "store"
    examboard(store, "import", "qrels", folder / "q.qrels", "--collection", "c")
    done = examboard(store, "import", "reviews", folder / "mturk_plain.csv", "--collection", "c", "--reviewer", "me")
    assert (done.status, "3 reviewers, 18 reviews" in done.out) == (0, True)


READ = {
    "mturk.csv": ("2 reviewers, 12 reviews", "2 judges, 2 queries, 12 judgments", "assignment_status=rejected 6"),
    "doccano.jsonl": ("1 reviewer, 6 reviews", "2 queries, 6 judgments", ""),
    "doccano2.jsonl": ("1 reviewer, 6 reviews", "2 queries, 6 judgments", "not relevant is 0"),
    "argilla.json": ("1 reviewer, 4 reviews", "2 queries, 4 judgments", "status=discarded 4"),
}


@pytest.mark.parametrize("name", READ)
def test_exports_are_reviews_and_judgments_without_what_does_not_count(examboard, shared_data, tmp_path, name):
    folder, store = shared_data / "reports" / "t4" / "annotation-tools", tmp_path / "store"
    examboard(store, "import", "qrels", folder / "q.qrels", "--collection", "c")
    reviews, judgments, note = READ[name]
    for kind, said, more in (("reviews", reviews, ("--reviewer", "me")), ("qrels", judgments, ("--name", "other"))):
        done = examboard(store, "import", kind, folder / name, "--collection", "c", *more)
        assert (done.status, said in done.out, note in done.out) == (0, True, True), done.out + done.err


def test_a_wide_table_of_assessors_is_refused_or_asks_whose_labels(examboard, shared_data, tmp_path):
    # Issue F reads these: a column for each judge, an empty cell is not judged.
    wide = shared_data / "reports" / "t4" / "annotation-tools" / "wide.csv"
    done = examboard(tmp_path / "store", "import", "qrels", wide, "--collection", "c")
    assert (done.status, "several columns that may be the score: ann, bob, cem" in done.err) == (1, True)
    done = examboard(tmp_path / "store", "import", "reviews", wide, "--collection", "c")
    assert done.status == 1


@pytest.fixture
def any_measure(of_report):
    run = of_report("t4/boards-of-any-measure")
    return lambda file, *more: run("leaderboard", file, "--name", "x", *more)


@pytest.mark.parametrize(
    ("file", "column"),
    [("f.csv", "faithfulness"), ("g.csv", "win_rate"), ("c.csv", "kendall_mean"), ("e.tsv", "kendall_mean")],
)
def test_the_column_that_is_asked_for_is_the_score(any_measure, tmp_path, file, column):
    assert any_measure(file, "--column", column).status == 0
    board = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert dict(zip(board["run_id"], board["score"], strict=True)) == {"A": 0.3, "B": 0.2}


@pytest.mark.parametrize("file", ["f.csv", "g.csv"])
def test_the_only_column_of_numbers_needs_not_be_asked_for(any_measure, file):
    assert "1 leaderboard, 2 rows" in any_measure(file).out


@pytest.mark.parametrize("file", ["c.csv", "e.tsv"])
def test_of_several_columns_one_is_to_be_chosen(any_measure, file):
    assert "several columns that may be the score: kendall_mean, kendall_worst" in any_measure(file).err


def test_the_only_column_of_names_is_that_of_runs(any_measure, tmp_path):
    assert any_measure("h.csv", "--column", "score").status == 0
    board = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert dict(zip(board["run_id"], board["score"], strict=True)) == {"A": 0.3, "B": 0.2}


@pytest.mark.parametrize(
    ("file", "column", "names"),
    [("trulens.csv", "Answer Relevance", "app_name, app_version"), ("full_matrix.csv", "ndcg@10", "retriever, judge")],
)
def test_of_several_columns_of_names_that_of_runs_is_asked_for(any_measure, file, column, names):
    done = any_measure(file, "--column", column)
    assert done.status == 1
    assert f"has several columns that may name the runs: {names}" in done.err
    assert f"--as run={names.split(',')[0]}" in done.err


def test_the_column_of_runs_that_is_named_is_read(any_measure, tmp_path):
    assert any_measure("trulens.csv", "--column", "Answer Relevance", "--as", "run=app_version").status == 0
    board = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert dict(zip(board["run_id"], board["score"], strict=True)) == {"base": 0.9, "rerank": 0.95}


def test_a_run_that_several_judges_scored_is_refused(any_measure):
    done = any_measure("full_matrix.csv", "--column", "ndcg@10", "--as", "run=retriever")
    assert (done.status, "second line for" in done.err) == (1, True)


@pytest.fixture
def decimal_labels(of_report):
    return of_report("t4/decimal-labels")


def test_labels_keep_their_decimals_and_judgments_are_whole_numbers(decimal_labels):
    done = decimal_labels("labels", "geval.jsonl", "--grader", "geval")
    assert (done.status, "16 labels have decimals, which are kept" in done.out) == (0, True)
    done = decimal_labels("qrels", "geval.jsonl")
    assert done.status == 1
    assert "geval.jsonl:1: relevance 0.71 is not a whole number" in done.err
    assert "(rounded, 0.71 is 1 and 1.19 is 1)" in " ".join(done.err.split())
    assert "import run" not in done.err


def test_beside_a_run_they_are_asked_about_and_no_system(decimal_labels, tmp_path):
    done = decimal_labels("files", "geval.jsonl", "r.run")
    assert done.status != 0
    assert "may be those of a run (import run) or the labels of a judge (import labels)" in done.err
    assert not Store(tmp_path / "store").collections()


def test_the_page_asks_what_an_upload_of_them_is(shared_data):
    path = shared_data / "reports/t4/decimal-labels/geval.jsonl"
    assert kind_of_upload(Upload(path.name, path.read_bytes())) is None


def test_somebody_may_say_that_they_are_a_run(decimal_labels):
    assert "1 run, 16 ranked passages" in decimal_labels("run", "geval.jsonl").out


LIKE = "Its ids look like d1.txt, ids of judged passages like d1. Ids look alike: d1.txt and d1 differ in '.txt'"


@pytest.fixture
def board(examboard, told, shared_data, tmp_path):
    """The board of a run that a measure makes."""
    folder, store = shared_data / "reports" / "t4" / "docids-unjudged", tmp_path / "store"
    for kind, file in (("qrels", "q.qrels"), ("run", "txt.run")):
        assert examboard(store, "import", kind, folder / file, "--collection", "c").status == 0
    return lambda *options: told("leaderboard", "c", *options, store=store)


def test_all_that_was_returned_is_unjudged_and_places_that_were_not_filled_are_counted_apart(board):
    counted = {"pairs": 15, "unreadable": 0, "slots_missing": 0, "slots_empty": 45, "share_at_depth": 1}
    assert board()["ungraded"] == counted
    assert board("--measure", "Judged@10")["rows"][0]["mean"] == 0


def test_the_board_repeats_what_the_import_said_of_ids_that_look_alike(board):
    (said,) = [note for note in board()["notes"] if note.startswith("None of the 15 passages of s is judged")]
    assert LIKE in said


@pytest.mark.usefixtures("board")
def test_the_board_says_the_share_of_filled_ranks_in_words(examboard, tmp_path):
    assert (
        "Unjudged: 100.0% of the filled ranks (15 unjudged passages); 45 more ranks were not filled\n"
    ) in examboard(tmp_path / "store", "leaderboard", "c").out


@pytest.fixture
def dragun(of_report):
    return of_report("t4/dragun")


def test_a_response_keeps_its_citations(dragun):
    assert "1 run, 2 responses, 2 passages, 23 citations" in dragun("responses", "report_run.jsonl").out


def test_assessments_of_responses_are_grades_of_rubric_answers(dragun):
    said = dragun("files", "auto_report_assessments.csv").out
    assert "1 run, 3 queries, 3 answers, 40 questions, 40 grades" in said
    assert "none is 0, partial is 1, supports is 2." in said


def test_the_questions_of_a_run_are_a_bank(dragun):
    assert "2 queries, 20 questions" in dragun("bank", "task1_run.tsv", "--bank", "t1").out


@pytest.mark.parametrize("kind", ["workbench", "labels --grader auto"])
def test_assessments_lead_to_their_own_import(dragun, kind):
    kind, *options = kind.split()
    done = dragun(kind, "auto_report_assessments.csv", *options)
    assert (done.status, "It looks like assessments of responses; import it with: " in done.err) == (1, True)


@pytest.fixture
def json_oddities(of_report):
    return of_report("t4/json-oddities")


@pytest.mark.parametrize("kind", ["topics", "files"])
def test_indented_objects_one_below_the_other_are_as_many_queries(json_oddities, kind, tmp_path):
    assert json_oddities(kind, "concat.json").status == 0
    queries = Store(tmp_path / "store").snapshot("c").frame("queries")
    assert dict(zip(queries["query_id"], queries["query_text"], strict=True)) == {"1": "bread", "2": "yeast"}


def test_half_a_character_is_refused_at_its_line_and_advised_to_no_other_kind(json_oddities):
    done = json_oddities("passages", "surrogate.jsonl", "--all")
    assert done.status == 1
    assert "surrogate.jsonl:1: not a passage: an incomplete character" in done.err
    assert "It looks like" not in done.err


@pytest.fixture
def packed(of_report):
    return of_report("t4/packed")


@pytest.mark.parametrize("kind", ["qrels", "run", "files"])
@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("qrels.pkl", "is a pickle of Python; write it as CSV or JSON lines"),
        ("runs.tar.gz", "is an archive; unpack it and name its folder"),
    ],
)
def test_what_holds_no_text_is_named_as_what_it_is(packed, file, kind, says):
    done = packed(kind, file)
    assert (done.status, f"{file}: {says}" in done.err) == (1, True)


@pytest.mark.parametrize("kind", ["qrels", "files"])
def test_parquet_is_read(packed, kind):
    assert "judgments" in packed(kind, "qrels.parquet").out


@pytest.mark.parametrize("kind", ["run", "files"])
def test_bz2_is_read(packed, kind):
    assert "1 run, 6 ranked passages" in packed(kind, "run.txt.bz2").out


@pytest.mark.parametrize(
    ("file", "options", "scores"),
    [
        ("deepeval.json", ["--run", "mine"], [("mine", 0.8)]),
        ("lmeval.json", [], [("hf", 0.52)]),
        ("ragas.csv", ["--run", "mine", "--column", "faithfulness"], [("mine", 0.9)]),
        ("inspect_samples.csv", [], [("openai/gpt-4o", 0.5), ("vllm/qwen", 0.5)]),
    ],
)
def test_scores_are_a_board(of_report, tmp_path, file, options, scores):
    assert of_report("t4/rag-tools")("leaderboard", file, "--name", "x", *options).status == 0
    rows = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert list(zip(rows["run_id"], rows["score"], strict=True)) == scores


def test_the_answers_of_a_batch_are_labels_and_one_that_failed_can_not_be_read(of_report, tmp_path):
    bring = of_report("t4/rag-tools")
    assert "2 queries, 4 labels" in bring("labels", "batch_output.jsonl", "--grader", "b").out
    grades = Store(tmp_path / "store").snapshot("c").frame("grades")
    assert sorted(zip(grades["query_id"], grades["doc_id"], strict=True))[0] == ("q1", "d1")


@pytest.fixture
def rubrics(of_report):
    return of_report("t4/rubric-graded")


def test_verdicts_are_grades_of_weighted_criteria_and_give_the_rubric_scores(rubrics, examboard, tmp_path):
    assert "2 runs, 2 queries, 4 answers, 10 questions, 20 grades" in rubrics("files", "graded.jsonl").out
    done = examboard(tmp_path / "store", "export", "values", "c", "-", "--measure", "Rubric")
    values = [json.loads(line)["value"] for line in done.out.splitlines()]
    assert values == pytest.approx([0.6, 0.2, 0.0, 0.8])


def test_a_board_in_json_has_its_means_and_its_values_by_topic(rubrics, tmp_path):
    said = rubrics("leaderboard", "rubric-results.jsonl", "--column", "mean_score", "--name", "rub").out
    assert "1 leaderboard, 3 rows, 9 values" in said
    snapshot = Store(tmp_path / "store").snapshot("c")
    assert snapshot.frame("leaderboards").set_index("run_id")["score"].to_dict() == {"v0": 0.4, "v1": 0.5, "v2": 0.4}
    values = snapshot.frame("scores")
    assert values[values["run_id"] == "v1"].set_index("query_id")["value"].to_dict() == {
        "t0": 0.7,
        "t1": 0.6,
        "t2": 0.2,
    }


FORMS = {
    "legal.probs": "query_id 0 doc_id relevance probability",
    "sampleval.qrels": "query_id 0 doc_id stratum relevance",
    "mq.prels": "query_id doc_id relevance method probability",
    "sampled.qrels": "query_id 0 doc_id relevance probability stratum",
}


@pytest.mark.parametrize("kind", ["qrels", "labels", "run", "files"])
@pytest.mark.parametrize("file", FORMS)
def test_judgments_of_a_sample_are_named_as_such(of_report, tmp_path, file, kind):
    done = of_report("t4/sampled-qrels")(kind, file, *(["--grader", "g"] if kind == "labels" else []))
    assert done.status == 1
    assert f"judgments of a sample ({FORMS[file]}), which are not read" in done.err
    assert "It looks like" not in done.err
    assert not Store(tmp_path / "store").collections()


NONE = "None of its queries is a query of the collection"


@pytest.fixture
def two_judgments(examboard, shared_data, tmp_path):
    """Import a file of the folder."""
    folder = shared_data / "reports" / "t4" / "two-judgments"

    def run(kind, file, *options):
        return examboard(tmp_path / "store", "import", kind, folder / file, "--collection", "w", *options)

    assert run("run", "a.run").status == 0
    assert NONE in run("qrels", "o.qrels", "--name", "other").out
    return run


@pytest.mark.parametrize(("kind", "option"), [("qrels", "--name"), ("labels", "--grader")], ids=["judgments", "labels"])
def test_nothing_is_said_of_what_has_the_queries_of_the_runs(two_judgments, kind, option):
    done = two_judgments(kind, "right.qrels", option, "right")
    assert (done.status, NONE in done.out) == (0, False)


def test_topics_with_the_queries_of_the_runs_are_read(two_judgments, tmp_path):
    (tmp_path / "t.tsv").write_text("q1\tsour dough\nq2\trye\n", "utf-8")
    done = two_judgments("topics", tmp_path / "t.tsv")
    assert (done.status, "2 queries" in done.out) == (0, True)


@pytest.fixture
def umbrela(of_report):
    return of_report("t4/umbrela-labels")


@pytest.fixture
def grades(tmp_path):
    return lambda: Store(tmp_path / "store").snapshot("c").frame("grades")


@pytest.mark.parametrize("beside", [True, False], ids=["beside a run", "in a new collection"])
def test_qidx_and_docidx_are_the_ids_beside_texts(umbrela, grades, beside):
    if beside:
        umbrela("run", "a.run")
    assert "2 queries, 16 labels" in umbrela("labels", "llmjudge.jsonl", "--grader", "g1").out
    assert set(grades()["query_id"]) == {"q1", "q2"}
    assert set(grades()["doc_id"]) == {f"p{number}" for number in range(1, 9)}


@pytest.mark.parametrize("kind", ["labels", "qrels", "run", "files"])
def test_texts_are_taken_for_no_ids(umbrela, tmp_path, kind):
    done = umbrela(kind, "umbrela.jsonl", *(["--grader", "g2"] if kind == "labels" else []))
    assert done.status == 1
    assert "umbrela.jsonl:1: texts in query and passage, where ids of queries and passages belong" in done.err
    assert "It has: model, query, passage, prompt, prediction, judgment, result_status" in done.err
    assert "It looks like" not in done.err
    assert not Store(tmp_path / "store").collections()


def test_a_label_that_umbrela_filled_in_is_unreadable(umbrela, grades):
    umbrela("run", "a.run")
    assert "1 could not be read (result_status=0 1)" in umbrela("labels", "umbrela_ids.jsonl", "--grader", "g3").out
    found = grades()
    assert len(found) == 16
    assert found.loc[found["grade"].isna(), ["query_id", "doc_id"]].to_numpy().tolist() == [["q1", "p4"]]


def test_filled_in_labels_are_no_judgments(umbrela):
    done = umbrela("qrels", "umbrela_ids.jsonl")
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
