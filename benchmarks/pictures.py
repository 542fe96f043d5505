"""Pictures for the documents, of today's pages in Chromium (`make pictures STORE=FOLDER`)."""

from __future__ import annotations

import base64
import io
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.dashboard import ARGUMENTS, CHROMIUM, serving

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
DL19 = "collection=dl19&bank=genq&measure=P&tau=4"
FILMED = "leaderboard?collection=dl19&bank=genq&measure=Cover&tau=1&without=UNH_exDL_bm25&present=1"
RESTING = "[data-testid=stApp][data-test-script-state=notRunning]"
SETTLING = 2500
"""Milliseconds that charts glide and fonts come in after the script has run."""
PATIENCE = 60_000
"""Milliseconds that a page has until all of it is there: a busy machine shows grey bars for long."""
COLOURS = 128
FRAME = 80
"""Milliseconds that a frame of the moving picture stays."""
MOST = 2_000_000
"""Bytes of the moving picture."""


class Still(NamedTuple):
    """A page that is photographed."""

    name: str
    address: str
    width: int = 1400
    height: int = 900
    to: str = ""
    """Text that is scrolled to the top."""
    dark: bool = True
    """Whether it is photographed in dark, too."""


STILLS = (
    Still("home", "?collection=demo", height=1150),
    Still("leaderboard", f"leaderboard?{DL19}"),
    Still("agreement", f"agreement?{DL19}&label_rank=2&relevant_from=2"),
    Still("outliers", "outliers?collection=car-y3-published", height=1050),
    Still("presented", f"leaderboard?{DL19}&present=1", 1920, 1080),
    Still(
        "why",
        "leaderboard?collection=demo&tau=3&leaderboard_run=lsa-40&why=true",
        height=1000,
        to="Why is this run here?",
        dark=False,
    ),
)


def opened(browser: Browser, address: str, width: int, height: int, *, dark: bool = False) -> Page:
    """A page that has come to rest."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
    page.goto(address)
    page.locator(RESTING).wait_for()
    page.wait_for_timeout(SETTLING)
    page.locator(RESTING).wait_for()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=PATIENCE)
    return page


def still(browser: Browser, server: str, of: Still, *, dark: bool) -> None:
    """Photograph a page, with few colours: a quarter of the bytes."""
    page = opened(browser, f"{server}/{of.address}", of.width, of.height, dark=dark)
    if of.to:
        page.get_by_text(of.to).first.evaluate("element => element.scrollIntoView()")
        page.wait_for_timeout(SETTLING)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    file = PICTURES / f"{of.name}{'-dark' if dark else ''}.png"
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


def tau(browser: Browser, server: str) -> None:
    """Film the slide of the leaderboard while the arrow keys move tau from 1 to 5 and back."""
    page = opened(browser, f"{server}/{FILMED}", 1100, 640)
    film: list[tuple[float, bytes]] = []
    camera = page.context.new_cdp_session(page)

    def keep(event: dict[str, object]) -> None:
        film.append((event["metadata"]["timestamp"], base64.b64decode(str(event["data"]))))  # type: ignore[index]
        camera.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    camera.on("Page.screencastFrame", keep)
    keys = ["ArrowUp"] * 4 + ["ArrowDown"] * 4
    _press(page, keys)  # each slide is computed before it is filmed
    camera.send("Page.startScreencast", {"format": "png"})
    _press(page, keys)
    camera.send("Page.stopScreencast")
    page.close()
    pictures, lasting = _frames(film)
    file = PICTURES / "tau.webp"
    pictures[0].save(
        file,
        save_all=True,
        append_images=pictures[1:],
        duration=lasting,
        loop=0,
        quality=70,
        method=6,
        minimize_size=True,
    )
    if file.stat().st_size > MOST:
        raise SystemExit(f"{file} has {file.stat().st_size:,} bytes, more than {MOST:,}.")


def _press(page: Page, keys: list[str]) -> None:
    """Press keys one after the other, each when the slide has come to rest."""
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(SETTLING)


def _frames(film: list[tuple[float, bytes]]) -> tuple[list[Image.Image], list[int]]:
    """Frames at least FRAME apart, each with the milliseconds until the next; at most 1.2 seconds."""
    kept: list[tuple[float, bytes]] = []
    for time, data in film:
        if kept and (time - kept[-1][0]) * 1000 < FRAME:
            kept[-1] = (kept[-1][0], data)
        elif not kept or data != kept[-1][1]:
            kept.append((time, data))
    times = [time for time, _ in kept] + [kept[-1][0] + 1.2]
    lasting = [min(1200, round((after - before) * 1000)) for before, after in pairwise(times)]
    return [Image.open(io.BytesIO(data)).convert("RGB") for _, data in kept], lasting


def main(store: Path, names: set[str]) -> None:
    """Make the pictures of these names, or all."""
    PICTURES.mkdir(exist_ok=True)
    with serving(store) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        for of in STILLS:
            for dark in (False, True) if of.dark else (False,):
                if not names or of.name in names:
                    still(browser, server.address, of, dark=dark)
        if not names or "tau" in names:
            tau(browser, server.address)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), set(sys.argv[2:]))
