"""Files in the forms that people report: what each should bring.

The form of a file that a later version is to read is marked: its test has to fail until then. The files lie beside the
project, in `reports` of the shared data; their README says who has them.
"""

import json
import re
import shlex
from collections import deque
from collections.abc import Iterator

import pytest
from thoroughly import thoroughly

from exam_core.errors import ExamboardError
from exam_core.formats.registry import known_kinds, reader
from exam_core.formats.sniffing import guess_kind, naming_the_kind
from exam_core.store import Store
from exam_core.texts.scripts import about_tokens
from tests.wings import rows_added

HOLDS = {
    f"{folder}/{file}": kind
    for kind, folder, files in (
        ("bank", "banks", "rubrics_signed_weights.jsonl"),
        ("leaderboard", "boards", "many_columns.csv one_run.treceval pyterrier.csv run_measure_topic_value.txt"),
        ("leaderboard", "boards", "whole.eval.txt"),
        ("reviews", "labelstudio", "ls.csv min.json"),
        ("responses", "responses", "metadata_narrative_answer.jsonl metadata_responses_documents.jsonl"),
        ("responses", "responses", "metadata_responses_scores.jsonl request_sentences.jsonl"),
        ("run", "runs", "bm25.txt dist.run dj1.run dj2.run doc_blank.run rm3.txt tag_a.run tag_b.run zeros.run"),
        ("qrels", "runs", "dist.qrels labels_with_errors.qrels zeros.qrels"),
        ("answers", "tables", "ans_semi.csv"),
        ("bank", "tables", "bank_semi.csv bank_tab.tsv"),
        ("ranks", "tables", "ranks_semi.csv"),
        ("leaderboard", "tables", "semi.csv"),
        ("responses", "texts", "long_no_blanks.jsonl nfd_responses.jsonl resp.jsonl"),
        ("bank", "texts", "nfd_nuggets.jsonl nuggets.jsonl"),
        ("qrels", "topics", "beir.tsv"),
        ("passages", "topics", "corpus.jsonl"),
        ("topics", "topics", "beir_queries.jsonl header.tsv queries.jsonl report_requests.jsonl topics.csv"),
        ("topics", "topics", "topics_array.json trec.topics"),
    )
    for file in files.split()
}
NAMED = {
    "qrels": {"qrels_id": "official"},
    "labels": {"grader_id": "mine"},
    "bank": {"bank_id": "mine"},
    "leaderboard": {"leaderboard_id": "mine"},
}
WANTED = {
    "bank": ("--bank", "b"),
    "leaderboard": ("--name", "n"),
    "labels": ("--grader", "g"),
    "responses": (),
    "reviews": ("--reviewer", "r"),
}
later = pytest.mark.xfail(reason="a later version reads this form", strict=True)


@pytest.fixture
def reports(shared_data):
    return shared_data / "reports"


@pytest.fixture
def bring(examboard, tmp_path, reports):
    """`bring(kind, file, ...)`: import files of the reports into collection `c`."""

    def run(kind, *given):
        places = [reports / one if "/" in one else one for one in given]
        return examboard(tmp_path / "store", "import", kind, *places, "--collection", "c")

    return run


def test_every_file_of_the_reports_is_known_here(reports):
    there = {str(path.relative_to(reports)) for path in reports.glob("*/*") if path.is_file()}
    assert there == set(HOLDS)


@pytest.mark.parametrize("file", HOLDS)
def test_no_guess_takes_a_file_for_what_it_is_not(reports, file):
    assert guess_kind(reports / file) in (HOLDS[file], None)


def advice(kind, path):
    """The command that the refusal of a file names, if it is refused, without its first word."""
    try:
        with naming_the_kind(kind, path, "c"):
            read = reader(kind, path)(path, **NAMED.get(kind, {}))
            deque(read if isinstance(read, Iterator) else (), maxlen=0)
    except ExamboardError as error:
        return re.findall(r"examboard (import .*)", str(error))
    return []


@pytest.mark.parametrize("step", [4, *thoroughly(1)])
def test_no_advice_leads_to_a_command_that_refuses(examboard, tmp_path, reports, step):
    files = sorted(path for path in reports.glob("*/*") if path.is_file())
    files += sorted(path for path in reports.glob("t4/*/*") if path.name != "expected.txt")
    files, kinds = files[::step], ("run", "labels", "topics", "leaderboard", "workbench")[-2 if step > 1 else 0 :]
    advised = {command: path for path in files for kind in kinds for command in advice(kind, path)}
    refused = []
    for number, (command, path) in enumerate(advised.items()):
        said = examboard(tmp_path / str(number), *shlex.split(command)).err
        is_of_its_form = said.startswith(f"{path}:") and "reviews need the collection" not in said
        refused += [said] if is_of_its_form and "Choose one with --column" not in said else []
        assert HOLDS.get(str(path.relative_to(reports)), command.split()[1]) == command.split()[1]
    assert len(advised) > len(HOLDS) / step / 2
    assert refused == []


@pytest.mark.parametrize(
    ("file", "kind", "brings"),
    [
        ("topics/header.tsv", "topics", "2 queries"),
        ("topics/topics.csv", "topics", "2 queries"),
        ("topics/topics_array.json", "topics", "2 queries"),
        ("topics/queries.jsonl", "topics", "2 queries"),
        ("topics/beir_queries.jsonl", "topics", "2 queries"),
        ("topics/report_requests.jsonl", "topics", "1 query"),
        ("topics/trec.topics", "topics", "1 query"),
        ("topics/beir.tsv", "qrels", "2 judgments"),
        ("topics/corpus.jsonl", "passages", "2 passages"),
        ("runs/labels_with_errors.qrels", "labels", "4 labels"),
        ("boards/whole.eval.txt", "leaderboard", "1 leaderboard, 2 rows, 4 values"),
        ("boards/run_measure_topic_value.txt", "leaderboard", "1 leaderboard, 2 rows, 4 values"),
        ("boards/many_columns.csv --column nDCG@10", "leaderboard", "1 leaderboard, 2 rows"),
        ("boards/pyterrier.csv --column map", "leaderboard", "1 leaderboard"),
        ("boards/one_run.treceval --column map", "leaderboard", "1 leaderboard, 1 row, 2 values"),
        ("tables/semi.csv", "leaderboard", "3 rows"),
        ("tables/bank_semi.csv", "bank", "2 questions"),
        ("tables/bank_tab.tsv", "bank", "1 question"),
        *rows_added("FORMS"),
    ],
)
def test_a_form_that_people_have_is_read(bring, tmp_path, file, kind, brings):
    if kind in rows_added("OF_PASSAGES"):
        (tmp_path / "a.qrels").write_text("demo-08 0 dough-11 2\n", encoding="utf-8")
        bring("qrels", str(tmp_path / "a.qrels"))
    done = bring(kind, *file.split(), *WANTED.get(kind, ()))
    assert done.status == 0
    assert brings in done.out


@pytest.mark.skipif("responses" not in known_kinds(), reason="no wing reads responses")
def test_a_rubric_is_graded_and_what_is_to_be_avoided_takes_away(examboard, told, tmp_path, bring):
    bring("bank", "banks/rubrics_signed_weights.jsonl", "--bank", "b")
    good, bad = "The response names soda as a raising agent.", "The response recommends raw dough."
    texts = {"good": good, "both": f"{bad} {good}", "bad": bad}
    said = [{"qid": "r1", "run_id": run, "text": text} for run, text in texts.items()]
    (tmp_path / "r.json").write_text(json.dumps(said), "utf-8")
    examboard(tmp_path / "store", "import", "responses", tmp_path / "r.json", "--collection", "c")
    examboard(tmp_path / "store", "grade", "c", "--grader", "lexical", "--bank", "b")

    def board(measure):
        found = told("leaderboard", "c", "--measure", measure, "--tau", "4", store=tmp_path / "store")
        return {row["run_id"]: row["mean"] for row in found["rows"]}, found["notes"]

    # Weights of 5 and -4.
    assert board("Rubric")[0] == {"good": 1, "both": pytest.approx(1 / 5), "bad": -4 / 5}
    means, notes = board("wCover@20")
    assert means == {"good": 1, "both": 1, "bad": 0}
    assert "Questions to avoid, which count in Rubric alone: 1." in notes


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (["runs/dj1.run", "runs/dj2.run"], "--name-from file"),
        (["runs/tag_a.run", "runs/tag_b.run"], "--name-from file"),
        (["runs/doc_blank.run"], "a blank inside an id has shifted"),
    ],
    ids=["two lists of one query", "tags with blanks", "an id with a blank"],
)
def test_runs_that_would_become_others_are_refused(bring, files, says):
    done = bring("run", *files)
    assert done.status == 1
    assert says in done.err


def test_runs_of_one_tag_are_both_kept_or_the_loss_is_named(bring):
    bring("run", "runs/bm25.txt")
    refused = bring("run", "runs/rm3.txt")
    assert refused.status != 0
    assert "Anserini" in refused.err
    assert bring("run", "runs/bm25.txt", "runs/rm3.txt", "--name-from", "file").status == 0
    assert bring("run", "runs/rm3.txt", "--replace").status == 0


def test_a_run_of_other_ids_says_so_when_it_comes_and_has_no_value(examboard, told, tmp_path, bring):
    bring("qrels", "runs/zeros.qrels")
    assert "Ids look alike: 001 and 1 differ in zeros in front." in bring("run", "runs/zeros.run").out
    asked = ("leaderboard", "c", "--judgments", "official", "--measure", "nDCG@10")
    found = told(*asked, store=tmp_path / "store")
    assert [found["rows"][0][name] for name in ("mean", "rank", "normalised")] == [None] * 3
    assert set(found["ungraded"].values()) == {None}
    said = examboard(tmp_path / "store", *asked).out
    assert "Unjudged: not known, since no run returned anything for the queries of this leaderboard" in said
    assert "r has no value: none of its queries is one of the 2 judged queries" in said


def test_ranks_that_contradict_scores_are_said_when_they_come_and_on_boards(examboard, tmp_path, bring):
    bring("qrels", "runs/dist.qrels")
    assert "Ranks contradict scores in 1 of 1 rankings" in bring("run", "runs/dist.run").out
    done = examboard(tmp_path / "store", "leaderboard", "c", "--judgments", "official", "--measure", "nDCG@10")
    assert "Ranks contradict scores in dist (1 of 1 queries)" in done.out


@pytest.mark.skipif("responses" not in known_kinds(), reason="no wing reads responses")
def test_long_answers_in_scripts_without_blanks_are_cut_at_their_sentences(tmp_path, bring):
    assert "17 passages of 3 responses" in bring("responses", "texts/long_no_blanks.jsonl").out
    texts = Store(tmp_path / "store").snapshot("c").frame("passages")["passage_text"]
    assert texts.map(lambda text: about_tokens(text, 4 / 3)).max() < 420
    assert set(texts.str[-1]) <= set("。।.۔؟")
