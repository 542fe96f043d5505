"""The page of reproduction."""

from __future__ import annotations

from exam_core.wings.reproduction.analysis.reproduction import is_reproduced
from pages.shared.wings import Page

PAGES = (Page("pages/reproduce/reproduce.py", "Reproduce", ":material/verified:", "Data", is_reproduced),)
