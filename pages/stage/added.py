"""What the stage adds to the pages."""

from __future__ import annotations

from pages.shared.chosen import Chosen
from pages.stage import pinning, presenting, saved_report
from pages.stage.presented import draw_button, is_presented
from pages.stage.story_links import NO_CHOICES as NO_CHOICES

is_instead = is_presented
draw_shared = saved_report.draw


def draw_instead(chosen: Chosen, title: str) -> bool:
    """Draw the slide, where one is shown in the place of the page."""
    if not is_presented():
        return False
    presenting.draw(chosen, title)
    return True


def draw_top(chosen: Chosen, title: str) -> None:
    """The buttons that present the page and pin it."""
    draw_button()
    pinning.draw(chosen, title)
