"""What trust adds to the pages; what draws it loads when it is looked at."""

from __future__ import annotations

from exam_core.wording import ORDER
from pages.shared.chosen import Chosen
from pages.shared.wings import Tab


def draw_fidelity(mode: str, chosen: Chosen) -> None:
    """Pairs of runs that either side finds different."""
    from pages.trust import fidelity

    fidelity.view(mode, chosen)


TABS = (Tab(ORDER, "Pairs by grades and judgments", draw_fidelity),)
