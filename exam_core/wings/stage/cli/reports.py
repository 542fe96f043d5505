"""The report for print."""

from __future__ import annotations

from exam_core.cli.reporting import Report
from exam_core.wings.stage.cli.saving import write_report

REPORTS = (Report(is_static=True, write=write_report),)
