"""A cube as the text that a live page reads: boards once, values by query without loss, notes by number."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from exam_core.analysis.evaluation.leaderboard import ROWS, Leaderboard
from exam_core.analysis.evaluation.standing import SCORES, displacement
from exam_core.analysis.judges.label_agreement import Agreement
from exam_core.charts.colours import colour, dash
from exam_core.charts.leaderboard_lines import SYMBOLS
from exam_core.measures import Measure
from exam_core.numbers.arrays import Floats
from exam_core.wings.live.analysis.cube import INTERVALS, JUDGED_FROM, Cube, CubeBoard, Mode
from exam_core.wording import reference_in_words

COLUMNS = ("rank", "mean", "stderr", "normalised", "normalised_stderr", "n_queries", "unanswered")
STANDING = ("tier", "rank_low", "rank_high", "holes")
"""Columns of a board's rows, and of its standing, that a live page shows; others are about the reference."""


@dataclass(frozen=True)
class _Numbered:
    """Values that occur often, each once, by number."""

    values: list[Any]
    places: dict[Any, int]

    @classmethod
    def none(cls) -> _Numbered:
        return cls([], {})

    def of(self, value: Any) -> int:
        key = tuple(value) if isinstance(value, list) else value
        if key not in self.places:
            self.places[key] = len(self.values)
            self.values.append(value)
        return self.places[key]


def live_data(found: Cube) -> dict[str, Any]:
    """Everything of a cube but the values by query; numbers are those of the command line, undefined ones null."""
    axes = found.axes
    runs = sorted({run for one in found.boards for run in one.board.rows["run_id"]})
    notes, ranks = _Numbered.none(), _Numbered.none()
    boards = [_board(one, runs, axes.references, notes, ranks) for one in found.boards]
    agreements = _Numbered.none()
    agreed = {
        ",".join(map(str, place)): [agreements.of(json.dumps(_agreement(one, notes))) for one in ones]
        for place, ones in found.agreements.items()
    }
    return {
        "collection": found.collection,
        "fingerprint": found.fingerprint,
        "runs": runs,
        "modes": [
            _mode(at, mode, found.names, several=len({one.bank for one in axes.modes if one.bank}) > 1)
            for at, mode in enumerate(axes.modes)
        ],
        "measures": [_measure(name) for name in axes.measures],
        "taus": list(axes.taus),
        "labelRanks": list(axes.label_ranks),
        "references": [{"id": name, "name": reference_in_words(name)} for name in axes.references],
        "cuts": list(JUDGED_FROM),
        "columns": {
            name: {"label": of[name].label, "help": of[name].explained}
            for of, names in ((ROWS, COLUMNS), (SCORES, (*STANDING, "displacement")))
            for name in names
        },
        "at": {",".join(map(str, place)): number for place, number in found.at.items()},
        "missing": {",".join(map(str, place)): notes.of(text) for place, text in found.missing.items()},
        "boards": boards,
        "agreedAt": agreed,
        "agreements": [json.loads(one) for one in agreements.values],
        "notes": notes.values,
        "ranks": ranks.values,
    }


def live_values(found: Cube) -> dict[str, Any]:
    """Values by query of each board: each different number once, and its place for each run and query; -1 is none."""
    queries = sorted({query for one in found.boards for query in one.values.query_ids})
    return {"queries": queries, "boards": [_by_query(one, queries) for one in found.boards]}


def _by_query(one: CubeBoard, queries: Sequence[str]) -> dict[str, Any]:
    numbers, places = np.unique(one.values.values, return_inverse=True, equal_nan=True)
    places = np.where(np.isnan(one.values.values), -1, places.reshape(one.values.values.shape))
    columns = {query: places[:, at] for at, query in enumerate(one.values.query_ids)}
    nothing = np.full(len(one.values.run_ids), -1)
    table = np.stack([columns.get(query, nothing) for query in queries], axis=1) if queries else places
    by_run = dict(zip(one.values.run_ids, table.tolist(), strict=True))
    return {"numbers": numbers[~np.isnan(numbers)].tolist(), "at": by_run}


def _board(
    one: CubeBoard, runs: Sequence[str], references: Sequence[str], notes: _Numbered, ranks: _Numbered
) -> dict[str, Any]:
    rows, known = (frame.set_index("run_id").reindex(runs) for frame in (one.board.rows, one.standing))
    overall = one.board.overall
    return {
        "title": one.board.title,
        "heading": one.board.heading,
        "tau": one.board.tau,
        **{name: _plain(rows[name].to_numpy(float)) for name in COLUMNS},
        **{name: _plain(known[name].to_numpy(float, na_value=math.nan)) for name in STANDING},
        "overall": None if overall is None else _plain(overall),
        "notes": [notes.of(text) for text in one.board.notes],
        "beside": [_beside(one, name, runs, notes, ranks) for name in references],
    }


def _beside(
    one: CubeBoard, name: str, runs: Sequence[str], notes: _Numbered, ranks: _Numbered
) -> dict[str, Any] | None:
    board: Leaderboard = one.beside[name]
    if board.correlation is None:
        return None
    observed = {key: _plain([getattr(board.correlation, key)])[0] for key in INTERVALS}
    ends = {
        key: _plain((one.truths[name][key].low, one.truths[name][key].high))
        for key in INTERVALS
        if key in one.truths[name]
    }
    rows = board.rows.assign(displacement=displacement(board.rows)).set_index("run_id").reindex(runs)
    return observed | {
        "n": board.correlation.n,
        "ends": ends,
        "ranks": ranks.of(_plain(rows["reference_rank"].to_numpy(float))),
        "displacement": _plain(rows["displacement"].to_numpy(float)),
        "notes": [notes.of(text) for text in board.notes],
    }


def _agreement(found: Agreement, notes: _Numbered) -> dict[str, Any]:
    return {
        "tau": found.tau,
        "from": found.relevant_from,
        "table": found.confusion.tolist(),
        "kappa": _plain([found.kappa])[0],
        "ends": _plain(found.kappa_interval) if found.kappa_interval else None,
        "n": found.n,
        "graded": found.graded,
        "notes": [notes.of(text) for text in found.notes],
    }


def _mode(at: int, mode: Mode, names: Mapping[str, str], *, several: bool) -> dict[str, Any]:
    """A grading mode with its looks; its bank is named where there are several."""
    name = names.get(mode.grader, mode.grader)
    return {
        "id": f"{mode.bank}:{mode.grader}" if mode.bank else mode.grader,
        "name": f"{mode.bank}: {name}" if mode.bank and several else name,
        "color": colour(at),
        "dash": dash(at),
        "symbol": SYMBOLS[at % len(SYMBOLS)],
    }


def _measure(name: str) -> dict[str, Any]:
    measure = Measure.parse(name)
    return {
        "id": name,
        "taus": measure.tau_applies,
        "ranks": measure.info.of == "labels",
        "meaning": f"{name}: {measure.info.meaning}. Formula: {measure.info.formula}.",
    }


def _plain(values: Sequence[float] | Floats) -> list[float | int | None]:
    """Numbers as JSON has them: whole ones without a point, undefined ones null."""
    return [None if math.isnan(one) else int(one) if float(one).is_integer() else float(one) for one in values]
