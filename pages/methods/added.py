"""The page of methods."""

from exam_core.wording import METHODS, ORDER
from pages.shared.wings import BOARDS, Page, ranked

PATH, ICON = "pages/methods/methods.py", ":material/tune:"
PAGES = (
    Page(
        *(PATH, METHODS, ICON, "How sure?", ranked, f"{BOARDS} relevant_from", "series reference without"),
        before=ORDER,
    ),
)


def draw_kendall(sentence: str) -> bool:
    """A link to it, with how well a board agrees with the reference."""
    from pages.shared import show

    show.link(PATH, show.escaped(sentence), ICON)
    return True
