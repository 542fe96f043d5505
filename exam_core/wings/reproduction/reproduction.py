"""Does it reproduce? Printed figures beside what the loaded data gives, with the known reasons where they differ."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from exam_core import wings
from exam_core.analysis import printed
from exam_core.analysis.agreement import Agreement, agreement
from exam_core.analysis.caveats import ROUNDED
from exam_core.analysis.choosing import choose, choose_grading, choose_labelling, choose_tau
from exam_core.analysis.leaderboard import Leaderboard, leaderboard
from exam_core.analysis.printed import RANKS as RANKS
from exam_core.analysis.printed import RULES as RULES
from exam_core.analysis.printed import Study
from exam_core.printed import known_collection
from exam_core.progress import Progress, no_progress
from exam_core.request import Request, Rounded
from exam_core.results import ResultTable, number, text
from exam_core.store import Snapshot
from exam_core.store.summary import graded_banks, leaderboard_ids, qrels_ids, run_ids, summary
from exam_core.tables import OFFICIAL, OVERALL
from exam_core.wings.reproduction.printed import figures, gradings, reason_of

GRADES, PRINT = "grades", "print"
EQUAL, OTHERWISE, DIFFERS, UNDEFINED = "equal", "equal by another rule", "differs", "undefined"
VERDICTS = (EQUAL, OTHERWISE, DIFFERS, UNDEFINED)
NEAR = 0.005
"""How far a figure is at most from print to count as near."""
_EQUAL = "Equal: ours rounds to the printed digits. A value half way between two may round either way."
_OTHERWISE = (
    "Equal by another rule: ours rounds to the printed digits with the tau, label rank or rounding in column Setting, "
    "but not with those of the paper (column By the stated rule)."
)
_UNIT = "unit of the figure"
ROWS = ResultTable(
    "reproduction: rows",
    "Printed figures beside ours",
    text("paper", "Paper"),
    text("printed_in", "Printed in", width="medium"),
    text("about", "Column or table"),
    text("figure", "Figure", width=260, pinned=True),
    text("printed", "Printed", "As printed, with the digits of print.", width="small"),
    number("ours", "Ours", "Computed now from the loaded data.", _UNIT, form="%.4f"),
    number("difference", "Difference", "Ours minus printed.", _UNIT, form="%+.4f"),
    text("verdict", "Verdict", f"{_EQUAL}\n\n{_OTHERWISE}", width=170),
    number(
        "by_stated_rule",
        "By the stated rule",
        "Ours with the tau, label rank and means that the paper states.",
        _UNIT,
        form="%.4f",
    ),
    text("setting", "Setting", "Settings of our figure."),
    text("reason", "Known reason", width="large"),
    text("source", "Source of the reason", width="medium"),
)
SUMMARY = ResultTable(
    "reproduction: summary",
    "For each printed column or table, how many of its figures have each verdict",
    replace(ROWS["paper"], help="EXAM: arXiv 2402.00309. EXAM++: LLM4Eval 2024."),
    ROWS["printed_in"],
    ROWS["about"],
    number("figures", "Figures", "Printed figures that can be computed from the loaded data.", "figures"),
    number(EQUAL, "Equal", _EQUAL, "figures"),
    number(OTHERWISE, "Equal by another rule", _OTHERWISE, "figures"),
    number(DIFFERS, "Differ", "Ours does not round to the printed digits.", "figures"),
    number(UNDEFINED, "Undefined", "Ours has no value.", "figures"),
    number(
        "largest_difference",
        "Largest difference",
        "Largest difference of ours and printed, either way.",
        _UNIT,
        form="%.4f",
    ),
)
COEFFICIENTS = ("spearman", "kendall")
BY_ROUNDING = (
    "trec_eval prints means with 4 decimals. Runs that are a little apart tie then, and the printed coefficient is of "
    "these rounded means.",
    "trec_eval's output format, %6.4f",
)
"""Why a coefficient that differs comes out all the same, and the source of that."""
NEEDS_BANK = ("self-rating", "verified answers")
_STATISTIC = {
    "spearman": "Spearman",
    "kendall": "Kendall",
    "kappa": "Cohen's kappa",
    "row_total": "passages in the row",
    "queries": "queries",
    "passages": "graded passages",
    "questions_per_query": "questions per query",
    "smallest_stderr": "smallest standard error",
    "largest_stderr": "largest standard error",
}
_PASSAGES = "SELECT count(*) AS n FROM (SELECT DISTINCT query_id, doc_id FROM grades WHERE grader_id = ?)"
_QUESTIONS = """
SELECT count(*) AS n FROM questions q WHERE bank_id = ? AND version = (
    SELECT max(version) FROM questions newest WHERE newest.bank_id = q.bank_id)
"""


@dataclass(frozen=True)
class Reproduction:
    """Printed figures beside ours.

    Parameters
    ----------
    known_as : the papers' collection that the data was recognised as; None if it is none of them
    basis : "grades" where our figures come from grades, "print" where from other printed figures, "ranks" where from
        ranks of generated answers, "rules" where from what the paper itself says
    rows : `ROWS`, the largest difference first, of a count as a share of what is printed; by_stated_rule is NaN where
        the rule that the paper states is the same
    notes : what can't be computed from what is loaded, and what to add
    """

    collection: str
    known_as: str | None
    basis: str
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many figures have each verdict."""
        return {name: int((self.rows["verdict"] == name).sum()) for name in VERDICTS}

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Each known reason with its source, once, in the order of the rows."""
        known = self.rows[self.rows["reason"] != ""]
        return list(dict.fromkeys(zip(known["reason"], known["source"], strict=True)))

    @property
    def near(self) -> int:
        """How many figures are at most `NEAR` from print."""
        return int((self.rows["difference"].abs() <= NEAR + 1e-9).sum())

    @property
    def sentence(self) -> str:
        """How many figures reproduce."""
        counts, n = self.counts, len(self.rows)
        if not n:
            return f"No printed figure can be computed from {self.collection}."
        done = counts[EQUAL] + counts[OTHERWISE]
        rounded = self.rows["setting"].str.endswith(ROUNDED).any()
        rule = "tau, label rank or rounding" if rounded else "tau or label rank"
        other = f"{counts[OTHERWISE]} equal by another {rule} than the paper states"
        parts = [f"{counts[EQUAL]} equal to the last digit", *([other] if counts[OTHERWISE] else [])]
        if done == n:
            return f"Of {n} printed figures: {', '.join(parts)}."
        left = self.rows[~self.rows["verdict"].isin([EQUAL, OTHERWISE])]
        near = int((left["difference"].abs() <= NEAR + 1e-9).sum())
        known = int((left["reason"] != "").sum())
        parts.append(f"{len(left)} {'differs' if len(left) == 1 else 'differ'} ({near} by at most {NEAR})")
        if len(left) == 1:
            return f"Of {n} printed figures: {', '.join(parts)}; the reason is {'known' if known else 'not known'}."
        of_them = "all" if known == len(left) else str(known)
        return f"Of {n} printed figures: {', '.join(parts)}; the reason is known for {of_them} of them."

    @property
    def summary(self) -> pd.DataFrame:
        """`SUMMARY`."""
        place = ["paper", "printed_in", "about"]
        counted = self.rows.groupby([*place, "verdict"], sort=False).size().unstack("verdict", fill_value=0)
        counted = counted.reindex(columns=list(VERDICTS), fill_value=0)
        counted.insert(0, "figures", counted.sum(axis=1))
        far = self.rows.assign(far=self.rows["difference"].abs()).groupby(place, sort=False)["far"].max()
        return SUMMARY.of(counted.assign(largest_difference=far).reset_index().rename_axis(columns=None))


def is_reproduced(snapshot: Snapshot) -> bool:
    """Whether the papers print scores of the collection's systems, by the names of these."""
    return _study(snapshot, of_a_collection=True) is not None or known_collection(_systems(snapshot)) is not None


def reproduction(
    snapshot: Snapshot, *, bank: str | None = None, grader: str | None = None, progress: Progress = no_progress
) -> Reproduction:
    """Compare every printed figure that the data can give with what it gives.

    The collection is recognised by its systems' names, the papers' grading by the graders' model and prompt. A figure
    reproduces if ours rounds to the printed digits; a value half way between two may round either way. A coefficient
    that does not is tried with the means that trec_eval prints, which have 4 decimals.

    `bank`, `grader`: of self-ratings; None takes the first that goes by the papers' model and prompt. Raises
    UsageError: no such bank or grader.
    """
    if study := _study(snapshot, of_a_collection=True):
        progress(1.0)
        return _of_study(snapshot, study)
    basis = PRINT if printed.is_printed(snapshot) else GRADES
    key = known_collection(_systems(snapshot))
    if key is None and (study := _study(snapshot, of_a_collection=False)):
        return _of_study(snapshot, study)
    if key is None:
        note = (
            f"The papers print nothing about the runs of {snapshot.collection}. To reproduce figures, choose one of "
            "the published collections, or import graded runs of TREC CAR Y3, DL 2019 or DL 2020, or the ranks that "
            "the authors of the NRP paper released."
        )
        return Reproduction(snapshot.collection, None, basis, ROWS.of(), [note])
    known = figures()
    known = known[known["collection"] == key]
    source = _Printed(snapshot) if basis == PRINT else _GradedFigures(snapshot, bank, grader)
    rows, missing = [], dict[str, int]()
    for place, figure in enumerate(known.to_dict("records")):
        progress(place / len(known))
        try:
            rows.append(_row(figure, source, basis))
        except _NotLoadedError as error:
            missing[str(error)] = missing.get(str(error), 0) + bool(str(error))
    progress(1.0)
    notes = [f"{count} more printed figures need {what}." for what, count in missing.items() if what]
    return Reproduction(snapshot.collection, key, basis, _largest_first(rows), source.notes + notes)


def _study(snapshot: Snapshot, *, of_a_collection: bool) -> Study | None:
    """The paper without leaderboards that is about a collection, or about all of its kind."""
    studies = (study for study in wings.declared("studies") if study.of_a_collection == of_a_collection)
    return next((study for study in studies if study.takes(snapshot)), None)


def _of_study(snapshot: Snapshot, study: Study) -> Reproduction:
    of_paper, notes = study.figures(snapshot)
    rows = []
    for figure in of_paper:
        verdict = _verdict(figure.printed, figure.ours)
        reason = ("", "") if verdict == EQUAL else figure.reason
        values = figure.printed, figure.ours, figure.ours - float(figure.printed)
        place = study.paper, figure.printed_in, figure.about, figure.figure
        rows.append((*place, *values, verdict, np.nan, figure.setting, *reason))
    return Reproduction(snapshot.collection, study.key, study.basis, _largest_first(rows), notes)


def _largest_first(rows: list[Any]) -> pd.DataFrame:
    """`ROWS` in the order of `Reproduction.rows`; what is undefined comes last."""
    frame = ROWS.of(rows)
    unit = frame["printed"].astype(float).abs().clip(lower=1)  # scores and coefficients are at most 1
    return frame.assign(far=frame["difference"].abs().div(unit)).sort_values(
        "far", ascending=False, kind="stable", ignore_index=True
    )[list(ROWS.names)]


class _NotLoadedError(Exception):
    """The loaded data can't give a figure; the message says what is missing, or nothing if it is not to be had."""


class _Printed:
    """Figures computed from other printed figures: coefficients and kappas from printed columns and counts."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot, self.notes = snapshot, list[str]()
        self._boards, self._banks = set(leaderboard_ids(snapshot)), printed.banks(snapshot)

    def value(self, figure: dict[str, Any], *, stated: bool = False) -> tuple[float, str]:
        """Our figure, and what it was computed from."""
        del stated
        statistic = figure["statistic"]
        if statistic in ("spearman", "kendall") and figure["leaderboard"] in self._boards:
            board = printed.board(self._snapshot, figure["leaderboard"], OFFICIAL)
            if board.correlation is None:
                raise _NotLoadedError
            value = getattr(board.correlation, figure["statistic"])
            return float(value), f"from the printed rows, {board.correlation.n} runs"
        bank = figure["subject"].split()[0]
        if bank not in self._banks or not figure["relevant_from"]:
            raise _NotLoadedError
        result = printed.agreement(
            self._snapshot, bank=bank, tau=int(figure["tau"]), relevant_from=int(figure["relevant_from"])
        )
        if statistic == "kappa":
            return result.kappa, "from the printed counts"
        row = _row_of(figure)
        if statistic == "row_total":
            return float(result.confusion[row].sum()), "sum of the printed counts"
        if statistic == "count" and len(result.graded) > 2:
            return float(result.confusion[row, _column_of(figure)]), "from the printed graded table"
        raise _NotLoadedError


class _GradedFigures:
    """Figures computed from grades."""

    def __init__(self, snapshot: Snapshot, bank: str | None, grader: str | None) -> None:
        self._snapshot, self._bank, self._grader = snapshot, bank, grader
        self._about, self._official = summary(snapshot), OFFICIAL in leaderboard_ids(snapshot)
        self._board, self._agreement = cache(self._compute_board), cache(self._compute_agreement)
        self.notes: list[str] = []
        if bank or grader:
            choose_grading(snapshot, bank, grader)

    def value(self, figure: dict[str, Any], *, stated: bool = False, rounded: Rounded = "none") -> tuple[float, str]:
        """Our figure, and the setting that gives it; `stated` takes the rule that the paper states.

        `rounded` concerns coefficients alone.
        """
        if not figure["grading"]:
            raise _NotLoadedError
        statistic = figure["statistic"]
        bank, grader = self._grading(figure["grading"], figure["bank"])
        options: dict[str, Any] = {"bank": bank, "grader": grader}
        for name in ("tau", "label_rank"):
            text = (stated and figure[f"stated_{name}"]) or figure[name]
            options |= {name: int(text)} if text else {}
        setting = f"tau = {options['tau']}" if "tau" in options else "every label"
        setting += f", label rank {options['label_rank']}" if options["label_rank"] > 1 else ""
        if statistic in ("queries", "passages", "questions_per_query"):
            return self._size(statistic, options), "as loaded"
        if statistic in ("count", "row_total", "kappa"):
            return self._of_agreement(figure, options), setting
        board, means = self._board(figure["measure"], **options, rounded=rounded)
        if statistic == "mean":
            if figure["system"] not in means.index:
                raise _NotLoadedError("runs that are not loaded")
            return float(means[figure["system"]]), setting
        if statistic == "overall":
            return (board.overall or (np.nan,))[0], setting
        if statistic in ("spearman", "kendall"):
            if not self._official or board.correlation is None:
                raise _NotLoadedError("the official leaderboard (import leaderboard FILE --name official)")
            setting += f", {board.correlation.n} runs{f', {ROUNDED}' if rounded != 'none' else ''}"
            return float(getattr(board.correlation, statistic)), setting
        stderr = board.rows["stderr"]
        return float(stderr.min() if statistic == "smallest_stderr" else stderr.max()), setting

    def _grading(self, grading: str, bank: str) -> tuple[str | None, str | None]:
        """The bank and grader that a paper's way of grading goes by here."""
        known = graded_banks(self._snapshot)
        if grading == "self-rating" and (self._bank or self._grader):
            choice = choose_grading(self._snapshot, self._bank, self._grader)
            return choice.bank_id, choice.grader
        for grader, banks in known.items():
            if self._goes_by(grader, grading) and (grading in NEEDS_BANK) == (banks != [None]):
                return (bank if bank in banks else banks[0]), grader
        wanted = " or ".join(" ".join(filter(None, pair)) for pair in gradings(grading))
        raise _NotLoadedError(f"grades by {wanted}{f' on bank {bank}' if bank else ''}")

    def _goes_by(self, grader: str, grading: str) -> bool:
        about = self._snapshot.graders.get(grader, {})
        prompt = about.get("prompt_info", {}).get("prompt_class", grader)
        return any(model in ("", about.get("llm")) and prompt == name for model, name in gradings(grading))

    def _size(self, statistic: str, options: dict[str, Any]) -> float:
        if statistic == "queries":
            return float(self._about["queries"])
        sql = _PASSAGES if statistic == "passages" else _QUESTIONS
        name = options["grader"] if statistic == "passages" else options["bank"]
        counted = float(self._snapshot.query(sql, [name])["n"].iloc[0])
        return counted if statistic == "passages" else counted / self._about["queries"]

    def _compute_board(self, measure: str, **options: Any) -> tuple[Leaderboard, pd.Series]:
        """The leaderboard of a measure, and its means by run."""
        if not self._about["runs"]:
            raise _NotLoadedError("runs (import run FILE)")
        board = leaderboard(self._snapshot, choose(self._snapshot, Request(measure).but(**options)))
        return board, board.rows.set_index("run_id")["mean"]

    def _compute_agreement(self, relevant_from: int, **options: Any) -> Agreement:
        labelling = choose_labelling(self._snapshot, Request().but(**options))
        tau = choose_tau(self._snapshot, labelling, options.get("tau"))
        return agreement(self._snapshot, labelling, tau=tau, relevant_from=relevant_from)

    def _of_agreement(self, figure: dict[str, Any], options: dict[str, Any]) -> float:
        if OFFICIAL not in qrels_ids(self._snapshot):
            raise _NotLoadedError("the official judgments (import qrels FILE)")
        result = self._agreement(int(figure["relevant_from"] or 1), **options)
        if figure["statistic"] == "kappa":
            return result.kappa
        if not figure["tau"]:
            counts = result.graded.get(figure["system"], {})
            return float(counts.get(figure["judged"], 0) if figure["judged"] else sum(counts.values()))
        row = result.confusion[_row_of(figure)]
        return float(row.sum() if figure["statistic"] == "row_total" else row[_column_of(figure)])


def _row(figure: dict[str, Any], source: _Printed | _GradedFigures, basis: str) -> dict[str, Any]:
    ours, setting = source.value(figure)
    printed = figure["printed"]
    stated = np.nan
    if basis == GRADES and (figure["stated_tau"] or figure["stated_label_rank"]):
        stated, _ = source.value(figure, stated=True)
    verdict = _verdict(printed, ours)
    if verdict == EQUAL and not np.isnan(stated) and _verdict(printed, stated) != EQUAL:
        verdict = OTHERWISE
    reason, where = "", ""
    if verdict == DIFFERS and isinstance(source, _GradedFigures) and figure["statistic"] in COEFFICIENTS:
        as_printed, how = source.value(figure, rounded="trec_eval")
        if _verdict(printed, as_printed) == EQUAL:
            stated = ours if np.isnan(stated) else stated
            ours, setting, verdict, (reason, where) = as_printed, how, OTHERWISE, BY_ROUNDING
    if verdict != EQUAL and not reason:
        reason, where = reason_of(figure["collection"], figure["subject"], figure["statistic"], basis, verdict)
    place = figure["paper"], figure["printed_in"], _about(figure, basis), _words(figure, basis)
    values = (*place, printed, ours, ours - float(printed), verdict, stated, setting, reason, where)
    return dict(zip(ROWS.names, values, strict=True))


def _verdict(printed: str, ours: float) -> str:
    """Whether ours rounds to the printed digits."""
    if np.isnan(ours):
        return UNDEFINED
    digits = len(printed.partition(".")[2])
    return EQUAL if abs(ours - float(printed)) <= 0.5 * 10.0**-digits + 1e-9 else DIFFERS


def _about(figure: dict[str, Any], basis: str) -> str:
    """The printed column or table that a figure belongs to."""
    if figure["subject"] == "setup":
        return "size of the collection"
    if figure["leaderboard"]:
        column = figure["leaderboard"] if basis == PRINT else f"{figure['bank']} {figure['measure']}"
        return column if figure["paper"] == "EXAM" else str(figure["subject"])
    return str(figure["subject"] if figure["bank"] or not figure["grading"] else figure["grading"])


def _words(figure: dict[str, Any], basis: str) -> str:
    statistic, about = figure["statistic"], _about(figure, basis)
    if statistic == "mean":
        return f"{about} of {figure['system']}"
    if statistic == "overall":
        return f"{about} of all graded passages together"
    if statistic == "count":
        return f"{about}: labelled {figure['system']}, judged {figure['judged']}"
    what = _STATISTIC[statistic]
    if statistic in ("row_total", "kappa"):
        return f"{about}{', row ' if figure['system'] else ''}{figure['system']}: {what}"
    if statistic in ("spearman", "kendall"):
        measure = "" if figure["leaderboard"] else f" {figure['measure']}"
        return f"{about}{measure} with the official ranks: {what}"
    return f"{about}: {what}" if statistic.endswith("stderr") else f"number of {what}"


def _row_of(figure: dict[str, Any]) -> int:
    """0 for the row of labels that reach tau, 1 for the others."""
    return int(printed.lowest(figure["system"]) < int(figure["tau"]))


def _column_of(figure: dict[str, Any]) -> int:
    return int(printed.lowest(figure["judged"]) < int(figure["relevant_from"]))


def _systems(snapshot: Snapshot) -> set[str]:
    """The runs; where there are none, the systems of the leaderboards."""
    ranked = set(snapshot.frame("leaderboards")["run_id"]) - {OVERALL}
    return set(run_ids(snapshot)) or ranked
