"""Every measure that trec_eval has, against the outputs that trec_eval's authors ship with it.

The files go through the readers and a store, as a user's files do; the expected figures have four decimals.
COMMANDS.txt beside them says which command printed which file.
"""

import re
from dataclasses import dataclass

import ir_measures
import numpy as np
import pytest

from exam_core.actions import importing, importing_runs
from exam_core.analysis.choosing import choose
from exam_core.analysis.values import all_values, gradebook
from exam_core.measures import Measure
from exam_core.request import Request
from exam_core.store import Store

from .slow import TWINS

OURS = {theirs: name for name, twin in TWINS.items() for theirs in twin.trec_eval}
"""trec_eval's names without the number of passages."""
ALL_QUERIES = "all"


@dataclass(frozen=True)
class Golden:
    """A command of trec_eval: its qrels, its run, the file that it printed, and our options for the same."""

    qrels: str
    run: str
    output: str
    relevant_from: int = 1
    depth: int | None = None
    label_map: str | None = None


GOLDEN = {
    "official measures": Golden("qrels.test", "results.test", "out.test"),
    "comments in the qrels": Golden("qrels.test.with-comments", "results.test", "out.test"),
    "a # in document ids": Golden("qrels.comment.test", "results.comment.test.gz", "out.comment.test"),
    "means": Golden("qrels.test", "results.test", "out.test.a"),
    "queries": Golden("qrels.test", "results.test", "out.test.aq"),
    "a query without results counts 0": Golden("qrels.test", "results.trunc", "out.test.aqc"),
    "100 passages of each": Golden("qrels.test", "results.trunc", "out.test.aqcM", depth=100),
    "relevant from 2": Golden("qrels.rel_level", "results.test", "out.test.aql", relevant_from=2),
    "other numbers of passages": Golden("qrels.test", "results.test", "out.test.meas_params"),
}
# trec_eval -m ndcg.1=3,2=9,4=4.5: a gain of 4.5 is no label, but qrels.test has no 4.
OTHER_GAINS = Golden("qrels.test", "results.test", "out.test.meas_params", label_map="1=3,2=9")
GAINS_PRINTED = "ndcg_1=3,2=9,4=4.5"


def printed(path):
    """The figures of an output as {(trec_eval's name, query): text}."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {(name, query): text for name, query, text in rows}


def spelling(name):
    known = re.fullmatch(r"(\w+?)(?:_(\d+))?", name)
    if not known or known[1] not in OURS:
        return None
    return f"{OURS[known[1]]}@{known[2]}" if known[2] else OURS[known[1]]


@pytest.fixture(scope="module")
def snapshot_of(shared_data, tmp_path_factory):
    """Snapshots of a collection with one run and one set of judgments, each imported once."""
    folder, made = shared_data / "data/trec_eval", {}

    def of(golden):
        key = (golden.qrels, golden.run)
        if key not in made:
            store = Store(tmp_path_factory.mktemp("trec_eval"))
            importing.import_qrels(store, "golden", folder / golden.qrels)
            importing_runs.import_run(store, "golden", folder / golden.run)
            made[key] = store.snapshot("golden")
        return made[key]

    return of


def evaluated(snapshot, golden, measures):
    """{(measure, query or all): value} of the only run; `all` is the mean over all judged queries."""
    choice = choose(
        snapshot,
        Request(
            measure="Rprec",
            judgments="official",
            relevant_from=golden.relevant_from,
            depth=golden.depth,
            label_map=golden.label_map,
        ),
    )
    values = all_values(snapshot, choice, measures)[:, 0, 0]
    queries = [*gradebook(snapshot, choice.labelling).query_ids, ALL_QUERIES]
    rows = np.column_stack([values, values.mean(axis=1)]).tolist()
    return {
        (str(measure), query): value
        for measure, row in zip(measures, rows, strict=True)
        for query, value in zip(queries, row, strict=True)
    }


def test_the_golden_files_have_every_measure_that_we_share(shared_data):
    names = {name for golden in GOLDEN.values() for name, _ in printed(shared_data / "data/trec_eval" / golden.output)}
    assert {spelling(name).partition("@")[0] for name in names if spelling(name)} == set(OURS.values())


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_every_figure_is_the_one_that_trec_eval_prints(shared_data, snapshot_of, golden):
    expected = {
        (spelling(name), query): text
        for (name, query), text in printed(shared_data / "data/trec_eval" / golden.output).items()
        if spelling(name) and (golden.depth or 10**6) >= (Measure.parse(spelling(name)).depth or 0)
    }
    measures = [Measure.parse(text) for text in dict.fromkeys(name for name, _ in expected)]
    actual = evaluated(snapshot_of(golden), golden, measures)
    assert {key: f"{actual[key]:.4f}" for key in expected} == expected


def test_mapped_labels_are_other_gains(shared_data, snapshot_of):
    output = printed(shared_data / "data/trec_eval" / OTHER_GAINS.output)
    expected = {("nDCG", query): text for (name, query), text in output.items() if name == GAINS_PRINTED}
    actual = evaluated(snapshot_of(OTHER_GAINS), OTHER_GAINS, [Measure("nDCG")])
    assert {key: f"{value:.4f}" for key, value in actual.items()} == expected


def test_a_judgment_below_0_is_a_judgment_as_in_ir_measures(shared_data, snapshot_of):
    # Half of the first places of query 303 are judged -1 or -2: to trec_eval's unj_k these are unjudged.
    golden, folder = GOLDEN["relevant from 2"], shared_data / "data/trec_eval"
    qrels = ir_measures.read_trec_qrels(str(folder / golden.qrels))
    run = ir_measures.read_trec_run(str(folder / golden.run))
    wanted = [ir_measures.Judged @ k for k in (5, 10, 20)]
    expected = {(str(one.measure), one.query_id): one.value for one in ir_measures.iter_calc(wanted, qrels, run)}
    actual = evaluated(snapshot_of(golden), golden, [Measure("Judged", k) for k in (5, 10, 20)])
    assert {key: actual[key] for key in expected} == pytest.approx(expected)
    assert printed(folder / golden.output)["unj_20", "303"] == "0.5000"
    assert expected["Judged@20", "303"] == 1
