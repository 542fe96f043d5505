"""Forms of reports of version 1.0: the files of each folder of ../shared/reports/t4/."""

from __future__ import annotations

import json
import shlex

import pytest

from exam_core.actions.uploading import Upload, outline_of_upload
from exam_core.store import Store

SAMPLED = ("legal.probs", "sampleval.qrels", "mq.prels", "sampled.qrels")
NONE = "None of its queries is a query of the collection"
TEXTS = (
    "umbrela.jsonl:1: texts in query and passage, where ids of queries and passages belong",
    "It has: model, query, passage, prompt, prediction, judgment, result_status",
)
READ = [
    ("annotation-tools", "reviews mturk_plain.csv --reviewer me", "3 reviewers, 18 reviews"),
    ("annotation-tools", "reviews mturk.csv --reviewer me", "2 reviewers, 12 reviews", "assignment_status=rejected 6"),
    ("annotation-tools", "qrels mturk.csv --name other", "2 judges, 2 queries, 12 judgments"),
    ("annotation-tools", "reviews doccano.jsonl --reviewer me", "1 reviewer, 6 reviews"),
    ("annotation-tools", "qrels doccano2.jsonl --name other", "2 queries, 6 judgments", "not relevant is 0"),
    ("annotation-tools", "reviews argilla.json --reviewer me", "1 reviewer, 4 reviews", "status=discarded 4"),
    ("annotation-tools", "qrels argilla.json --name other", "2 queries, 4 judgments"),
    ("boards-of-any-measure", "leaderboard f.csv --name x", "1 leaderboard, 2 rows"),
    ("boards-of-any-measure", "leaderboard g.csv --name x", "1 leaderboard, 2 rows"),
    ("decimal-labels", "labels geval.jsonl --grader geval", "16 labels have decimals, which are kept"),
    ("decimal-labels", "run geval.jsonl", "1 run, 16 ranked passages"),
    ("dragun", "responses report_run.jsonl", "1 run, 2 responses, 2 passages, 23 citations"),
    ("dragun", "bank task1_run.tsv --bank t1", "2 queries, 20 questions"),
    (
        *("dragun", "files auto_report_assessments.csv", "1 run, 3 queries, 3 answers, 40 questions, 40 grades"),
        "none is 0, partial is 1, supports is 2.",
    ),
    ("packed", "qrels qrels.parquet", "judgments"),
    ("packed", "files qrels.parquet", "judgments"),
    ("packed", "run run.txt.bz2", "1 run, 6 ranked passages"),
    ("packed", "files run.txt.bz2", "1 run, 6 ranked passages"),
    ("rag-tools", "labels batch_output.jsonl --grader b", "2 queries, 4 labels"),
    ("two-judgments", "qrels o.qrels --name other", NONE),
]
REFUSED = [
    ("annotation-tools", "qrels wide.csv", "several columns that may be the score: ann, bob, cem"),
    ("boards-of-any-measure", "leaderboard c.csv --name x", "that may be the score: kendall_mean, kendall_worst"),
    ("boards-of-any-measure", "leaderboard e.tsv --name x", "that may be the score: kendall_mean, kendall_worst"),
    (
        *("boards-of-any-measure", "leaderboard trulens.csv --name x --column 'Answer Relevance'"),
        *("no header with a run column", "--as run=NAME"),
    ),
    (
        *("boards-of-any-measure", "leaderboard full_matrix.csv --name x --column ndcg@10"),
        *("no header with a run column", "--as run=NAME"),
    ),
    (
        *("boards-of-any-measure", "leaderboard full_matrix.csv --name x --column ndcg@10 --as run=retriever"),
        "second line for",
    ),
    (
        *("decimal-labels", "qrels geval.jsonl", "geval.jsonl:1: the relevance 0.71 is not a whole number"),
        "import them as labels, which keeps decimals",
    ),
    (
        *("decimal-labels", "files geval.jsonl r.run"),
        "may be those of a run (import run) or the labels of a judge (import labels)",
    ),
    ("dragun", "workbench auto_report_assessments.csv", "like assessments of responses; import it with: "),
    ("dragun", "labels auto_report_assessments.csv --grader a", "like assessments of responses; import it with: "),
    ("json-oddities", "passages surrogate.jsonl --all", "surrogate.jsonl:1: not a passage: an incomplete character"),
    *(
        ("packed", f"{kind} {file}", f"{file}: {says}")
        for kind in ("qrels", "run", "files")
        for file, says in (
            ("qrels.pkl", "is a pickle of Python; write it as CSV or JSON lines"),
            ("runs.tar.gz", "is an archive; unpack it and name its folder"),
        )
    ),
    *(
        ("sampled-qrels", f"{kind} {file}", "Judgments of a sample, with strata or probabilities, are not read as such")
        for kind in ("qrels", "labels --grader g")
        for file in SAMPLED
    ),
    *(("sampled-qrels", f"run {file}", ":1: ") for file in SAMPLED),
    *(("sampled-qrels", f"files {file}") for file in SAMPLED),
    *(("umbrela-labels", f"{kind} umbrela.jsonl", *TEXTS) for kind in ("labels --grader g", "qrels", "run", "files")),
    ("umbrela-labels", "qrels umbrela_ids.jsonl", ":4: the relevance result_status=0 is not a whole number"),
]
BEFORE = {"annotation-tools": "qrels q.qrels", "two-judgments": "run a.run"}
"""What a collection has first."""
LEADS_ON = ("import it with", "import run")


def ids(cases):
    return [f"{folder}: {line}" for folder, line, *_ in cases]


@pytest.mark.parametrize(("folder", "line", "says"), [(*case[:2], case[2:]) for case in READ], ids=ids(READ))
def test_a_form_is_read_with_what_it_brings(of_report, folder, line, says):
    bring = of_report(f"t4/{folder}")
    if folder in BEFORE:
        bring(*BEFORE[folder].split())
    done = bring(*shlex.split(line))
    assert (done.status, [text for text in says if text not in done.out]) == (0, []), done


@pytest.mark.parametrize(("folder", "line", "says"), [(*case[:2], case[2:]) for case in REFUSED], ids=ids(REFUSED))
def test_what_can_not_be_read_is_refused_with_what_to_do_and_nothing_is_stored(of_report, tmp_path, folder, line, says):
    done = of_report(f"t4/{folder}")(*shlex.split(line))
    said = " ".join(done.err.split())
    assert (done.status, [text for text in says if text not in said]) == (1, []), done
    if not any(text in " ".join(says) for text in LEADS_ON):
        assert "It looks like" not in said
    assert not Store(tmp_path / "store").collections()


@pytest.mark.parametrize(
    ("folder", "line", "scores"),
    [
        ("boards-of-any-measure", "f.csv --column faithfulness", {"A": 0.3, "B": 0.2}),
        ("boards-of-any-measure", "g.csv --column win_rate", {"A": 0.3, "B": 0.2}),
        ("boards-of-any-measure", "c.csv --column kendall_mean", {"A": 0.3, "B": 0.2}),
        ("boards-of-any-measure", "e.tsv --column kendall_mean", {"A": 0.3, "B": 0.2}),
        ("boards-of-any-measure", "h.csv --column score", {"A": 0.3, "B": 0.2}),
        (
            *("boards-of-any-measure", "trulens.csv --column 'Answer Relevance' --as run=app_version"),
            {"base": 0.9, "rerank": 0.95},
        ),
        ("rag-tools", "deepeval.json --run mine", {"mine": 0.8}),
        ("rag-tools", "lmeval.json", {"hf": 0.52}),
        ("rag-tools", "ragas.csv --run mine --column faithfulness", {"mine": 0.9}),
        ("rag-tools", "inspect_samples.csv", {"openai/gpt-4o": 0.5, "vllm/qwen": 0.5}),
    ],
)
def test_scores_are_a_board(of_report, tmp_path, folder, line, scores):
    assert of_report(f"t4/{folder}")("leaderboard", *shlex.split(line), "--name", "x").status == 0
    assert Store(tmp_path / "store").snapshot("c").frame("leaderboards").set_index("run_id")["score"].to_dict() == (
        scores
    )


def test_the_page_asks_what_an_upload_of_decimals_is(shared_data):
    path = shared_data / "reports/t4/decimal-labels/geval.jsonl"
    assert outline_of_upload(Upload(path.name, path.read_bytes())).kind is None


def test_what_is_unjudged_is_counted_and_ids_that_look_alike_are_said(of_report, told, examboard, tmp_path):
    bring, store = of_report("t4/docids-unjudged"), tmp_path / "store"
    assert [bring(kind, file).status for kind, file in (("qrels", "q.qrels"), ("run", "txt.run"))] == [0, 0]
    board = told("leaderboard", "c", store=store)
    counted = {"pairs": 15, "unreadable": 0, "slots_missing": 0, "slots_empty": 45, "share_at_depth": 1}
    assert board["ungraded"] == counted
    assert told("leaderboard", "c", "--measure", "Judged@10", store=store)["rows"][0]["mean"] == 0
    (said,) = [note for note in board["notes"] if note.startswith("None of the 15 passages of s is judged")]
    assert "Its ids look like d1.txt, ids of judged passages like d1. Ids look alike: d1.txt and d1 differ in" in said
    words = "Unjudged: 100.0% of the filled ranks (15 unjudged passages); 45 more ranks were not filled\n"
    assert words in examboard(store, "leaderboard", "c").out


@pytest.mark.parametrize("kind", ["topics", "files"])
def test_indented_objects_one_below_the_other_are_as_many_queries(of_report, kind, tmp_path):
    assert of_report("t4/json-oddities")(kind, "concat.json").status == 0
    queries = Store(tmp_path / "store").snapshot("c").frame("queries")
    assert dict(zip(queries["query_id"], queries["query_text"], strict=True)) == {"1": "bread", "2": "yeast"}


def test_verdicts_are_grades_of_weighted_criteria_and_give_the_rubric_scores(of_report, examboard, tmp_path):
    bring = of_report("t4/rubric-graded")
    assert "2 runs, 2 queries, 4 answers, 10 questions, 20 grades" in bring("files", "graded.jsonl").out
    done = examboard(tmp_path / "store", "export", "values", "c", "-", "--measure", "Rubric")
    values = [json.loads(line)["value"] for line in done.out.splitlines()]
    assert values == pytest.approx([0.6, 0.2, 0.0, 0.8])
    said = bring("leaderboard", "rubric-results.jsonl", "--column", "mean_score", "--name", "rub").out
    assert "1 leaderboard, 3 rows, 9 values" in said
    snapshot = Store(tmp_path / "store").snapshot("c")
    assert snapshot.frame("leaderboards").set_index("run_id")["score"].to_dict() == {"v0": 0.4, "v1": 0.5, "v2": 0.4}
    values = snapshot.frame("scores").query("run_id == 'v1'").set_index("query_id")["value"]
    assert values.to_dict() == {"t0": 0.7, "t1": 0.6, "t2": 0.2}


@pytest.mark.parametrize(("kind", "option"), [("qrels", "--name"), ("labels", "--grader")], ids=["judgments", "labels"])
def test_nothing_is_said_of_what_has_the_queries_of_the_runs(of_report, tmp_path, kind, option):
    bring = of_report("t4/two-judgments")
    bring("run", "a.run")
    bring("qrels", "o.qrels", "--name", "other")
    done = bring(kind, "right.qrels", option, "right")
    assert (done.status, NONE in done.out) == (0, False)
    (tmp_path / "t.tsv").write_text("q1\tsour dough\nq2\trye\n", "utf-8")
    done = bring("topics", str(tmp_path / "t.tsv"))
    assert (done.status, "2 queries" in done.out) == (0, True)


@pytest.mark.parametrize("beside", [True, False], ids=["beside a run", "in a new collection"])
def test_labels_of_umbrela_have_their_ids_and_one_that_it_filled_in_is_unreadable(of_report, tmp_path, beside):
    bring = of_report("t4/umbrela-labels")
    if beside:
        bring("run", "a.run")
    assert "2 queries, 16 labels" in bring("labels", "llmjudge.jsonl", "--grader", "g1").out
    said = bring("labels", "umbrela_ids.jsonl", "--grader", "g3").out
    assert "1 could not be read (result_status=0)" in said
    found = Store(tmp_path / "store").snapshot("c").frame("grades").groupby("grader_id")
    first, filled = found.get_group("g1"), found.get_group("g3")
    assert (set(first["query_id"]), set(first["doc_id"])) == ({"q1", "q2"}, {f"p{number}" for number in range(1, 9)})
    assert len(filled) == 16
    assert filled.loc[filled["grade"].isna(), ["query_id", "doc_id"]].to_numpy().tolist() == [["q1", "p4"]]


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
    named = ["--as", asked] if asked else []
    done = examboard(tmp_path / "store", "import", "qrels", file, "--collection", "c", *named)
    assert done.status
    assert says in done.err
    if not named:
        assert "say which they are: --as query=NAME" in examboard(tmp_path / "store", "import", file).err


def test_the_same_file_with_other_columns_is_read_anew(examboard, tmp_path):
    (file := tmp_path / "a.csv").write_text("frage,text_nr,alt,neu\nq1,d1,3,5\nq1,d2,1,4\n")
    for column in ("alt", "neu"):
        named = f"query=frage,doc=text_nr,score={column}"
        done = examboard(tmp_path / "store", "import", "run", file, "--collection", "c", "--replace", "--as", named)
        assert done.status == 0
    assert sorted(Store(tmp_path / "store").snapshot("c").frame("rankings")["score"]) == [4, 5]
