"""A live page: how long it takes to make, how large it is, and how soon a browser shows it and follows a key."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.dashboard import ARGUMENTS, CHROMIUM
from benchmarks.timing import timed
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.wings.live.cube import Axes, Cube, axes_of, cube, first_of
from exam_core.wings.live.live_page import live_page

MEASURES = ("Cover@20", "nCover@20", "P@20", "nDCG@20", "AP", "RR", "Rprec", "R@20", "P@10", "RBP")
REFERENCES = ("official", "qrels:nDCG@10")
_LOOKING = """
(() => {
  const look = () => {
    // The frame after the one in which it is there: it is painted then.
    if (!document.querySelector("#chart .main-svg")) requestAnimationFrame(look);
    else requestAnimationFrame(() => { window.drawnAt = performance.now(); });
  };
  requestAnimationFrame(look);
})();
"""
_DRAWN = """
async () => {
  while (!window.drawnAt) await new Promise((next) => requestAnimationFrame(next));
  return window.drawnAt;
}
"""
_MOVES = """
async (taus) => {
  const slider = document.getElementById("tau"), took = [];
  for (const tau of taus) {
    const before = performance.now();
    slider.value = tau;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    took.push(performance.now() - before);
  }
  return took;
}
"""


def benchmark(snapshot: Snapshot, *, rounds: int = 5, progress: Progress = no_progress) -> dict[str, Any]:
    """Make the page of a collection and open it from disk.

    Parameters
    ----------
    rounds : how often it is opened; at each, tau moves through its values twice

    Returns
    -------
    seconds to make it and its megabytes; medians of the milliseconds from opening until the chart is drawn, and from a
    move of tau until it is painted
    """
    axes = axes_of(snapshot, Request(), (), MEASURES, REFERENCES)
    (found, page), seconds = timed(lambda: _made(snapshot, axes, progress))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(page, encoding="utf-8")
        charts, moves = _in_browser(file, len(axes.taus), rounds)
    return {
        "collection": snapshot.collection,
        "grading_modes": len(axes.modes),
        "measures": len(axes.measures),
        "taus": len(axes.taus),
        "label_ranks": len(axes.label_ranks),
        "references": len(axes.references),
        "leaderboards": len(found.boards),
        "make_s": seconds,
        "size_mb": len(page.encode()) / 1e6,
        "first_chart_ms": statistics.median(charts),
        "tau_ms": statistics.median(moves),
    }


def _made(snapshot: Snapshot, axes: Axes, progress: Progress) -> tuple[Cube, str]:
    found = cube(snapshot, Request(), axes, progress=progress)
    return found, live_page(found, first_of(snapshot, Request(), axes), {"Data": snapshot.fingerprint})


def _in_browser(file: Path, taus: int, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds until the chart is drawn, and until each move of tau is painted."""
    from playwright.sync_api import sync_playwright

    charts, moves = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for _ in range(rounds):
            page = browser.new_page(viewport={"width": 1280, "height": 1000})
            page.add_init_script(_LOOKING)
            page.goto(file.as_uri(), wait_until="commit")
            charts.append(page.evaluate(_DRAWN))
            moves += page.evaluate(_MOVES, [*range(taus), *range(taus)])
            page.close()
        browser.close()
    return charts, moves
