"""Cached calls into the analysis: the only place for Streamlit's caches."""

from __future__ import annotations

import atexit
import gc
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from exam_core.analysis.choice import TAUS
from exam_core.analysis.comparison import Comparison
from exam_core.analysis.figures import figures_of
from exam_core.analysis.references import references
from exam_core.analysis.unlabelled import measures_of
from exam_core.charts.leaderboard_lines import leaderboard_figure
from exam_core.errors import ExamboardError
from exam_core.measures import Measure
from exam_core.reports.part import BoardView, Picture, picture_of
from exam_core.request import DEPTH, Request
from exam_core.rights import require
from exam_core.store import Snapshot, Store, default_store
from exam_core.store import summary as holdings
from exam_core.store.snapshot import Validity, ValueCache, validity_of
from pages.shared.selection import Selection


def key_of(function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Hashable:
    """What makes two questions the same: a method is known by what it belongs to, not by which copy of that it is."""
    owner = getattr(function, "__self__", None)
    return getattr(function, "__func__", function), owner, arguments, tuple(sorted(options.items()))


class ResultCache:
    """Results by key, computed once even when several ask; the least recently used are forgotten beyond `most`, and
    those of a collection that has changed.
    """

    def __init__(self, most: int) -> None:
        self._kept = ValueCache[Future[Any]](most)

    def get(self, key: Hashable, work: Callable[[], Any], validity: Validity) -> Any:
        """The result for the key, which holds for as long as the validity; errors are not kept."""
        while True:
            mine: Future[Any] = Future()
            future = self._kept.keep(key, mine, validity)
            if future is mine:
                try:
                    future.set_result(work())
                except BaseException as error:
                    self._kept.drop(key, future)
                    future.set_exception(error)
            try:
                return future.result()
            except BaseException as error:
                if future is mine or isinstance(error, ExamboardError):
                    raise
                # Streamlit interrupts whoever computes when that user moves on: then one of those who wait takes over.


Result = TypeVar("Result")

KEPT = 512
"""Answers that are kept for all users."""
REHEARSED = 50_000_000
"""Bytes of a collection beyond which nothing is rehearsed with it."""
PATIENCE, LOOK = 0.4, 0.1
"""Seconds before a progress bar appears, and between two looks at what others compute."""
AT_ONCE, MANY = 2, 4
"""Analyses of many grading modes that are computed at the same time, and modes from which on a bar is shown."""


@st.cache_resource(show_spinner=False)
def _store(path: str) -> Store:
    return Store(path)


@st.cache_resource(show_spinner=False)
def settle(page: str) -> None:
    """Take what a page has loaded out of the garbage collector's rounds: Streamlit collects after every run."""
    del page  # once for each page
    gc.collect()
    gc.freeze()


@atexit.register
def _unsettle() -> None:
    """DuckDB complains at the end of the process about objects that nobody collected."""
    gc.unfreeze()


def store() -> Store:
    """The store that $EXAMBOARD_STORE names, else ./store; who may not read gets none."""
    require("read")
    return _store(str(default_store()))


def rehearse() -> None:
    """Make the first board of the smallest collection as its page would, for nobody: the next one takes less time."""
    known = _store(str(default_store()))
    sizes = {
        name: sum(path.stat().st_size for path in known.folder(name).rglob("*.parquet"))
        for name in (known.collections() if default_store().is_dir() else ())
    }
    if not sizes or min(sizes.values()) > REHEARSED:
        return
    smallest = known.snapshot(min(sizes, key=lambda name: sizes[name]))
    summary, figures = about(smallest), figures_of(smallest)
    modes = figures.series()[:1]
    measure = str(Measure.at(measures_of(smallest)[0], DEPTH, None))
    bank, reference = (next(iter(summary[name]), None) for name in ("banks", "references"))
    request = Request(measure, bank, tau=TAUS[-2], reference=reference, depth=DEPTH, label_rank=1, relevant_from=2)
    compared = ask(figures.compare, tuple(modes), request)
    frames = {compared.names[name]: board.rows for name, board in compared.boards.items()}
    leaderboard_figure(frames, compared.order, reference=reference, measured=compared.measured).to_json()
    for mode in compared.boards:
        ask(figures.standing, mode, request)


def collections() -> list[str]:
    """Names of the collections, the demo and the user's own before the published ones."""
    return sorted(store().collections(), key=lambda name: (name.endswith("-published"), name))


def snapshot(collection: str) -> Snapshot:
    """The collection as it is now; new imports show at the next run of a page."""
    return store().snapshot(collection)


@st.cache_resource(show_spinner=False)
def _answers() -> ResultCache:
    return ResultCache(KEPT)


def ask(function: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """The result of an analysis, kept until the store changes; all users share it, so it must not be changed.

    Parameters
    ----------
    arguments, options : hashable; a snapshot is among them, or the function is a method of what has one
    """
    key = key_of(function, arguments, options)
    return _answers().get(key, lambda: function(*arguments, **options), _validity(function, arguments))


def once(work: Callable[[], Result], selection: Selection, *of: Hashable) -> Result:
    """What work makes of a choice, kept as by `ask`; `of` tells it from other things made of the same choice."""
    return _answers().get((*of, selection), work, validity_of(selection))


def ask_slowly(label: str, function: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """As `ask`, for an analysis that takes `progress`: a bar shows how long it will still take."""
    key = key_of(function, arguments, options)
    with report_progress(label) as progress:
        work = partial(function, *arguments, progress=progress, **options)
        return _answers().get(key, work, _validity(function, arguments))


def ask_each(label: str, function: Callable[..., Any], rows: Sequence[tuple[Any, ...]], **options: Any) -> list[Any]:
    """As `ask_slowly` for each row of arguments, `AT_ONCE` at a time, under one bar.

    Results come in order; an ExamboardError stands in the place of a result that can't be had.
    """
    answers, shares = _answers(), [0.0] * len(rows)
    pool = ThreadPoolExecutor(AT_ONCE)

    def work(place: int) -> Any:
        arguments = rows[place]
        key = key_of(function, arguments, options)
        tell = partial(shares.__setitem__, place)
        try:
            return answers.get(key, partial(function, *arguments, progress=tell, **options), validity_of(*arguments))
        except ExamboardError as error:
            return error
        finally:
            tell(1.0)

    try:
        with report_progress(label) as progress:
            futures = [pool.submit(work, place) for place in range(len(rows))]
            while wait(futures, LOOK).not_done:
                progress(sum(shares) / len(shares))
        return [future.result() for future in futures]
    finally:
        # Who moves on to another page leaves what is not begun.
        pool.shutdown(wait=False, cancel_futures=True)


def _validity(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Validity:
    return validity_of(getattr(function, "__self__", None), *arguments)


@contextmanager
def report_progress(label: str) -> Iterator[Callable[[float], None]]:
    """A function of the share that is done, which shows a visitor how long the rest will take."""
    place, started = st.empty(), time.monotonic()

    def show(share: float) -> None:
        gone = time.monotonic() - started
        if gone > PATIENCE:
            place.progress(min(max(share, 0.0), 1.0), f"{gone / share - gone:.0f} s left" if share > 0 else None)

    try:
        with st.spinner(f"{label} ...", show_time=True):
            yield show
    finally:
        place.empty()


def about(snapshot: Snapshot) -> dict[str, Any]:
    """Counts and names of a collection."""
    return ask(_about, snapshot)


def about_all() -> tuple[list[dict[str, Any]], list[str]]:
    """The same of every collection, with what wings count; the user's first. And a message for each that is damaged."""
    summaries, damaged = holdings.of_each(
        store(), lambda contents: about(contents) | holdings.counted_beside(store(), contents)
    )
    place = {name: number for number, name in enumerate(collections())}
    return sorted(summaries, key=lambda summary: place.get(summary["collection"], 0)), damaged


def _about(snapshot: Snapshot) -> dict[str, Any]:
    return holdings.summary(snapshot) | {
        "graded_banks": holdings.graded_banks(snapshot),
        "systems": holdings.systems(snapshot),
        "references": references(snapshot),
    }


def compare(selection: Selection) -> Comparison:
    """The chosen series side by side."""
    request = selection.figures.compare, selection.series, selection.request
    return ask_slowly("Computing leaderboards", *request) if len(selection.series) >= MANY else ask(*request)


WHOLE = "whole_axis"


def whole_axis() -> bool:
    """Whether the axis is to hold every run; its switch may be drawn later, or on another page."""
    return bool(st.session_state.get(WHOLE, st.query_params.get(WHOLE) == "true"))


def picture(selection: Selection, comparison: Comparison | None = None) -> Picture:
    """What is drawn of the chosen comparison, which may be there already; kept as answers are."""
    whole = whole_axis()
    look = BoardView(selection.view, whole, selection.own_order, selection.hidden)
    return once(
        lambda: picture_of(selection.figures, comparison or compare(selection), selection.request, look, ask),
        *(selection, "picture", whole),
    )
