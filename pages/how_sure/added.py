"""The page of how sure the order is."""

from exam_core.wording import ORDER
from pages.shared.wings import RUNS, RUNS_IN_PRINT, Page, ranked

PAGES = (
    Page(
        *("pages/how_sure/how_sure.py", ORDER, ":material/ssid_chart:", "How sure?", ranked, RUNS, RUNS_IN_PRINT),
        before="Agreement",
    ),
)
