"""How often a 95% interval holds the truth: samples of queries from collections and boards whose truth is known."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.boards import SHAPES, Board, Shape, board
from benchmarks.held import Held, of_correlation, of_halves, summary
from benchmarks.simulation.collection import simulate
from benchmarks.simulation.settings import Settings
from exam_core.analysis.agreement import contingency
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import choose, leave_out
from exam_core.analysis.references import Paired, find_reference, pair_with
from exam_core.analysis.values import counted_values
from exam_core.numbers.annotator_agreement import binary_counts, cohen_kappa
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.kappa_intervals import kappa_interval
from exam_core.numbers.resampling import mean_interval
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Snapshot, Store
from exam_core.tables import OFFICIAL

SIZES = (43, 131, 721)
"""Queries of TREC DL 2019, pages and subtopics of CAR Y3."""
MEASURES = ("Cover@20", "P@20")
REFERENCES = (OFFICIAL, "qrels:nDCG@20")
REAL = "qrels:nDCG@10"
TAU, RELEVANT_FROM = 4, 2
RUNS = (22, 40)
"""Runs of a simulated collection, by turns."""

HALVED = 25
"""Boards of families of which one half has to say what the other shows: how far one sample of queries, as DL19 is one,
may be from the mean of many."""
HALF = "half of it and the other"

FIRST_SEED = 460_000
"""Seeds of collections, boards and samples begin here; what was chosen by simulation was chosen on smaller ones."""


def benchmark(
    collections: int = 12,
    samples: int = 20,
    real: Snapshot | None = None,
    without: Sequence[str] = (),
    *,
    seed: int = FIRST_SEED,
    each: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] = map,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Share of samples whose 95% interval holds what the whole population has.

    Populations are simulated collections, each with runs of its own; boards of kinds that are hard on a model
    (`SHAPES`), every one drawn anew; and a real collection, whose queries are taken for the whole population. Half of
    the real collection, and of each of `HALVED` boards of families, has to say what the other half shows.

    Parameters
    ----------
    collections : simulated ones
    samples : of each size from each collection, drawn with replacement; of the boards and of the real collection
        ten times as many; of the halves of a board as many
    real : with official ranks and judgments, and grades up to 5
    without : runs of it; beside judgments it is also looked at without them
    seed : the first; every collection and every kind of board has its own
    each : does something with each part of the work, and gives what comes of them in their order; `imap` of a pool
        of processes does several at once

    Returns
    -------
    settings, and `rows` with population, statistic, measure, reference, runs, queries,
    what `summary` says of the intervals, and of the bootstrap's where there is one
    """
    simulated = each(partial(_of_collection, samples=samples, seed=seed), range(collections))
    boards = each(partial(_of_shape, samples=samples, seed=seed), list(enumerate(SHAPES)))
    real_rows = []
    if real is not None:
        real_rows += _of_real(real, (OFFICIAL, REAL), (), samples * 10, seed)
        if without:
            real_rows += _of_real(real, (REAL,), without, samples * 10, seed)
    parts, done = collections + len(SHAPES), 0
    found: dict[tuple[Any, ...], list[Held]] = {}
    for collection in simulated:
        for key, held in collection:
            found.setdefault(key, []).append(held)
        progress((done := done + 1) / parts)
    names = ("statistic", "measure", "reference", "queries")
    rows = [
        {"population": "simulated", **dict(zip(names, key, strict=True)), **summary(held)}
        for key, held in found.items()
    ]
    for shape_rows in boards:
        rows += shape_rows
        progress((done := done + 1) / parts)
    settings = {"collections": collections, "samples": samples, "real": real.collection if real else None, "seed": seed}
    return {**settings, "rows": rows + real_rows}


def _of_collection(number: int, samples: int, seed: int) -> list[tuple[tuple[Any, ...], Held]]:
    """Of each statistic and size of samples of one simulated collection: how its intervals held."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        simulate(store, "population", Settings(runs=RUNS[number % len(RUNS)], seed=seed + number, texts=False))
        snapshot = store.snapshot("population")
        rng = np.random.default_rng(seed + number)
        drawn = [rng.integers(0, Settings().queries, (samples, size)) for size in SIZES]
        return [((*key, one.shape[1]), held) for one in drawn for key, held in _of_snapshot(snapshot, one)]


def _of_shape(numbered: tuple[int, Shape], samples: int, seed: int) -> list[dict[str, Any]]:
    """Rows of one kind of board, and of halves of its boards."""
    step, shape = numbered
    rows = _of_boards(shape, samples * 10, seed + step)
    if shape.families and shape.queries == SIZES[0]:
        rows += _of_halves(shape, samples, seed + step)
    return rows


def _of_snapshot(snapshot: Snapshot, drawn: Ints) -> Iterator[tuple[tuple[Any, ...], Held]]:
    """Of each statistic of a collection, by its name, measure and reference: how its intervals held."""
    for measure in MEASURES:
        choice = choose(snapshot, Request(measure=measure, tau=TAU))
        values = counted_values(snapshot, choice).values
        truth = values.mean(axis=1)
        ends = [mean_interval(values[:, sample]) for sample in drawn]
        low, high = (np.array([pair[end] for pair in ends]) for end in (0, 1))
        yield ("mean", measure, None), Held(low, high, np.broadcast_to(truth, low.shape))
        for name in REFERENCES:
            for statistic, held in _of_pair(pair_of(snapshot, choice, name), drawn).items():
                yield (statistic, measure, name), held
    yield ("kappa", None, OFFICIAL), _kappa(snapshot, choice, drawn)


def _of_real(
    snapshot: Snapshot, references: Sequence[str], without: Sequence[str], samples: int, seed: int
) -> list[dict[str, Any]]:
    rows = []
    title = f"{snapshot.collection} without {', '.join(without)}" if without else snapshot.collection
    snapshot = leave_out(snapshot, without)
    for measure, name in product(MEASURES, references):
        both = pair_of(snapshot, choose(snapshot, Request(measure=measure, tau=TAU)), name)
        queries = len(both.query_ids)
        drawn = np.random.default_rng(seed).integers(0, queries, (samples, queries))
        head = {"population": title, "measure": measure, "reference": name, "queries": queries}
        rows += [head | {"statistic": one} | summary([held]) for one, held in _of_pair(both, drawn).items()]
        halves = of_halves(both.values, both.drawn_along, samples, np.random.default_rng(seed))
        head |= {"population": f"{title}, {HALF}", "queries": queries // 2}
        rows += [head | {"statistic": one} | summary([held]) for one, held in halves.items()]
    return rows


def _of_boards(shape: Shape, samples: int, seed: int) -> list[dict[str, Any]]:
    """Rows of one kind of board, beside ranks that are fixed and beside a measure of the same queries."""

    def held(made: Board, theirs: Floats, truth: Floats) -> dict[str, Held]:
        return of_correlation(made.values[None], [theirs], made.truth, truth)

    head = {"population": shape.name, "runs": shape.runs, "queries": shape.queries}
    return [head | row | summary(found, fresh=True) for row, found in _by_reference(shape, samples, seed, held)]


def _of_halves(shape: Shape, splits: int, seed: int) -> list[dict[str, Any]]:
    """Rows of one kind of board, of which half says what the other half shows: each board is a population."""
    splitting = np.random.default_rng(seed)

    def held(made: Board, theirs: Floats, _: Floats) -> dict[str, Held]:
        return of_halves(made.values, theirs, splits, splitting)

    head = {"population": f"{shape.name}, {HALF}", "runs": shape.runs, "queries": shape.queries // 2}
    return [head | row | summary(found) for row, found in _by_reference(shape, HALVED, seed, held)]


def _by_reference(
    shape: Shape, boards: int, seed: int, held: Callable[[Board, Floats, Floats], dict[str, Held]]
) -> Iterator[tuple[dict[str, Any], list[Held]]]:
    """Of each statistic beside each reference: what was held of so many boards drawn anew.

    A list is fixed as it is where it says the truth, and also where it was made over the same queries: it shares their
    noise then, and an interval is of the correlation with that list.
    """
    for reference in ("fixed", "measure", "list of the same queries"):
        rng = np.random.default_rng(seed)
        found: dict[str, list[Held]] = {}
        for _ in range(boards):
            made = board(shape, rng)
            listed = made.others.mean(axis=1)
            theirs, truth = {
                "fixed": (made.other_truth, made.other_truth),
                "measure": (made.others, made.other_truth),
            }.get(reference, (listed, listed))
            for name, one in held(made, theirs, truth).items():
                found.setdefault(name, []).append(one)
        for name, several in found.items():
            yield {"statistic": name, "measure": None, "reference": reference}, several


def pair_of(snapshot: Snapshot, choice: Evaluation, name: str) -> Paired:
    reference = find_reference(snapshot, name, choice)
    assert reference is not None
    return pair_with(counted_values(snapshot, choice), reference)


def _of_pair(both: Paired, drawn: Ints) -> dict[str, Held]:
    """Of samples of a collection's queries, against the whole collection."""
    theirs = both.drawn_along
    fixed = theirs.ndim == 1
    references = [theirs if fixed else theirs[:, sample] for sample in drawn]
    values = np.array([both.values[:, sample] for sample in drawn])
    return of_correlation(values, references, both.values.mean(axis=1), theirs if fixed else theirs.mean(axis=1))


def _kappa(snapshot: Snapshot, choice: Evaluation, drawn: Ints) -> Held:
    found = contingency(snapshot, choice.labelling, OFFICIAL)
    cut = binary_counts(found.counts, found.labels, found.relevances, np.array([TAU]), np.array([RELEVANT_FROM]))
    tables = cut[:, 0, 0]
    ends = np.array([kappa_interval(tables[sample]) for sample in drawn])
    return Held(ends[:, 0], ends[:, 1], np.full(len(drawn), cohen_kappa(tables.sum(axis=0))))
