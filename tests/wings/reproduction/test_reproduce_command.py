"""`examboard reproduce`."""

import json

from exam_core.store import Store
from exam_core.wings.reproduction.reproduction import reproduction


def test_the_figures_are_those_of_the_analysis(demo_store, examboard):
    done = examboard(demo_store, "reproduce", "dl20-published", "--format", "json")
    found = reproduction(Store(demo_store).snapshot("dl20-published"))
    answer = json.loads(done.out)
    assert [row["ours"] for row in answer["rows"]] == found.rows["ours"].tolist()
    assert (answer["figures"], answer["equal"]) == (len(found.rows), found.counts["equal"])
    printed = {row["figure"]: row["printed"] for row in answer["rows"]}
    assert printed["genq Cover@20 tau=4 with the official ranks: Kendall"] == "0.70", "digits as they are printed"


def test_a_table_ends_with_the_reasons_and_the_sentence(demo_store, examboard):
    done = examboard(demo_store, "reproduce", "dl19-published")
    found = reproduction(Store(demo_store).snapshot("dl19-published"))
    assert done.out.rstrip().endswith(found.sentence)
    assert all(f"[{number}] {reason}" in done.out for number, (reason, _) in enumerate(found.reasons, 1))


def test_a_collection_of_nobody_says_where_to_go(demo_store, examboard):
    done = examboard(demo_store, "reproduce", "demo")
    assert (done.status, "choose one of the published collections" in done.out) == (0, True)
