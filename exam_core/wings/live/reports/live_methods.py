"""The methods paragraph of every choice of a live page: each sentence once, and which of them a choice has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from exam_core.analysis.figures import figures_of
from exam_core.reports.bibliography import PAPERS
from exam_core.reports.methods_paragraph import (
    Agreed,
    Evaluated,
    Methods,
    grader_in_words,
    graders_sentence,
    paragraph,
)
from exam_core.wings.live.analysis.axes import worlds
from exam_core.wings.live.analysis.cube import Choice, Cube, Place
from exam_core.wings.live.reports.packing import Numbered


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
