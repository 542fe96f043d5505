"""The page of reliability: how sure the order of the runs is."""

from exam_core.wording import RELIABILITY
from pages.shared.wings import RUNS, RUNS_IN_PRINT, Page, ranked

PATH = "pages/reliability/reliability.py"
PAGES = (
    Page(*(PATH, RELIABILITY, ":material/ssid_chart:", "Reliability", ranked, RUNS, RUNS_IN_PRINT), before="Agreement"),
)
