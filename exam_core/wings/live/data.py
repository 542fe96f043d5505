"""The data of a live page: tables, outliers and methods paragraphs as JSON in which repeated texts stand once."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from exam_core.aliases import in_words
from exam_core.analysis.agreement import Agreement
from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import judgments_of
from exam_core.analysis.displacements import verdict, with_names
from exam_core.analysis.figures import figures_of
from exam_core.analysis.grade_scales import scale_of
from exam_core.analysis.leaderboard import ROWS, SCORES, Leaderboard, displacement
from exam_core.analysis.outliers import ROWS as OUTLIER_ROWS
from exam_core.analysis.outliers import Outliers
from exam_core.analysis.references import about_ties
from exam_core.charts.chart_layout import colour, dash
from exam_core.charts.leaderboard_lines import SYMBOLS
from exam_core.measures import Measure
from exam_core.numbers.arrays import Floats
from exam_core.reports.methods_paragraph import (
    PAPERS,
    Agreed,
    Evaluated,
    Methods,
    grader_in_words,
    graders_sentence,
    paragraph,
)
from exam_core.wings.live.cube import INTERVALS, JUDGED_FROM, Choice, Cube, CubeBoard, LiveMode
from exam_core.wording import (
    UNDEFINED,
    cut_in_words,
    for_readers,
    method_in_words,
    rank_heading,
    rank_interval,
    rank_texts,
    reference_in_words,
)


@dataclass(frozen=True)
class Numbered:
    """Values that occur often, each once, by number."""

    values: list[Any] = field(default_factory=list)
    places: dict[Any, int] = field(default_factory=dict)

    def of(self, value: Any) -> int:
        """The number of a value; a new value gets the next."""
        key = tuple(value) if isinstance(value, list) else value
        if key not in self.places:
            self.places[key] = len(self.values)
            self.values.append(value)
        return self.places[key]


def plain(values: Sequence[float] | Floats) -> list[float | int | None]:
    """Numbers as JSON has them: whole ones without a point, undefined ones null."""
    return [
        None if math.isnan(value) else int(value) if float(value).is_integer() else float(value) for value in values
    ]


def thousandths(values: Sequence[float] | Floats) -> list[int | None]:
    """Numbers as they are printed with three digits, without the point; undefined ones null."""
    return [None if math.isnan(value) else int(f"{value:.3f}".replace(".", "")) for value in values]


def packed(text: str) -> str:
    """A text compressed, the same bytes for the same text."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def live_methods(cube: Cube) -> dict[str, Any]:
    """Sentences with the papers that they name, by place and reference the numbers of a paragraph's sentences.

    A paragraph is about one grading mode. With it goes what is said of each mode, and the number of the sentence that
    says it: of several modes on the same bank, a paragraph is the first one's with the others in that sentence
    (methods.js).
    """
    sentences, paragraphs = Numbered(), Numbered()

    def number(place: Choice, reference: str | None) -> int:
        return paragraphs.of([sentences.of(sentence) for sentence in _paragraph(cube, [place], reference).sentences])

    at = {",".join(map(str, place)): [number(place, name) for name in _references(cube)] for place in cube.at}
    modes = [
        {
            "grader": cube.names.get(mode.grader, mode.grader),
            "bank": mode.bank,
            "sentence": sentences.of(graders_sentence([text])),
            "said": _with_papers(text),
        }
        for mode in cube.axes.modes
        for text in [grader_in_words(figures_of(cube.snapshot), mode.grader)]
    ]
    cited = {paper.key for paper in Methods(tuple(sentences.values)).papers}
    return {
        "sentences": [_with_papers(value) for value in sentences.values],
        "paragraphs": paragraphs.values,
        "at": at,
        "modes": modes,
        "papers": {paper.key: paper.bibtex for paper in PAPERS if paper.key in cited},
    }


def _with_papers(sentence: str) -> tuple[str, list[str]]:
    methods = Methods((sentence,))
    return methods.words, [paper.key for paper in methods.papers]


def first_methods(cube: Cube, first: Mapping[str, Any]) -> list[Methods]:
    """The paragraphs of the first choice, one for each bank."""
    rest = first["measure"], first["tau"], first["labelRank"]
    places: list[Choice] = [(mode, *rest) for mode in first["modes"] if (mode, *rest) in cube.at]
    name = _references(cube)[first["reference"]]
    return [_paragraph(cube, group, name) for group in _by_bank(cube, places)]


def _paragraph(cube: Cube, places: Sequence[Choice], reference: str | None) -> Methods:
    """The paragraph of some grading modes, of which everything but the mode is the same."""
    boards = [cube.boards[cube.at[place]] for place in places]
    shown = [cube_board.beside[reference] if reference else cube_board.board for cube_board in boards]
    pairs = zip(shown, places, strict=True)
    evaluated = [Evaluated(board, cube.choices[choice], _agreed(cube, choice)) for board, choice in pairs]
    return paragraph(figures_of(cube.snapshot), evaluated)


def _by_bank(cube: Cube, places: Sequence[Choice]) -> list[list[Choice]]:
    """Places of modes on one bank together; modes of whole passages, which have none, are with the first."""
    banks = [cube.axes.modes[place[0]].bank for place in places]
    first = next((bank for bank in banks if bank), None)
    owned = [bank or first for bank in banks]
    return [[place for place, own in zip(places, owned, strict=True) if own == bank] for bank in dict.fromkeys(owned)]


def _references(cube: Cube) -> Sequence[str | None]:
    return cube.axes.references or [None]


def _agreed(cube: Cube, choice: Choice) -> Agreed | None:
    """What is said of the agreement with the judgments beside this choice, which is computed already."""
    mode, _, tau, rank = choice
    if cube.choices[choice].grading.judgments:
        return None
    cut = cube.request.relevant_from
    agreements = (
        agreement for agreement in cube.agreements.get((mode, tau, rank), ()) if agreement.relevant_from == cut
    )
    return next((Agreed(agreement.tau, cut, agreement.n) for agreement in agreements), None)


PLACES = ("rank", "reference_rank", "rank_displacement", "low", "high")
TESTS = ("p", "p_holm")
OUTLIER_COLUMNS = (*PLACES, *TESTS, "flagged")
"""Columns of `outliers: rows` that a live page shows."""


def outlying(
    outliers: Outliers, runs: Sequence[str], names: Mapping[str, str], notes: Numbered, texts: Numbered
) -> dict[str, Any]:
    """How far each run is displaced, by the runs' places; flags are 1 and 0, undefined ones null.

    Parameters
    ----------
    names : what graders are called, by id
    notes, texts : take the sentences, and the lists of ranks as they are shown, each once
    """
    rows = outliers.rows.set_index("run_id").reindex(runs)
    flags = rows["flagged"].astype("Int64").astype(object)
    return {
        **{name: plain(rows[name].to_numpy(float)) for name in PLACES},
        "rankTexts": texts.of(rank_texts(rows["rank"].tolist())),
        "referenceRankTexts": texts.of(rank_texts(rows["reference_rank"].tolist())),
        **{name: thousandths(rows[name].to_numpy(float)) for name in TESTS},
        "flagged": [None if flag is None else int(flag) for flag in flags.where(flags.notna(), None)],
        "said": [notes.of(sentence) for sentence in verdict(with_names(outliers, names))],
        "notes": [notes.of(note) for note in outliers.notes],
    }


COLUMNS = ("rank", "mean", "stderr", "normalised", "normalised_stderr", "n_queries", "unanswered")
STANDING = ("tier", "rank_low", "rank_high", "holes")
"""Columns of a board's rows, and of its standing, that a live page shows; others are about the reference."""


def live_data(cube: Cube) -> dict[str, Any]:
    """Everything of a cube but the values by query; numbers are those of the command line, undefined ones null."""
    axes = cube.axes
    runs = cube.run_ids
    notes, ranks, texts = Numbered(), Numbered(), Numbered()
    boards = [_board(board, runs, cube, notes, ranks, texts) for board in cube.boards]
    agreements = Numbered()
    agreed = {
        ",".join(map(str, place)): [agreements.of(json.dumps(_agreement(agreement, notes))) for agreement in of_cuts]
        for place, of_cuts in cube.agreements.items()
    }
    several = len({mode.bank for mode in axes.modes if mode.bank}) > 1
    return {
        "collection": cube.snapshot.collection,
        "runs": runs,
        "modes": [_mode(at, mode, cube, several=several) for at, mode in enumerate(axes.modes)],
        "measures": [_measure(name) for name in axes.measures],
        "taus": list(axes.taus),
        "labelRanks": list(axes.label_ranks),
        "references": [
            {"id": name, "name": reference_in_words(name), "heading": rank_heading(name)} for name in axes.references
        ],
        "cuts": list(JUDGED_FROM),
        "relevantFrom": cube.request.relevant_from,
        "columns": {
            name: {"label": of[name].label, "help": of[name].explained}
            for of, names in ((ROWS, COLUMNS), (SCORES, (*STANDING, "displacement")))
            for name in names
        },
        "outlierColumns": {
            name: {"label": OUTLIER_ROWS[name].label, "help": OUTLIER_ROWS[name].explained} for name in OUTLIER_COLUMNS
        },
        "at": {",".join(map(str, place)): number for place, number in cube.at.items()},
        "missing": {",".join(map(str, place)): notes.of(text) for place, text in cube.missing.items()},
        "boards": boards,
        "agreedAt": agreed,
        "agreements": [json.loads(value) for value in agreements.values],
        "notes": [in_words(for_readers(note), cube.names) for note in notes.values],
        "ranks": ranks.values,
        "texts": texts.values,
        "methods": live_methods(cube),
    }


def live_values(cube: Cube) -> dict[str, Any]:
    """Values by query, in thousandths: those of a run, each once, and by board and run their number."""
    lists = Numbered()
    boards = [[lists.of(values) for values in _by_query(board, cube)] for board in cube.boards]
    return {"queries": cube.query_ids, "boards": boards, "lists": lists.values}


def _by_query(cube_board: CubeBoard, cube: Cube) -> list[list[int | None]]:
    table = pd.DataFrame(cube_board.values.values, cube_board.values.run_ids, cube_board.values.query_ids)
    return [thousandths(row) for row in table.reindex(index=cube.run_ids, columns=cube.query_ids).to_numpy(float)]


def _board(
    cube_board: CubeBoard, runs: Sequence[str], cube: Cube, notes: Numbered, ranks: Numbered, texts: Numbered
) -> dict[str, Any]:
    rows, known = (frame.set_index("run_id").reindex(runs) for frame in (cube_board.board.rows, cube_board.standing))
    overall = cube_board.board.overall
    intervals = [
        rank_interval(low, high) or UNDEFINED for low, high in zip(known["rank_low"], known["rank_high"], strict=True)
    ]
    return {
        "title": _title(cube_board, cube),
        "heading": cube_board.board.heading,
        "tau": cube_board.tau,
        **{name: plain(rows[name].to_numpy(float)) for name in COLUMNS},
        **{name: plain(known[name].to_numpy(float, na_value=math.nan)) for name in STANDING},
        "rankTexts": texts.of(rank_texts(rows["rank"].tolist())),
        "rankIntervals": texts.of(intervals),
        "overall": None if overall is None else plain(overall),
        "notes": [notes.of(text) for text in cube_board.board.notes],
        "beside": [_beside(cube_board, name, runs, notes, ranks, texts) for name in cube.axes.references],
        "outliers": [
            outlying(cube_board.outliers[name], runs, cube.names, notes, texts) for name in cube.axes.references
        ],
    }


def _title(cube_board: CubeBoard, cube: Cube) -> str:
    """A board's title in words; of several modes of one bank by its mode."""
    bank, name = cube_board.board.bank, cube.names.get(cube_board.board.grader or "")
    if len(cube.axes.modes) > 1 and name and len({mode.bank for mode in cube.axes.modes if mode.bank}) < 2:
        return method_in_words(f"{name} {cube_board.title.removeprefix(f'{bank or cube_board.board.grader} ')}")
    return method_in_words(cube_board.title)


def _beside(
    cube_board: CubeBoard, name: str, runs: Sequence[str], notes: Numbered, ranks: Numbered, texts: Numbered
) -> dict[str, Any] | None:
    board: Leaderboard = cube_board.beside[name]
    if board.correlation is None:
        return None
    observed = {key: plain([getattr(board.correlation, key)])[0] for key in INTERVALS}
    ties = about_ties(name, board.correlation.tau_ap, board.correlation.tau_ap_b)
    ends = {
        key: plain((cube_board.truths[name][key].low, cube_board.truths[name][key].high))
        for key in INTERVALS
        if key in cube_board.truths[name]
    }
    rows = board.rows.assign(displacement=displacement(board.rows)).set_index("run_id").reindex(runs)
    return observed | {
        "n": board.correlation.n,
        "ends": ends,
        "ranks": ranks.of(plain(rows["reference_rank"].to_numpy(float))),
        "rankTexts": texts.of(rank_texts(rows["reference_rank"].tolist())),
        "displacement": plain(rows["displacement"].to_numpy(float)),
        "notes": [notes.of(text) for text in [*board.notes, *ties]],
        "ofItself": bool(board.of_itself),
    }


def _agreement(agreement: Agreement, notes: Numbered) -> dict[str, Any]:
    return {
        "tau": agreement.tau,
        "from": agreement.relevant_from,
        "relevant": cut_in_words(agreement.tau, agreement.relevant_from, agreement.label_rank or 1),
        "table": agreement.confusion.tolist(),
        "kappa": plain([agreement.kappa])[0],
        "ends": plain(agreement.kappa_interval) if agreement.kappa_interval else None,
        "n": agreement.n,
        "graded": agreement.graded,
        "notes": [notes.of(text) for text in agreement.notes],
    }


def _mode(at: int, mode: LiveMode, cube: Cube, *, several: bool) -> dict[str, Any]:
    """A grading mode with its looks; its bank is named where there are several, or one in a version of its own."""
    name = cube.names.get(mode.grader, mode.grader)
    judged = judgments_of(cube.snapshot, mode.grader)
    several = several or mode.has_version
    return {
        "id": f"{mode.bank}:{mode.grader}" if mode.bank else mode.grader,
        "name": f"{mode.bank}: {name}" if mode.bank and several else name,
        "largestTau": TAUS[-1] if judged else min(TAUS[-1], scale_of(cube.snapshot, mode.grader)),
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
