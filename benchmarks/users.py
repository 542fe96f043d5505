"""Several people at the dashboard at once: every number that a browser draws is compared with the command line's."""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.dashboard import ARGUMENTS, CHROMIUM, serving

MEASURES = ("Cover", "nCover", "P", "nDCG", "AP", "RR")
TAUS = range(1, 6)
DEPTH = 20
CLOSE = 1e-9
PATIENCE = 20.0
"""Seconds after which a chart that does not show the expected numbers counts as wrong."""
_CHOICE = "scores=raw&whole_axis=true"
"""Numbers as they are, also of runs far from the others."""
_SCORES = """() => {
  const chart = document.querySelector('.js-plotly-plot');
  return chart && chart._fullData ? Array.from(chart._fullData[0].y) : [];
}"""


@dataclass
class Seen:
    """What the users saw."""

    moves: int = 0
    wrong: list[str] = field(default_factory=list)
    errors: int = 0
    seconds: list[float] = field(default_factory=list)


def benchmark(store: Path, collection: str, *, users: int = 8, seconds: float = 60, seed: int = 1) -> dict[str, Any]:
    """Let several browsers move tau and the measure for a while.

    Returns
    -------
    moves, wrong numbers, errors, waits in milliseconds, and the server's memory in MiB before and after
    """
    expected = _expected(store, collection)
    with serving(store) as server:
        before = resident(server.process)
        seen = asyncio.run(
            _all(f"{server.address}/leaderboard?{_CHOICE}&collection={collection}", users, seconds, expected, seed)
        )
        after = resident(server.process)
    return {
        "collection": collection,
        "users": users,
        "seconds": seconds,
        "moves": seen.moves,
        "wrong": seen.wrong,
        "errors": seen.errors,
        "median_wait_ms": 1000 * statistics.median(seen.seconds) if seen.seconds else None,
        "memory_before_mib": before,
        "memory_after_mib": after,
    }


def resident(process: int) -> float:
    """Mebibytes of memory that a process holds; Linux only."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def _expected(store: Path, collection: str) -> dict[tuple[str, int], dict[str, float]]:
    """The mean of every run, as the command line prints it."""
    found = {}
    for measure in MEASURES:
        spelled = measure if measure in ("AP", "RR") else f"{measure}@{DEPTH}"
        command = [sys.executable, "-m", "exam_core", "--store", str(store), "leaderboard", collection]
        command += ["--measure", spelled, "--tau", "all", "--format", "json"]
        boards = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        for tau, board in zip(TAUS, boards, strict=True):
            found[measure, tau] = {row["run_id"]: row["mean"] for row in board["rows"]}
    return found


async def _all(
    address: str, users: int, seconds: float, expected: dict[tuple[str, int], dict[str, float]], seed: int
) -> Seen:
    from playwright.async_api import async_playwright

    seen = Seen()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        await asyncio.gather(
            *(_user(browser, address, seconds, expected, random.Random(seed + user), seen) for user in range(users))
        )
        await browser.close()
    return seen


async def _user(browser: Any, address: str, seconds: float, expected: Any, rng: random.Random, seen: Seen) -> None:
    context = await browser.new_context(viewport={"width": 1200, "height": 900})
    page = await context.new_page()
    measure, tau = rng.choice(MEASURES), rng.choice(TAUS)
    await page.goto(f"{address}&measure={measure}&tau={tau}")
    await page.locator(".js-plotly-plot .point").first.wait_for(state="attached", timeout=60_000)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        await _check(page, measure, tau, expected[measure, tau], seen)
        if rng.random() < 0.25:
            measure = rng.choice([name for name in MEASURES if name != measure])
            box = page.get_by_test_id("stSelectbox").filter(has=page.get_by_label("Measure", exact=True))
            await box.locator("input").click()
            await page.get_by_role("option", name=measure, exact=True).click()
        else:
            step = rng.choice([step for step in (-1, 1) if tau + step in TAUS])
            tau += step
            thumb = page.get_by_test_id("stSlider").filter(has_text="tau").get_by_role("slider")
            await thumb.focus()
            await page.keyboard.press("ArrowRight" if step > 0 else "ArrowLeft")
    seen.errors += await page.get_by_test_id("stException").count()
    await context.close()


async def _check(page: Any, measure: str, tau: int, expected: dict[str, float], seen: Seen) -> None:
    """Wait until the chart shows the expected numbers, and count it if it never does."""
    started, wanted = time.monotonic(), sorted(expected.values())
    while True:
        shown = sorted(await page.evaluate(_SCORES))
        if len(shown) == len(wanted) and all(abs(a - b) < CLOSE for a, b in zip(shown, wanted, strict=True)):
            break
        if time.monotonic() - started > PATIENCE:
            seen.wrong.append(f"{measure}, tau {tau}")
            break
        await asyncio.sleep(0.02)
    seen.moves += 1
    seen.seconds.append(time.monotonic() - started)
