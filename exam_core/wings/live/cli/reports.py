"""The report as a live page."""

from __future__ import annotations

from exam_core.cli.reporting import Report
from exam_core.wings.live.cli.live import write_report

REPORTS = (Report(is_static=False, write=write_report),)
