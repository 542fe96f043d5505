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
from exam_core.analysis.displacements import called, verdict
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
from exam_core.wings.live.cube import INTERVALS, JUDGED_FROM, Choice, Cube, CubeBoard, LiveMode, Place, worlds
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
        """The number of a value, which is kept if it is new."""
        key = tuple(value) if isinstance(value, list) else value
        if key not in self.places:
            self.places[key] = len(self.values)
            self.values.append(value)
        return self.places[key]


def plain(values: Sequence[float] | Floats) -> list[float | int | None]:
    """Numbers as JSON has them: whole ones without a point, undefined ones null."""
    return [None if math.isnan(one) else int(one) if float(one).is_integer() else float(one) for one in values]


def thousandths(values: Sequence[float] | Floats) -> list[int | None]:
    """Numbers as they are printed with three digits, without the point; undefined ones null."""
    return [None if math.isnan(one) else int(f"{one:.3f}".replace(".", "")) for one in values]


def packed(text: str) -> str:
    """A text compressed, the same bytes for the same text."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def live_methods(found: Cube) -> dict[str, Any]:
    """Sentences with the papers that they name, by place and reference the numbers of a paragraph's sentences.

    A paragraph is about one grading mode. With it goes what is said of each mode, and the number of the sentence that
    says it: of several modes on the same bank, a paragraph is the first one's with the others in that sentence
    (methods.js).
    """
    sentences, paragraphs = Numbered(), Numbered()

    def number(place: Place, reference: str | None) -> int:
        return paragraphs.of([sentences.of(one) for one in _paragraph(found, [place], reference).sentences])

    at = {",".join(map(str, place)): [number(place, name) for name in _references(found)] for place in found.at}
    modes = [
        {
            "grader": mode.grader,
            "bank": mode.bank,
            "sentence": sentences.of(graders_sentence([said])),
            "said": _with_papers(said),
        }
        for mode in found.axes.modes
        for said in [grader_in_words(figures_of(found.snapshot), mode.grader)]
    ]
    cited = {paper.key for paper in Methods(tuple(sentences.values)).papers}
    return {
        "sentences": [_with_papers(one) for one in sentences.values],
        "paragraphs": paragraphs.values,
        "at": at,
        "modes": modes,
        "papers": {paper.key: paper.bibtex for paper in PAPERS if paper.key in cited},
    }


def _with_papers(sentence: str) -> tuple[str, list[str]]:
    found = Methods((sentence,))
    return found.words, [paper.key for paper in found.papers]


def first_methods(found: Cube, first: Mapping[str, Any]) -> list[Methods]:
    """The paragraphs of the first choice, one for each bank."""
    rest = first["measure"], first["tau"], first["labelRank"], first["leftOut"]
    places: list[Place] = [(mode, *rest) for mode in first["modes"] if (mode, *rest) in found.at]
    name = _references(found)[first["reference"]]
    return [_paragraph(found, group, name) for group in _by_bank(found, places)]


def _paragraph(found: Cube, places: Sequence[Place], reference: str | None) -> Methods:
    """The paragraph of some grading modes, of which everything but the mode is the same."""
    boards = [found.boards[found.at[place]] for place in places]
    shown = [one.beside[reference] if reference else one.board for one in boards]
    choices = [place[:-1] for place in places]
    evaluated = [
        Evaluated(board, found.choices[choice], _agreed(found, choice))
        for board, choice in zip(shown, choices, strict=True)
    ]
    return paragraph(figures_of(worlds(found.snapshot, found.axes)[places[0][-1]]), evaluated)


def _by_bank(found: Cube, places: Sequence[Place]) -> list[list[Place]]:
    """Places of modes on one bank together; modes of whole passages, which have none, are with the first."""
    banks = [found.axes.modes[place[0]].bank for place in places]
    first = next((bank for bank in banks if bank), None)
    owned = [bank or first for bank in banks]
    return [[place for place, own in zip(places, owned, strict=True) if own == bank] for bank in dict.fromkeys(owned)]


def _references(found: Cube) -> Sequence[str | None]:
    return found.axes.references or [None]


def _agreed(found: Cube, choice: Choice) -> Agreed | None:
    """What is said of the agreement with the judgments beside this choice, which is computed already."""
    mode, _, tau, rank = choice
    if found.choices[choice].grading.judgments:
        return None
    agreed = found.agreements.get((mode, tau, rank), [])
    cut = found.asked.relevant_from
    return next((Agreed(one.tau, cut, one.n) for one in agreed if one.relevant_from == cut), None)


PLACES = ("rank", "reference_rank", "rank_displacement", "low", "high")
TESTS = ("p", "p_holm")
OUTLIER_COLUMNS = (*PLACES, *TESTS, "flagged")
"""Columns of `outliers: rows` that a live page shows."""


def outlying(
    found: Outliers, runs: Sequence[str], names: Mapping[str, str], notes: Numbered, texts: Numbered
) -> dict[str, Any]:
    """How far each run is displaced, by the runs' places; flags are 1 and 0, undefined ones null.

    Parameters
    ----------
    names : what graders are called, by id
    notes, texts : take the sentences, and the lists of ranks as they are shown, each once
    """
    rows = found.rows.set_index("run_id").reindex(runs)
    flags = rows["flagged"].astype("Int64").astype(object)
    return {
        **{name: plain(rows[name].to_numpy(float)) for name in PLACES},
        "rankTexts": texts.of(rank_texts(rows["rank"].tolist())),
        "referenceRankTexts": texts.of(rank_texts(rows["reference_rank"].tolist())),
        **{name: thousandths(rows[name].to_numpy(float)) for name in TESTS},
        "flagged": [None if flag is None else int(flag) for flag in flags.where(flags.notna(), None)],
        "said": [notes.of(sentence) for sentence in verdict(called(found, names))],
        "notes": [notes.of(note) for note in found.notes],
    }


def headings() -> dict[str, dict[str, str]]:
    """Heading and meaning of each column."""
    return {name: {"label": OUTLIER_ROWS[name].label, "help": OUTLIER_ROWS[name].explained} for name in OUTLIER_COLUMNS}


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
            _mode(at, mode, found, several=len({one.bank for one in axes.modes if one.bank}) > 1)
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
        "notes": [in_words(for_readers(note), found.names) for note in notes.values],
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
        "title": _title(one, found),
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


def _title(one: CubeBoard, found: Cube) -> str:
    """A board's title in words; of several modes of one bank by its mode."""
    bank, name = one.board.bank, found.names.get(one.board.grader or "")
    if len(found.axes.modes) > 1 and name and len({mode.bank for mode in found.axes.modes if mode.bank}) < 2:
        return method_in_words(f"{name} {one.title.removeprefix(f'{bank or one.board.grader} ')}")
    return method_in_words(one.title)


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
        "ofItself": bool(board.of_itself),
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


def _mode(at: int, mode: LiveMode, found: Cube, *, several: bool) -> dict[str, Any]:
    """A grading mode with its looks; its bank is named where there are several, or one in a version of its own."""
    name = found.names.get(mode.grader, mode.grader)
    judged = judgments_of(found.snapshot, mode.grader)
    several = several or mode.has_version
    return {
        "id": f"{mode.bank}:{mode.grader}" if mode.bank else mode.grader,
        "name": f"{mode.bank}: {name}" if mode.bank and several else name,
        "largestTau": TAUS[-1] if judged else min(TAUS[-1], scale_of(found.snapshot, mode.grader)),
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
