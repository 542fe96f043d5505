"""Judgments of other queries come first: the runs' queries are the collection's all the same."""

import pytest

NONE = "None of its queries is a query of the collection"


@pytest.fixture
def bring(examboard, shared_data, tmp_path):
    """Import a file of the folder."""
    folder = shared_data / "reports" / "t4" / "two-judgments"

    def run(kind, file, *options):
        return examboard(tmp_path / "store", "import", kind, folder / file, "--collection", "w", *options)

    assert run("run", "a.run").status == 0
    assert NONE in run("qrels", "o.qrels", "--name", "other").out
    return run


@pytest.mark.parametrize(("kind", "option"), [("qrels", "--name"), ("labels", "--grader")], ids=["judgments", "labels"])
def test_nothing_is_said_of_what_has_the_queries_of_the_runs(bring, kind, option):
    done = bring(kind, "right.qrels", option, "right")
    assert (done.status, NONE in done.out) == (0, False)


def test_topics_with_the_queries_of_the_runs_are_read(bring, tmp_path):
    (tmp_path / "t.tsv").write_text("q1\tsour dough\nq2\trye\n", "utf-8")
    done = bring("topics", tmp_path / "t.tsv")
    assert (done.status, "2 queries" in done.out) == (0, True)
