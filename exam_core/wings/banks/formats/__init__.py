"""Banks as other tools have them, read and written: a file for each."""

from exam_core.wings.banks.formats import lists, nuggetbank, question_runs, ragtime26, rubrics, squad, tqa

__all__ = ["ROWS"]
ROWS = tuple(
    row for format_ in (lists, nuggetbank, question_runs, ragtime26, rubrics, tqa, squad) for row in format_.ROWS
)
