"""What annotation tools export."""

import pytest


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
