"""Question banks in every format, read and written: a file for each.

What a format says beyond our columns stands in `extra` under the format's name, so that an export equals what was
imported; `workbench` alone has its fields there as they are.
"""

from exam_core.formats.banks import (
    csv_file,
    json_file,
    nuggetbank,
    nuggetizer,
    ragtime26,
    rubrics,
    squad,
    tqa,
    workbench,
)
from exam_core.formats.banks.forms import FORMS, write_form
from exam_core.formats.banks.rows import BankLines
from exam_core.formats.banks.workbench import read_bank, write_bank

__all__ = ["FORMS", "ROWS", "BankLines", "read_bank", "write_bank", "write_form"]
ROWS = tuple(
    row
    for format_ in (workbench, nuggetbank, ragtime26, nuggetizer, rubrics, tqa, squad, json_file, csv_file)
    for row in format_.ROWS
)
