"""The page of comparisons."""

from pages.shared.wings import Page, ranked

PAGES = (
    Page(
        "pages/compare/compare.py",
        "Compare",
        ":material/compare_arrows:",
        "Results",
        ranked,
        "bank series measure tau without runs depth label_rank",
        "series without runs",
        before="Outliers",
    ),
)
