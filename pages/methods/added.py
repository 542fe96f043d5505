"""The page of methods."""

from exam_core.wording import METHODS
from pages.shared.wings import RUNS, RUNS_IN_PRINT, Page, ranked

PATH, ICON = "pages/methods/methods.py", ":material/tune:"
PAGES = (
    Page(
        *(PATH, METHODS, ICON, "Reliability", ranked, f"{RUNS} scores relevant_from", f"{RUNS_IN_PRINT} scores"),
        before="Agreement",
    ),
)


def draw_kendall(sentence: str) -> bool:
    """A link to it, with how well a board agrees with the reference."""
    from pages.shared import show

    show.link(PATH, show.escaped(sentence), ICON)
    return True
