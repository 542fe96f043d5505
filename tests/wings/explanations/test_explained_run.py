"""A run that is explained on the command line, in JSON and in sentences, and in a notebook."""

from tests.notebook.conftest import demo as demo

OPEN = ("demo", "--bank", "open", "--tau", "3")


def test_a_run_is_explained_by_queries_questions_and_passages(told):
    found = told("outliers", *OPEN, "--run", "any-word")
    assert found["explained"]["run_id"] == "any-word"
    assert (len(found["explained"]["neighbours"]), len(found["queries"])) == (4, 8)
    question = "query_id question_id question_text answered neighbours_answering"
    assert set(found["questions"][0]) == set(question.split())
    assert set(found["passages"][0]) >= {"doc_id", "rank", "grade", "relevance", "judged_not_relevant", "text"}
    assert all(row["question_text"] for row in found["questions"])


def test_a_run_is_explained_by_the_method_that_displaces_it_most(told):
    found = told("outliers", *OPEN, "--measures", "P@20,Cover@20", "--run", "any-word")
    (first, *_) = [row["method"] for row in found["rows"] if row["run_id"] == "any-word"]
    assert found["explained"]["method"] == first


def test_nothing_explains_a_printed_run(told):
    found = told("outliers", "car-y3-published", "--run", "ICT-DRMMTKS")
    assert (found["queries"], found["questions"], found["passages"]) == ([], [], [])
    assert any("the rank of ICT-DRMMTKS can't be explained" in note for note in found["notes"])


def test_the_figure_of_an_explained_run_is_about_its_queries(demo):
    figure = demo.outliers(bank="open", run="any-word", draws=20).figure()
    assert figure.layout.meta["description"].startswith("any-word is ahead of its neighbours on")
