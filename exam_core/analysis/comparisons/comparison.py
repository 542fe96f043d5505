"""Several grading modes under one measure, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.comparisons.correlation import Correlated, correlations_of
from exam_core.analysis.evaluation.caveats import UNREADABLE, enumerated
from exam_core.analysis.evaluation.choosing import judgments_of, of_series
from exam_core.analysis.evaluation.leaderboard import Leaderboard, leaderboard
from exam_core.analysis.judges.label_agreement import Agreement, agreement
from exam_core.analysis.shared_columns import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    KAPPA,
    KENDALL,
    RUNS,
    SERIES,
    SPEARMAN,
    TRUE_NEGATIVES,
    TRUE_POSITIVES,
)
from exam_core.asked import Asked
from exam_core.errors import ExamboardError
from exam_core.measures import Measure
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, count, number
from exam_core.store import Snapshot
from exam_core.store.summary import alias_of, graded_banks, qrels_ids
from exam_core.tables import OFFICIAL
from exam_core.wording import method_in_words

CORRELATIONS = ResultTable(
    "comparison: correlations",
    "Rank correlation of each grading mode, or printed column, with the reference",
    SERIES,
    SPEARMAN,
    KENDALL,
    RUNS,
)
AGREEMENTS = ResultTable(
    "comparison: agreements",
    "Labels of each grading mode against the human judgments",
    SERIES,
    number("tau", "tau", unit="grade"),
    number("relevant_from", "judged ≥", "Smallest human relevance that counts as relevant.", "relevance"),
    KAPPA,
    TRUE_POSITIVES,
    FALSE_POSITIVES,
    FALSE_NEGATIVES,
    TRUE_NEGATIVES,
    count("n", "Passages", unit="passages"),
)


@dataclass(frozen=True)
class Comparison:
    """Leaderboards by series name, the runs' order, and the tables `CORRELATIONS` and `AGREEMENTS`.

    `names` has each series as charts and tables call it: with its tau where series differ in that.
    `unasked` are names of graders that have no questions, which the measure needs; `problems` says why others could not
    be made, each reason once.
    """

    boards: dict[str, Leaderboard]
    order: list[str]
    correlations: pd.DataFrame
    agreements: pd.DataFrame
    names: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)

    @property
    def measured(self) -> str:
        """The measure of all boards and its tau, as an axis names it; without what boards differ in."""
        headings = {board.heading for board in self.boards.values()}
        taus = {board.tau if board.tau_applies else None for board in self.boards.values()}
        if len(headings) != 1:
            return ""
        tau = taus.pop() if len(taus) == 1 else None
        return headings.pop() + (f", tau {tau}" if tau else "")

    @property
    def has_queries(self) -> bool:
        """Whether queries are behind the means, so that ranks have intervals and a run can be looked into."""
        return any(board.rows["n_queries"].notna().any() for board in self.boards.values())

    @property
    def missing(self) -> list[str]:
        """Why series are missing, in sentences."""
        return [*self.problems, *([about_unasked(self.unasked)] if self.unasked else [])]


def needs_questions(snapshot: Snapshot, mode: str, measure: str) -> bool:
    """Whether a measure is of questions, and a grading mode, or a human, labels whole passages."""
    of_passages = judgments_of(snapshot, mode) or graded_banks(snapshot).get(mode) == [None]
    return Measure.parse(measure).info.of == "questions" and bool(of_passages)


def about_unasked(modes: Sequence[str]) -> str:
    """That grading modes have no value, because the measure needs questions."""
    verb, they = ("labels", "it has") if len(modes) == 1 else ("label", "they have")
    return (
        f"{enumerated(modes)} {verb} whole passages: {they} no questions, which this measure needs. "
        "A measure over labels, such as P, shows every mode."
    )


def said_once(problems: Sequence[tuple[str, str]]) -> list[str]:
    """What is wrong with each of many series: a sentence for each reason, after the names of those that have it."""
    named: dict[str, list[str]] = {}
    for name, reason in problems:
        named.setdefault(reason, []).append(name)
    return [f"{enumerated(names)}: {reason}" for reason, names in named.items()]


def correlations_of_modes(snapshot: Snapshot, modes: Sequence[str], asked: Asked) -> list[Correlated]:
    """Every coefficient of each mode's board with the reference; modes that can't be evaluated are left out."""
    found = []
    for mode in series_of(modes, asked):
        with suppress(ExamboardError):
            choice, _ = of_series(snapshot, asked, mode)
            found += [replace(one, leaderboard=mode) for one in correlations_of(snapshot, [choice])]
    return found


def of_modes(snapshot: Snapshot, modes: Sequence[str], asked: Asked, *, progress: Progress = no_progress) -> Comparison:
    """Boards of several graders, in the reference's order.

    A grader of whole passages has label rank 1, whatever is asked for; the notes say so. A measure that looks at no
    grades has one board, whatever the modes.
    """
    boards: dict[str, Leaderboard] = {}
    agreements, problems, notes = [], [], []
    of_grades = Measure.parse(asked.measure).info.of_grades
    modes = series_of(modes, asked)
    unasked = [mode for mode in modes if needs_questions(snapshot, mode, asked.measure)]
    for place, mode in enumerate(modes):
        progress(place / len(modes))
        if mode in unasked:
            continue
        try:
            choice, note = of_series(snapshot, asked, mode, called=alias_of(snapshot, mode))
            boards[mode] = leaderboard(snapshot, choice)
            notes += note
        except ExamboardError as error:
            problems.append((alias_of(snapshot, mode), str(error)))
            continue
        if of_grades and not choice.grading.judgments and OFFICIAL in qrels_ids(snapshot):
            found = agreement(snapshot, choice.labelling, tau=choice.tau, relevant_from=asked.relevant_from)
            agreements.append(_agreement_row(mode, found))
            notes += [f"{alias_of(snapshot, mode)}: {text}" for text in found.notes]
    notes += [note for board in boards.values() for note in board.notes]
    names = series_names(snapshot, boards)
    without = [alias_of(snapshot, mode) for mode in unasked]
    return replace(_comparison(boards, agreements, notes, said_once(problems)), names=names, unasked=without)


def series_of(modes: Sequence[str], asked: Asked) -> Sequence[str]:
    """What is set side by side: grading modes, or the measure alone where it looks at no grades."""
    return modes if Measure.parse(asked.measure).info.of_grades else (asked.measure,)


def series_names(snapshot: Snapshot, boards: Mapping[str, Leaderboard]) -> dict[str, str]:
    """Graders as charts and tables name them, by their aliases; where they are cut at several taus, with these."""
    taus = {mode: board.tau if board.tau_applies else None for mode, board in boards.items()}
    differ = len({*taus.values()} - {None}) > 1
    return {mode: alias_of(snapshot, mode) + (f", tau {tau}" if differ and tau else "") for mode, tau in taus.items()}


def of_boards(boards: dict[str, Leaderboard], agreements: Mapping[str, Agreement]) -> Comparison:
    """Boards and their agreements that there are, in the reference's order."""
    notes = [note for board in boards.values() for note in board.notes]
    rows = [_agreement_row(name, found) for name, found in agreements.items()]
    return replace(_comparison(boards, rows, notes, []), names={name: method_in_words(name) for name in boards})


def _agreement_row(series: str, found: Agreement) -> tuple[Any, ...]:
    (tp, fp), (fn, tn) = found.confusion.tolist()
    return (series, found.tau, found.relevant_from, found.kappa, tp, fp, fn, tn, found.n)


def _comparison(
    boards: dict[str, Leaderboard], kappas: list[tuple[Any, ...]], notes: list[str], problems: list[str]
) -> Comparison:
    rows = [
        (name, board.correlation.spearman, board.correlation.kendall, board.correlation.n)
        for name, board in boards.items()
        if board.correlation
    ]
    notes = sorted(dict.fromkeys(notes), key=lambda note: not note.startswith(UNREADABLE))
    names = {name: name for name in boards}
    return Comparison(boards, shown_order(boards), CORRELATIONS.of(rows), AGREEMENTS.of(kappas), names, notes, problems)


def shown_order(boards: Mapping[str, Leaderboard]) -> list[str]:
    """Runs by the reference's rank; those without one follow, by the first board's score."""
    if not boards:
        return []
    rows = pd.concat([board.rows[["run_id", "reference_rank", "rank"]] for board in boards.values()])
    rows = rows.drop_duplicates("run_id").fillna({"reference_rank": np.inf})
    return list(rows.sort_values(["reference_rank", "rank", "run_id"])["run_id"])
