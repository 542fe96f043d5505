"""Question banks as the workbench and the AutoNuggetizer have them, and as tables and lists.

What a format says beyond our columns stands in `extra` under the format's name, so that an export equals what was
imported; `workbench` alone has its fields there as they are.
"""

from exam_core.formats.banks import nuggetizer, question_rows, workbench

ROWS = (*workbench.ROWS, *nuggetizer.ROWS, *question_rows.ROWS)
