"""The example of Home: what it says stands in the store."""

from exam_core.analysis.choosing import choose
from exam_core.analysis.passage_evidence import illustration
from exam_core.request import Request
from exam_core.store import Store


def grading(snapshot, **asked):
    return choose(snapshot, Request(**asked)).grading


def test_the_example_is_a_passage_that_runs_rank_first_with_the_grade_nearest_to_4(demo_store):
    snapshot = Store(demo_store).snapshot("demo")
    example = illustration(snapshot, grading(snapshot, bank="open"))
    rankings, grades = snapshot.frame("rankings"), snapshot.frame("grades")
    first = rankings[rankings["rank"] == 1]
    runs = first[(first["query_id"] == example.query_id) & (first["doc_id"] == example.doc_id)]["run_id"]
    assert sorted(runs) == list(example.runs)
    questions = snapshot.frame("questions").query("bank_id == 'open'").set_index("question_id")["question_text"]
    pairs = set(zip(first["query_id"], first["doc_id"], strict=True))
    of_first = [
        (row.grade, questions.get(row.question_id))
        for row in grades.itertuples()
        if (row.query_id, row.doc_id) in pairs
    ]
    assert (example.grade, example.question_text) in of_first
    assert min(abs(grade - 4) for grade, question in of_first if question) == abs(example.grade - 4)
    assert [example.is_answered(tau) for tau in (3, 4, 5)] == [True, True, False]
    # The best run is the one that stands highest among these runs.
    rows = snapshot.frame("leaderboards").sort_values("rank")
    assert example.best_of_runs(rows)["run_id"] == next(run for run in rows["run_id"] if run in example.runs)


def test_there_is_no_example_without_questions_or_without_texts(plain_world):
    assert illustration(plain_world, grading(plain_world, grader="labels", measure="P@20")) is None
    assert illustration(plain_world, grading(plain_world, bank="genq", grader="rater")) is None
