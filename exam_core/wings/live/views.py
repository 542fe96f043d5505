"""Pinned views as choices of a live page."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import evaluation_of, leave_out
from exam_core.analysis.references import find_reference
from exam_core.analysis.references import references as references_of
from exam_core.errors import ExamboardError, UsageError
from exam_core.hiding import telling_words
from exam_core.measures import Measure
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.store.question_banks import find_bank
from exam_core.store.summary import graded_banks, run_ids
from exam_core.view import View
from exam_core.wings.live.cube import JUDGED_FROM, Axes, Cube, LiveMode, request_of
from exam_core.wording import METHODS

SECTIONS = {
    "Leaderboard": "title",
    "Outliers": "outliers-section",
    METHODS: "taus-section",
    "Agreement": "agreement-section",
}
"""Pages of the dashboard that a live page has the like of, with its place."""
SHOWN = {"re-normalised": "normalised", "raw": "raw", "ranks": "ranks"}
"""What a live page calls what its chart shows."""
SAME = ("depth", "label_map", "missing", "order", "ncover_pool", "rounded", "judgments", "groups")
"""What a live page has once for all its choices."""


def with_views(
    snapshot: Snapshot, request: Request, axes: Axes, views: Sequence[View]
) -> tuple[Axes, list[View], list[str]]:
    """The choices with those of views, the views that can be shown, and of the others a sentence why not.

    Parameters
    ----------
    request : what the axes leave open
    """
    shown, sentences = [], []
    for view in views:
        try:
            axes = _reaching(snapshot, request, axes, view)
        except ExamboardError as error:
            sentences.append(f"The view {view.heading!r} is left out: {error}")
        else:
            shown.append(view)
    return axes, shown, sentences


def choice_of(snapshot: Snapshot, request: Request, axes: Axes, view: View) -> dict[str, Any]:
    """What a view shows, as a live page's state has it: places in the axes, and what its chart shows.

    Parameters
    ----------
    request : what the axes leave open
    """
    own, modes = view.asked, _modes(snapshot, axes, view)
    return {
        "modes": [axes.modes.index(mode) for mode in modes],
        "measure": axes.measures.index(_measure(view)),
        "tau": axes.taus.index(_tau(snapshot, request, axes, view)),
        "labelRank": axes.label_ranks.index(own.label_rank),
        "reference": axes.references.index(name) if (name := _reference(snapshot, view)) else 0,
        "leftOut": axes.left_out.index(_left_out(snapshot, view)),
        "view": SHOWN[view.shown],
        "order": "own" if view.own_order else "reference",
        "runs": telling_words(view.own("runs"), run_ids(snapshot)),
    }


def _reaching(snapshot: Snapshot, request: Request, axes: Axes, view: View) -> Axes:
    """The choices with that of a view. Raises ExamboardError where a live page can't show it."""
    _check(snapshot, request, view)
    modes, runs, name = _modes(snapshot, axes, view), _left_out(snapshot, view), _reference(snapshot, view)
    leave_out(snapshot, runs)
    for mode in modes:
        find_reference(snapshot, name, _evaluated(snapshot, view, mode))
    _tau(snapshot, request, axes, view)
    return replace(
        replace(axes, modes=modes).with_measure(snapshot, _measure(view)),
        modes=list(dict.fromkeys([*axes.modes, *modes])),
        label_ranks=tuple(sorted({*axes.label_ranks, view.asked.label_rank})),
        references=list(dict.fromkeys([*axes.references, *([name] if name else [])])),
        left_out=tuple(dict.fromkeys([*axes.left_out, runs])),
    )


def _check(snapshot: Snapshot, request: Request, view: View) -> None:
    """Raise UsageError for a view of something else than a live page has."""
    own = view.asked
    if view.page not in SECTIONS:
        raise UsageError(f"a live page has nothing like the page {view.page}.")
    if not view.series:
        raise UsageError("it has no grading mode.")
    for name in SAME:
        if getattr(own, name) != getattr(request, name):
            text = name.replace("_", " ")
            raise UsageError(f"its {text} is {getattr(own, name)}, and the page's is {getattr(request, name)}.")
    if (view.own_document == "yes") != snapshot.own_documents:
        raise UsageError("it and the page differ in whether queries' own documents are left out.")
    if own.relevant_from not in JUDGED_FROM:
        raise UsageError(f"a live page has kappa for a judgment threshold of 1 or 2, not {own.relevant_from}.")
    words = "\n".join((view.title, view.note, view.sentence or "")).casefold()
    if any(run.casefold() in words for run in snapshot.unnamed):
        raise UsageError("its words name a run that is not to be in the file.")


def _evaluated(snapshot: Snapshot, view: View, mode: LiveMode) -> Evaluation:
    """What a view shows of a mode."""
    return evaluation_of(snapshot, view.asked.but(bank=mode.bank, reference=None), mode.grader)[0]


def _tau(snapshot: Snapshot, request: Request, axes: Axes, view: View) -> int:
    """The live page's one tau at which each mode has that of the view: the view's own first.

    Raises UsageError where there is none.
    """
    modes, measure, rank = _modes(snapshot, axes, view), _measure(view), view.asked.label_rank
    for tau in sorted(axes.taus, key=lambda tau: tau != view.asked.tau):
        shown = (
            evaluation_of(snapshot, request_of(snapshot, request, mode, measure, tau, rank), mode.grader)[0]
            for mode in modes
        )
        if all(choice.tau == _evaluated(snapshot, view, mode).tau for choice, mode in zip(shown, modes, strict=True)):
            return tau
    raise UsageError("its grading modes have taus that no single tau of a live page gives them.")


def _modes(snapshot: Snapshot, axes: Axes, view: View) -> list[LiveMode]:
    """The grading modes of a view, as the axes have them where they do: genq@2 is genq where that is the newest."""
    bank, graded = view.asked.bank, graded_banks(snapshot)
    wanted = find_bank(snapshot, bank) if bank else None
    known = {(mode.grader, find_bank(snapshot, mode.bank) if mode.bank else None): mode for mode in axes.modes}
    live_modes = []
    for grader in view.series:
        of_questions = wanted is not None and wanted[0] in graded.get(grader, ())
        mode = LiveMode(grader, bank if of_questions else None)
        live_modes.append(known.get((grader, wanted if of_questions else None), mode))
    return live_modes


def _measure(view: View) -> str:
    return str(Measure.parse(view.asked.measure))


def _reference(snapshot: Snapshot, view: View) -> str | None:
    return view.asked.reference or next(iter(references_of(snapshot)), None)


def _left_out(snapshot: Snapshot, view: View) -> tuple[str, ...]:
    """Runs that a view leaves out of those that there are."""
    return tuple(sorted({*view.without} - {*snapshot.left_out}))


def live_views(cube: Cube, views: Sequence[View]) -> list[dict[str, Any]]:
    """Each view's words, its choice and its place on the page."""
    listed = []
    for view in views:
        at_top = view.page == "Leaderboard"
        words = [] if at_top else [view.sentence]
        listed.append(
            {
                "title": view.heading,
                "note": "\n".join(filter(None, [*words, view.note, *view.about_data(cube.snapshot.fingerprint)])),
                "sentence": view.sentence if at_top else None,
                "section": SECTIONS[view.page],
                "choice": choice_of(cube.snapshot, cube.request, cube.axes, view),
            }
        )
    return listed


def screens(views: Sequence[Mapping[str, Any]]) -> str:
    """A button for each view, as HTML; nothing where there are none."""
    if not views:
        return ""
    buttons = "".join(
        f'<button type="button">{place}. {html.escape(view["title"])}</button>' for place, view in enumerate(views, 1)
    )
    return f'<fieldset id="views"><legend>Views</legend>{buttons}</fieldset>'


def first_note(views: Sequence[Mapping[str, Any]]) -> str:
    """The place of a view's note with that of the first, as HTML; nothing where there are none."""
    return f'<p id="note" aria-live="polite">{html.escape(views[0]["note"])}</p>' if views else ""
