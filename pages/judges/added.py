"""The page across collections."""

from exam_core.wording import ACROSS
from pages.shared.wings import Page, ranked

PAGES = (
    Page(
        "pages/judges/across.py",
        ACROSS,
        ":material/compare_arrows:",
        "Reliability",
        ranked,
        "bank series measure reference depth label_rank relevant_from",
        "measure",
        of_store=True,
    ),
)
