"""A cube as the text that a live page reads: boards once, values by query without loss, notes by number."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from exam_core.analysis.evaluation.leaderboard import ROWS, Leaderboard
from exam_core.analysis.evaluation.references import about_ties
from exam_core.analysis.evaluation.standing import SCORES, displacement
from exam_core.analysis.judges.label_agreement import Agreement
from exam_core.charts.colours import colour, dash
from exam_core.charts.leaderboard_lines import SYMBOLS
from exam_core.measures import Measure
from exam_core.wings.live.analysis.axes import LiveMode
from exam_core.wings.live.analysis.cube import INTERVALS, JUDGED_FROM, Cube, CubeBoard
from exam_core.wings.live.reports.live_methods import live_methods
from exam_core.wings.live.reports.live_outliers import headings, outlying
from exam_core.wings.live.reports.packing import Numbered, plain, thousandths
from exam_core.wording import (
    UNDEFINED,
    cut_in_words,
    for_readers,
    rank_heading,
    rank_interval,
    rank_texts,
    reference_in_words,
)

COLUMNS = ("rank", "mean", "stderr", "normalised", "normalised_stderr", "n_queries", "unanswered")
STANDING = ("tier", "rank_low", "rank_high", "holes")
"""Columns of a board's rows, and of its standing, that a live page shows; others are about the reference."""


def live_data(found: Cube) -> dict[str, Any]:
    """Everything of a cube but the values by query; numbers are those of the command line, undefined ones null."""
    axes = found.axes
    runs = found.run_ids
    notes, ranks, texts = Numbered(), Numbered(), Numbered()
    boards = [_board(one, runs, found, notes, ranks, texts) for one in found.boards]
    agreements = Numbered()
    agreed = {
        ",".join(map(str, place)): [agreements.of(json.dumps(_agreement(one, notes))) for one in ones]
        for place, ones in found.agreements.items()
    }
    return {
        "collection": found.snapshot.collection,
        "runs": runs,
        "modes": [
            _mode(at, mode, found.names, several=len({one.bank for one in axes.modes if one.bank}) > 1)
            for at, mode in enumerate(axes.modes)
        ],
        "measures": [_measure(name) for name in axes.measures],
        "taus": list(axes.taus),
        "labelRanks": list(axes.label_ranks),
        "references": [
            {"id": name, "name": reference_in_words(name), "heading": rank_heading(name)} for name in axes.references
        ],
        "leftOut": [list(runs) for runs in axes.left_out],
        "cuts": list(JUDGED_FROM),
        "relevantFrom": found.asked.relevant_from,
        "columns": {
            name: {"label": of[name].label, "help": of[name].explained}
            for of, names in ((ROWS, COLUMNS), (SCORES, (*STANDING, "displacement")))
            for name in names
        },
        "outlierColumns": headings(),
        "at": {",".join(map(str, place)): number for place, number in found.at.items()},
        "missing": {",".join(map(str, place)): notes.of(text) for place, text in found.missing.items()},
        "boards": boards,
        "agreedAt": agreed,
        "agreements": [json.loads(one) for one in agreements.values],
        "notes": list(map(for_readers, notes.values)),
        "ranks": ranks.values,
        "texts": texts.values,
        "methods": live_methods(found),
    }


def live_values(found: Cube) -> dict[str, Any]:
    """Values by query, in thousandths: those of a run, each once, and by board and run their number."""
    lists = Numbered()
    boards = [[lists.of(values) for values in _by_query(one, found)] for one in found.boards]
    return {"queries": found.query_ids, "boards": boards, "lists": lists.values}


def _by_query(one: CubeBoard, found: Cube) -> list[list[int | None]]:
    table = pd.DataFrame(one.values.values, one.values.run_ids, one.values.query_ids)
    return [thousandths(row) for row in table.reindex(index=found.run_ids, columns=found.query_ids).to_numpy(float)]


def _board(
    one: CubeBoard, runs: Sequence[str], found: Cube, notes: Numbered, ranks: Numbered, texts: Numbered
) -> dict[str, Any]:
    rows, known = (frame.set_index("run_id").reindex(runs) for frame in (one.board.rows, one.standing))
    overall = one.board.overall
    intervals = [
        rank_interval(low, high) or UNDEFINED for low, high in zip(known["rank_low"], known["rank_high"], strict=True)
    ]
    return {
        "title": one.title,
        "heading": one.board.heading,
        "tau": one.tau,
        **{name: plain(rows[name].to_numpy(float)) for name in COLUMNS},
        **{name: plain(known[name].to_numpy(float, na_value=math.nan)) for name in STANDING},
        "rankTexts": texts.of(rank_texts(rows["rank"].tolist())),
        "rankIntervals": texts.of(intervals),
        "overall": None if overall is None else plain(overall),
        "notes": [notes.of(text) for text in one.board.notes],
        "beside": [_beside(one, name, runs, notes, ranks, texts) for name in found.axes.references],
        "outliers": [outlying(one.outliers[name], runs, found.names, notes, texts) for name in found.axes.references],
    }


def _beside(
    one: CubeBoard, name: str, runs: Sequence[str], notes: Numbered, ranks: Numbered, texts: Numbered
) -> dict[str, Any] | None:
    board: Leaderboard = one.beside[name]
    if board.correlation is None:
        return None
    observed = {key: plain([getattr(board.correlation, key)])[0] for key in INTERVALS}
    ties = about_ties(name, board.correlation.tau_ap, board.correlation.tau_ap_b)
    ends = {
        key: plain((one.truths[name][key].low, one.truths[name][key].high))
        for key in INTERVALS
        if key in one.truths[name]
    }
    rows = board.rows.assign(displacement=displacement(board.rows)).set_index("run_id").reindex(runs)
    return observed | {
        "n": board.correlation.n,
        "ends": ends,
        "ranks": ranks.of(plain(rows["reference_rank"].to_numpy(float))),
        "rankTexts": texts.of(rank_texts(rows["reference_rank"].tolist())),
        "displacement": plain(rows["displacement"].to_numpy(float)),
        "notes": [notes.of(text) for text in [*board.notes, *ties]],
    }


def _agreement(found: Agreement, notes: Numbered) -> dict[str, Any]:
    return {
        "tau": found.tau,
        "from": found.relevant_from,
        "relevant": cut_in_words(found.tau, found.relevant_from, found.label_rank or 1),
        "table": found.confusion.tolist(),
        "kappa": plain([found.kappa])[0],
        "ends": plain(found.kappa_interval) if found.kappa_interval else None,
        "n": found.n,
        "graded": found.graded,
        "notes": [notes.of(text) for text in found.notes],
    }


def _mode(at: int, mode: LiveMode, names: Mapping[str, str], *, several: bool) -> dict[str, Any]:
    """A grading mode with its looks; its bank is named where there are several, or one in a version of its own."""
    name = names.get(mode.grader, mode.grader)
    several = several or mode.has_version
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
        "depth": measure.depth,
        "ofGrades": measure.info.of_grades,
        "bounds": [end if math.isfinite(end) else None for end in measure.info.bounds],
        "meaning": f"{name}: {measure.info.meaning}. Formula: {measure.info.formula}.",
    }
