"""What annotation tools export."""


def test_workers_are_reviewers_each_with_their_own_reviews(examboard, shared_data, tmp_path):
    folder, store = shared_data / "reports" / "t4" / "annotation-tools", tmp_path / "store"
    examboard(store, "import", "qrels", folder / "q.qrels", "--collection", "c")
    done = examboard(store, "import", "reviews", folder / "mturk_plain.csv", "--collection", "c", "--reviewer", "me")
    assert (done.status, "3 reviewers, 18 reviews" in done.out) == (0, True)
