"""Small random collections with everything that is awkward in real ones, committed to a real store."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import choose
from exam_core.formats import Reading
from exam_core.formats.reading import trec_rank
from exam_core.request import Request
from exam_core.store import Snapshot, Store
from exam_core.tables import GRADES, JUDGMENTS, LEADERBOARDS, QUESTIONS, RANKINGS, TABLES, Table

DOCS = [f"{name}{number}" for number in range(12) for name in ("d", "D", "é#")]
RUNS = ("alpha", "beta", "gamma", "one query only", "1")
GRADED_QUERIES = ("q0", "q1", "q2", "switched off", "only unreadable")
UNGRADED_QUERY = "ungraded"
FACETS = ("x", "y")
BOTH_VERSIONS, MANUAL = "genq", "manual"


def table(what: Table, rows: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
    """A frame of a table from tuples; columns that they leave out are null."""
    names = what.names[: len(rows[0])]
    return what.frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def question(name: str, query: str, bank: str = "bank", version: int = 1, **others: Any) -> tuple[Any, ...]:
    """A row of the questions, which is on and weighs 1; `others` are further columns."""
    columns = {"facet_id": None, "facet_text": None, "question_text": "?", "gold_answers": None}
    return (bank, version, name, query, *(columns | {"weight": 1.0, "enabled": True} | others).values())


def ranking(run: str, query: str, docs: Iterable[str]) -> list[tuple[Any, ...]]:
    """The rows of a ranking, the best passage first."""
    return [(run, query, doc, place, place, -float(place), False) for place, doc in enumerate(docs, 1)]


def world(seed: int, *, facets: bool = False) -> dict[str, pd.DataFrame]:
    """The frames of a random collection; with `facets`, rankings of two queries are by `query/facet`."""
    rng = random.Random(seed)
    questions = _questions(rng, facets)
    return {
        "questions": questions,
        "grades": _grades(rng, questions),
        "rankings": _rankings(rng, facets),
        "judgments": _judgments(rng, facets),
        "leaderboards": table(
            LEADERBOARDS, [("official", run_id, float(rank)) for rank, run_id in enumerate(RUNS[:4], 1)]
        ),
    }


GRADERS = {"rater": {"scale": 5}, "second": {"scale": 5}, "labels": {"scale": 2}}


Rows: TypeAlias = pd.DataFrame | Sequence[tuple[Any, ...]]
"""A frame, or tuples as `table` takes them."""


def store_of(path: Path, tables: Mapping[str, Rows], graders: dict[str, Any] = GRADERS) -> Snapshot:
    """Commit the tables, by name, to a store in a folder."""
    frames = {
        name: rows if isinstance(rows, pd.DataFrame) else table(TABLES[name], rows) for name, rows in tables.items()
    }
    store = Store(path)
    store.commit("world", Reading(frames, graders), source="world")
    return store.snapshot("world")


def held(path: Path, tables: Mapping[str, Rows], graders: dict[str, Any] = GRADERS) -> Iterator[Snapshot]:
    """As `store_of`, for a fixture of many tests: results are kept for as long as somebody has the store."""
    store_of(path, tables, graders)
    store = Store(path)
    yield store.snapshot("world")
    del store


def choice_of(snapshot: Snapshot, **options: Any) -> Evaluation:
    """A choice of a world, by default Cover of the first three passages."""
    asked: dict[str, Any] = {"measure": "Cover@3", "bank": "genq", "grader": "rater", "tau": 2}
    return choose(snapshot, Request(**asked | options))


def decimal_world(path: Path) -> Snapshot:
    """A random collection, most of whose grades have decimals: tenths, so that many are equal to a tau."""
    rng, frames = np.random.default_rng(1), world(1)
    grades = frames["grades"]
    tenths = np.where(rng.random(len(grades)) < 0.8, rng.integers(0, 10, len(grades)), np.nan)
    whole = grades["grade"].astype("Float64").astype(float)
    exact = (whole * 10 + tenths) / 10
    frames["grades"] = grades.assign(decimal=exact.where(whole < 5))
    return store_of(path, frames)


def labels_of_three(path: Path) -> Snapshot:
    """The collection of a world with three graders of whole passages."""
    frames = world(1)
    grades = frames["grades"]
    labels = grades[grades["grader_id"] == "labels"]
    more = [labels.assign(grader_id=name) for name in ("Sun", "Thomas")]
    return store_of(path, frames | {"grades": pd.concat([grades, *more], ignore_index=True)})


def _questions(rng: random.Random, facets: bool) -> pd.DataFrame:
    rows: list[tuple[Any, ...]] = []
    for bank, version in ((BOTH_VERSIONS, 1), (BOTH_VERSIONS, 2), (MANUAL, 1)):
        for query in (*GRADED_QUERIES, UNGRADED_QUERY):
            for number in range(rng.randint(1, 6)):
                facet = rng.choice(FACETS) if facets and query in ("q0", "q1") else None
                # A bank's question keeps its facet from version to version, and so does its id.
                name = f"{bank}/{query}/{facet}/{number}"
                enabled = query != "switched off" and (number == 0 or rng.random() < 0.8)
                rows.append((bank, version, name, query, facet, None, f"{name}?", None, 1.0, enabled))
    return table(QUESTIONS, rows)


def _grades(rng: random.Random, questions: pd.DataFrame) -> pd.DataFrame:
    rows: list[tuple[Any, ...]] = []
    for query in GRADED_QUERIES:
        for doc in rng.sample(DOCS, 25):
            for grader, bank in (("rater", BOTH_VERSIONS), ("second", MANUAL)):
                mine = questions[(questions["bank_id"] == bank) & (questions["query_id"] == query)]
                for question in sorted(set(mine["question_id"])):
                    if rng.random() < 0.8:
                        rows.append((grader, question, query, doc, _grade(rng, query)))
            if rng.random() < 0.9:
                label = _grade(rng, query)
                rows.append(("labels", None, query, doc, None if label is None else min(label, 2)))
    # A question that was asked of another query's passages counts for neither query.
    stray = questions[(questions["bank_id"] == BOTH_VERSIONS) & (questions["query_id"] == "q2")]["question_id"]
    rows += [("rater", stray.iloc[0], "only unreadable", doc, 5) for doc in DOCS]
    return table(GRADES, rows)


def _grade(rng: random.Random, query: str) -> int | None:
    unreadable = query == "only unreadable" or rng.random() < 0.1
    return None if unreadable else rng.choice((0, 0, 0, 1, 2, 3, 4, 5))


def _rankings(rng: random.Random, facets: bool) -> pd.DataFrame:
    rows = []
    for run in RUNS:
        first, cut, queries = rng.randint(0, 1), rng.random() < 0.3, _ranked_queries(rng, run, facets)
        for query in queries:
            source_rank = first
            for doc in rng.sample(DOCS, rng.randint(1, 30)):
                # Few distinct scores make ties; the noise is below what a 32-bit float can hold.
                score = rng.choice((1.0, 2.0, 3.5, 7.25)) * (1 + rng.choice((0, 1e-12, -1e-12)))
                rows.append((run, query, doc, 0, source_rank, score, cut))
                source_rank += rng.choice((1, 1, 1, 3))
    frame = table(RANKINGS, rows)
    frame["rank"] = trec_rank(frame)
    return frame


def _ranked_queries(rng: random.Random, run: str, facets: bool) -> list[str]:
    units = [f"{query}/{facet}" for query in ("q0", "q1") for facet in FACETS] if facets else ["q0", "q1"]
    units += ["q2", "switched off", "only unreadable", UNGRADED_QUERY, "in no bank"]
    return units[:1] if run == "one query only" else [unit for unit in units if rng.random() < 0.8] or units[:1]


def _judgments(rng: random.Random, facets: bool) -> pd.DataFrame:
    units = (*GRADED_QUERIES, "judged only", *(("q0/x", "q1/y") if facets else ()))
    rows = [("official", unit, doc, rng.randint(-2, 3)) for unit in units for doc in rng.sample(DOCS, 25)]
    return table(JUDGMENTS, rows)
