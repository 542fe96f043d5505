"""The grid: each grading mode at each tau under several measures, all against one reference; its tables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.caveats import about_depth
from exam_core.analysis.choice import TAUS, Evaluation, LabelRule
from exam_core.analysis.choosing import choose, grader_id, no_grades, series_of
from exam_core.analysis.grade_scales import taus_of
from exam_core.analysis.leaderboard import against, bank_name, leaderboard
from exam_core.analysis.references import needed_reference, pair_with
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import BANK, COMPARED_RUNS, KENDALL, MEASURE, MODE, RUNS, SPEARMAN, TAU
from exam_core.analysis.values import Values, gradebook, values_by_runs
from exam_core.errors import ExamboardError, UsageError
from exam_core.measures import Measure
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.means import mean_and_stderr, rounded_means
from exam_core.numbers.rank_correlations import DIGITS, correlations
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.results import ResultColumn, ResultTable, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.summary import banks, graded_banks
from exam_core.table_text import escaped
from exam_core.tables import OFFICIAL
from exam_core.wording import UNDEFINED

COEFFICIENTS = ("spearman", "kendall")
NEAR, POOR = 0.05, 0.5
"""How far from the best of its column a correlation counts as equally good, and below what it is poor (EXAM++)."""
STYLE = "The value compared with others of its measure: best; low, below 0.5; else near, within 0.05 of the best."
GRID = ResultTable(
    "grid: rows",
    "Correlations with a reference, a row for each grading mode, tau and measure",
    BANK,
    MODE,
    TAU,
    MEASURE,
    SPEARMAN,
    KENDALL,
    COMPARED_RUNS,
    text("style_spearman", "Style of Spearman", STYLE, source="EXAM++, table 3"),
    text("style_kendall", "Style of Kendall", STYLE, source="EXAM++, table 3"),
    text("undefined", "Undefined", "Why a correlation is undefined; empty where it is not."),
)

NEEDS_QUESTIONS = "needs questions"
NO_ORDER = "all runs have the same score, or there are fewer than two"
NOT_PRINTED = "not printed"
OTHER_METHOD = "of another method"
NO_GRADER = {"texts": "texts of the runs", "scores": "stored scores"}
"""What stands in the place of a grader for measures that look at no grades."""


@dataclass(frozen=True)
class Grid:
    """Correlations of grading modes with a reference.

    `rows` are `GRID`; the bank of a grader of whole passages is None, and a correlation that is undefined NaN. Printed
    columns have no grader: there it is what else the title says, or None.
    `headings` has the measures as their columns are headed, with the depth that a spelling leaves open. `question` is
    what was asked: bank and taus, and of grades the graders and rules too.
    """

    collection: str
    reference: str
    measures: list[str]
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)
    headings: dict[str, str] = field(default_factory=dict)
    question: dict[str, Any] = field(default_factory=dict)

    def heading(self, measure: str) -> str:
        """A measure as its column is headed."""
        return self.headings.get(measure, measure)


def grid_choices(
    snapshot: Snapshot, request: Request, measures: Sequence[Measure], graders: Sequence[str] = ()
) -> list[Evaluation]:
    """An evaluation for each grading mode: the graders of the bank, then the graders of whole passages.

    Measures that look at no grades come last: an evaluation for each bank that texts are compared with, and one for
    stored scores. `request`: without a bank every bank is taken; a grader of whole passages has label rank 1, whatever
    is asked for. Measure, tau and grader are not read. Raises UsageError: an unknown bank or grader, a rule out of
    range, or nothing is graded.
    """
    others = [measure for measure in measures if not measure.info.of_grades]
    if len(others) == len(measures):
        return _without_grader(snapshot, request, others)
    bank, known, named = request.bank, graded_banks(snapshot), banks(snapshot)
    if bank and BankRef.parse(bank).name not in named:
        raise UsageError(f"There is no bank {bank}. There are: {', '.join(named) or 'none'}.")
    graders = [grader_id(snapshot, grader) for grader in graders]
    if unknown := [grader for grader in graders if grader not in known]:
        raise UsageError(f"There is no grader {unknown[0]}. There are: {', '.join(known) or 'none'}.")
    # Choosing with the deepest measure checks all of them against the depth.
    request = request.but(measure=str(max(measures, key=lambda measure: measure.depth or 0)), tau=None)
    wanted = [grader for grader in known if not graders or grader in graders]
    if not known:
        judged = series_of(snapshot, None)
        labels = [measure for measure in measures if measure.info.of == "labels"]
        if not judged or not labels:
            raise UsageError(no_grades(snapshot))
        evaluations = [choose(snapshot, request.but(measure=str(labels[0]), grader=name)) for name in judged]
        return [
            replace(evaluation, reference=needed_reference(snapshot, evaluation.reference, evaluation).name)
            for evaluation in evaluations
        ]
    choices = [
        choose(snapshot, request.but(bank=name, grader=grader))
        for name in ([bank] if bank else named)
        for grader in wanted
        if BankRef.parse(name).name in known[grader]
    ]
    direct = [grader for grader in wanted if known[grader] == [None]]
    choices += [choose(snapshot, request.but(bank=None, grader=grader, label_rank=1)) for grader in direct]
    if not choices:
        raise UsageError(f"{snapshot.collection} has no grades by these graders on bank {bank}.")
    return choices + _without_grader(snapshot, request.but(reference=choices[0].reference), others)


def _without_grader(snapshot: Snapshot, request: Request, measures: Sequence[Measure]) -> list[Evaluation]:
    """An evaluation for each bank and kind of measure that looks at no grades."""
    evaluations: dict[LabelRule, Evaluation] = {}
    for measure in measures:
        known = [request.bank] if request.bank or measure.info.of == "scores" else banks(snapshot)
        for bank in known or [None]:
            made = choose(snapshot, request.but(measure=str(measure), bank=bank, grader=None, label_rank=1, tau=None))
            evaluations.setdefault(made.labelling, made)
    return list(evaluations.values())


def grid(
    snapshot: Snapshot,
    choices: Sequence[Evaluation],
    measures: Sequence[Measure],
    *,
    taus: Sequence[int] = TAUS,
    progress: Progress = no_progress,
) -> Grid:
    """Correlate every mode's leaderboards with their reference, over the runs that both have.

    `choices`: one for each grading mode (`grid_choices`); their own measure and tau are not read. `taus`: those above
    the scale of a grader are left out for it. Returns NaN where a measure needs questions that a grader does not have,
    or where all systems are equal. Raises UsageError: no such reference, or no mode can be evaluated.

    Source: EXAM++, table 3, whose typography the styles follow.
    """
    frames, unread, problems = [], list[str](), []
    notes = _about(choices, measures)
    notes += about_depth(snapshot, choices[0], measures)
    ends: dict[int, list[str]] = {}
    for number, choice in enumerate(choices, 1):
        mode = " ".join(filter(None, (bank_name(snapshot, choice.grading), choice.grading.series)))
        has_taus = choice.of_grades and not choice.grading.judgments
        within = taus_of(snapshot, choice.labelling, of_labels=False)
        own = [tau for tau in taus if tau in within]
        if has_taus and len(own) < len(taus):
            ends.setdefault(within[-1], []).append(mode)
        try:
            rows = _mode_rows(snapshot, choice, measures, own) if has_taus else None
            frames.append(_other_rows(snapshot, choice, measures) if rows is None else rows)
            scope = scope_of(snapshot, choice)
            unread += scope.about_unreadable()
            notes += scope.about_unanswered()
        except ExamboardError as error:
            problems.append((mode, str(error)))
        progress(number / len(choices))
    if not frames:
        raise UsageError("\n".join(dict.fromkeys(text for _, text in problems)))
    notes += [
        f"The scale of {', '.join(modes)} ends at {largest}: there are no rows for larger taus."
        for largest, modes in ends.items()
    ]
    notes += [f"{mode} is left out: {text}" for mode, text in problems]
    notes = list(dict.fromkeys([*unread, *notes]))
    result = styled_grid(
        snapshot.collection, choices[0].reference, measures, pd.concat(frames, ignore_index=True), notes
    )
    return replace(result, headings={str(measure): measure.heading(choices[0].labelling.depth) for measure in measures})


def styled_grid(
    collection: str, reference: str | None, measures: Sequence[Measure | str], rows: pd.DataFrame, notes: list[str]
) -> Grid:
    """A grid of rows that have all fields but the styles."""
    rows = rows.astype({"tau": "Int64", "n": "Int64"} | dict.fromkeys(COEFFICIENTS, float))
    for name in COEFFICIENTS:
        rows[f"style_{name}"] = ""
        for _, column in rows.groupby("measure")[name]:
            rows.loc[column.index, f"style_{name}"] = styles(column.to_numpy())
    if (rows["undefined"] == NO_ORDER).any():
        notes = [*notes, f"Correlations are undefined where {NO_ORDER}."]
    names = [str(measure) for measure in measures]
    return Grid(collection, reference or OFFICIAL, names, rows, notes)


def styles(values: Floats) -> list[str]:
    """Where each of a column's values stands.

    The best is marked whatever it is; below 0.5 nothing else counts as equally good. `values`: (n,) correlations of one
    measure; NaN is undefined and has no style. Returns "best", "low" below 0.5, "near" within 0.05 of the best, else
    "".

    Source: EXAM++, table 3 and section 5.1.
    """
    shown = np.round(values, DIGITS)
    if np.isnan(shown).all():
        return [""] * len(shown)
    best = np.nanmax(shown)
    # An undefined value meets none of the conditions.
    conditions = [shown == best, shown < POOR, np.round(best - shown, DIGITS) <= NEAR]
    return [str(style) for style in np.select(conditions, ["best", "low", "near"], "")]


def _about(choices: Sequence[Evaluation], measures: Sequence[Measure]) -> list[str]:
    """What a reader must know of the measures and of the graders of whole passages."""
    notes = []
    if graded := [str(item) for item in measures if item.info.of_grades and not item.tau_applies]:
        notes.append(f"Tau does not apply to {', '.join(graded)}: its value is the same at every tau.")
    if others := [str(entry) for entry in measures if not entry.info.of_grades]:
        notes.append(f"Measures that use no grades have rows without grader and tau: {', '.join(others)}.")
    direct = [str(choice.grading.series) for choice in choices if choice.of_grades and choice.grading.is_direct]
    asking = [str(measure) for measure in measures if measure.info.of == "questions"]
    if direct and asking:
        notes.append(f"{', '.join(asking)}: undefined for modes that label whole passages ({', '.join(direct)}).")
    if direct and (ranks := {choice.labelling.label_rank for choice in choices if choice.of_grades} - {1}):
        notes.append(f"Label rank {ranks.pop()} needs questions: graders of whole passages have label rank 1.")
    return notes


def _mode_rows(
    snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure], taus: Sequence[int]
) -> pd.DataFrame:
    """A mode's rows, by tau and measure."""
    graded = [measure for measure in measures if measure.info.of_grades]
    request = [measure for measure in graded if measure.info.of == "labels" or not choice.grading.is_direct]
    values = np.full((len(COEFFICIENTS), len(measures), len(taus)), np.nan)
    n = dict.fromkeys(request, 0)
    if request and taus:
        places = [measures.index(measure) for measure in request]
        values[:, places], compared = _coefficients(snapshot, choice, request, taus)
        n = dict(zip(request, compared, strict=True))
    mode, rows = (bank_name(snapshot, choice.grading), choice.grading.grader), []
    for column, tau in enumerate(taus):
        for row, measure in enumerate(measures):
            why = NO_ORDER if measure in request else NEEDS_QUESTIONS if measure in graded else OTHER_METHOD
            spearman, kendall = values[:, row, column].tolist()
            rows.append(cell((*mode, tau), measure, spearman, kendall, n.get(measure), why=why))
    return GRID.of(rows)


def _other_rows(snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure]) -> pd.DataFrame:
    """The row of a labelling without a tau: judgments, or the measures that look at the same as the choice's."""
    grader = choice.grading.series or NO_GRADER[choice.measure.info.of]
    mode, rows = (bank_name(snapshot, choice.grading), grader, None), []
    for measure in measures:
        if measure.info.of != choice.measure.info.of:
            rows.append(cell(mode, measure, why=NEEDS_QUESTIONS if measure.info.of == "questions" else OTHER_METHOD))
            continue
        board = leaderboard(snapshot, replace(choice, measure=measure, reference=None))
        result = against(board, needed_reference(snapshot, choice.reference, choice)).correlation
        assert result is not None, "there is a reference"
        rows.append(cell(mode, measure, result.spearman, result.kendall, result.n))
    return GRID.of(rows)


def cell(
    mode: Sequence[Any],
    measure: Measure | str,
    spearman: float = np.nan,
    kendall: float = np.nan,
    n: int | None = None,
    *,
    why: str = NO_ORDER,
) -> dict[str, Any]:
    """A row of `GRID` without its styles, of a mode (bank, grader, tau); `why` says why coefficients are undefined."""
    bank, grader, tau = mode
    fields = {"bank": bank, "grader": grader, "tau": tau, "measure": str(measure)}
    return fields | {"spearman": spearman, "kendall": kendall, "n": n, "undefined": why if np.isnan(spearman) else ""}


def _coefficients(
    snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure], taus: Sequence[int]
) -> tuple[Floats, list[int]]:
    """(2, M, T) Spearman and Kendall, and over how many runs each measure."""
    other = needed_reference(snapshot, choice.reference, choice)
    means, undefined = list[Floats](), list[Bools]()
    for _, values in values_by_runs(snapshot, choice, measures):
        means.append(mean_and_stderr(values)[0][:, [TAUS.index(tau) for tau in taus]])
        # Which queries count for a run does not depend on tau; on the measure it does where answers can't be read.
        undefined.append(np.asarray(np.isnan(values[:, 0]).all(axis=0)))
    mean, nowhere = np.concatenate(means, axis=-1), np.concatenate(undefined)
    book = gradebook(snapshot, choice.labelling)
    both = pair_with(Values(book.run_ids, book.query_ids, np.where(nowhere, np.nan, 0.0)), other)
    rows, n = [], []
    for board in mean[..., np.isin(book.run_ids, both.run_ids)]:
        has_mean = ~np.isnan(board[0])
        board, order = board[:, has_mean], both.order[has_mean]
        each = correlations(rounded_means(board) if choice.rounded == "trec_eval" else board, order, COEFFICIENTS)
        rows.append([getattr(each, name) for name in COEFFICIENTS])
        n.append(int(has_mean.sum()))
    return np.swapaxes(rows, 0, 1), n


MODE_NAME = ("bank", "grader", "tau")
PRINTED_NAMES = {"AP": "MAP"}
LEGEND_OF_TABLE = (
    "S: Spearman, K: Kendall. **best** of its column, *within 0.05 of the best*, (below 0.5), "
    f"{UNDEFINED}: undefined, blank: not computed."
)
Cell = tuple[float, str, str]
"""Value, style, and why it is undefined."""

_MARKS = {"best": ("**", "**"), "near": ("*", "*"), "low": ("(", ")"), "": ("", "")}
_COMMANDS = {"best": r"\textbf{\textit{%s}}", "near": r"\textbf{%s}", "low": r"\textcolor{gray}{%s}", "": "%s"}


def grid_table(grid: Grid) -> pd.DataFrame:
    """The grid as texts, styles as marks, with the decimal points of a column below each other."""
    columns = [f"{_printed(grid, name)} {letter}" for name in grid.measures for letter in "SK"]
    lines = [[*mode, *(_text_cell(*cell) for cell in cells), n] for mode, cells, n in _lines(grid)]
    return pd.DataFrame(lines, columns=[*MODE_NAME, *columns, "n"])


def grid_latex(grid: Grid) -> str:
    r"""The grid for LaTeX with booktabs and xcolor: best \textbf{\textit{}}, near \textbf{}, low in gray."""
    names = [escaped(_printed(grid, name)) for name in grid.measures]
    spans = [(4 + 2 * place, 5 + 2 * place) for place in range(len(names))]
    heads = ["", "", "", *(rf"\multicolumn{{2}}{{c}}{{{name}}}" for name in names), ""]
    letters = ["Bank", "Grader", r"$\tau$", *("S", "K") * len(names), "$n$"]
    body = [[*map(escaped, mode), *(_latex_cell(*cell) for cell in cells), n] for mode, cells, n in _lines(grid)]
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs} and \usepackage{xcolor}.",
            rf"\begin{{tabular}}{{llr{'rr' * len(names)}r}}",
            r"\toprule",
            _row(heads),
            " ".join(rf"\cmidrule(lr){{{first}-{last}}}" for first, last in spans),
            _row(letters),
            r"\midrule",
            *map(_row, body),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _lines(grid: Grid) -> list[tuple[list[str], list[Cell], str]]:
    """Each line's mode, its cells measure by measure, and its number of runs."""
    lines = []
    for mode, group in itertools.groupby(grid.rows.to_dict("records"), _mode_of):
        rows = {row["measure"]: row for row in group}
        cells = [
            (rows[name][coefficient], rows[name][f"style_{coefficient}"], rows[name]["undefined"])
            for name in grid.measures
            for coefficient in COEFFICIENTS
        ]
        numbers = sorted({int(row["n"]) for row in rows.values() if not pd.isna(row["n"])})
        n = "-".join(map(str, dict.fromkeys(numbers[:1] + numbers[-1:])))
        lines.append((mode, cells, n))
    return lines


def _mode_of(row: dict[Any, Any]) -> list[str]:
    return ["" if pd.isna(row[name]) else str(row[name]) for name in MODE_NAME]


def _text_cell(value: float, style: str, undefined: str) -> str:
    before, after = _MARKS[style]
    return (before + _number(value, undefined)).rjust(8) + after.ljust(2)


def _latex_cell(value: float, style: str, undefined: str) -> str:
    return _COMMANDS[style] % escaped(_number(value, undefined))


def _number(value: float, undefined: str) -> str:
    """Three digits; nothing where there is no such cell, a dash where there is no order."""
    if undefined in (NEEDS_QUESTIONS, NOT_PRINTED, OTHER_METHOD):
        return ""
    return UNDEFINED if undefined else f"{value:.3f}"


def _printed(grid: Grid, measure: str) -> str:
    """A measure's heading, with its name as the paper prints it."""
    return PRINTED_NAMES.get(measure, measure) + grid.heading(measure).removeprefix(measure)


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


CSS = {"best": "font-weight: italic 700", "near": "font-weight: 700", "low": "color: #808080", "": ""}
"""Streamlit's tables put the weight before the size of the font, where the slant belongs as well."""
LEGEND = (
    "S: Spearman, K: Kendall. Bold italic: best of its column; bold: within 0.05 of it; grey: below 0.5 (EXAM++, "
    f"table 3). {UNDEFINED}: undefined."
)
WIDE = ResultTable(
    "grid: wide",
    "The grid with a row for each grading mode and tau; two columns for each measure, which are named after it",
    text("line", "Grading mode and tau", "In words."),
    GRID["bank"],
    replace(GRID["grader"], width="medium"),
    replace(GRID["tau"], width="small"),
    replace(GRID["spearman"], label="Measure S"),
    replace(GRID["kendall"], label="Measure K"),
    replace(RUNS, width="small"),
)


@dataclass(frozen=True)
class WideGrid:
    """A grid with a row for each grading mode and tau: its values, the style of each cell, and the columns."""

    table: pd.DataFrame
    css: pd.DataFrame
    columns: ResultTable


def wide_grid(grid: Grid) -> WideGrid:
    """The grid with its measures side by side, in the order of its rows."""
    mode = ["bank", "grader", "tau"]
    rows = grid.rows.assign(line=[_line(*row) for row in grid.rows[mode].itertuples(index=False)])
    lines = rows.drop_duplicates("line").set_index("line")
    table, css = lines[mode], pd.DataFrame("", lines.index, ["line", *mode])
    heads: list[ResultColumn] = []
    for measure in grid.measures:
        mine = rows[rows["measure"] == measure].set_index("line").reindex(lines.index)
        for name in COEFFICIENTS:
            head = f"{grid.heading(measure)} {name[0].upper()}"
            heads.append(replace(WIDE[name], name=head, label=head))
            table = table.assign(**{head: mine[name]})
            css = css.assign(**{head: mine[f"style_{name}"].map(CSS)})
    table = table.assign(n=rows.groupby("line")["n"].max()).reset_index()
    columns = ResultTable(WIDE.name, WIDE.meaning, *WIDE.ordered("line", *mode).columns, *heads, WIDE["n"])
    return WideGrid(table, css.assign(n="").reset_index(drop=True), columns)


def best_cells(grid: Grid) -> str:
    """The best Kendall of each measure in words."""
    sentences = []
    for measure, mine in grid.rows[grid.rows["style_kendall"] == "best"].groupby("measure", sort=False):
        measure = grid.heading(str(measure))
        first, *others = [_line(*row) for row in mine[["bank", "grader", "tau"]].itertuples(index=False)]
        more = f" and {len(others)} more" if others else ""
        sentences.append(f"Kendall of {measure} is best, {mine['kendall'].iloc[0]:.3f}, for {first}{more}.")
    return " ".join(sentences)


def _line(bank: str | None, grader: str | None, tau: int | None) -> str:
    """A mode and its tau in words."""
    parts = [*(str(part) for part in (bank, grader) if not pd.isna(part)), *([] if pd.isna(tau) else [f"tau {tau}"])]
    return ", ".join(parts)
