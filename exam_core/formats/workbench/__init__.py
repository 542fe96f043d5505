"""The authors' workbench file: graded passages with their judgments and rankings, read and written.

A line is `[query_id, [passage, ...]]`; a file may have one line for each query or one for each
passage. Nothing is lost: whatever an export would not write by itself is kept in `extra`, because
the reader builds each passage as the writer would and stores the difference.
"""

import re

from exam_core.formats.format import Format, Kind
from exam_core.formats.workbench.reading import read_workbench, text_hash
from exam_core.formats.workbench.writing import page_of, write_workbench

__all__ = ["ROWS", "page_of", "read_workbench", "text_hash", "write_workbench"]

_STARTS = re.compile(r'\[\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*,\s*\[')
"""How a line begins: a list of a query's id and a list."""
WORKBENCH = Kind(
    key="workbench",
    noun="Graded passages",
    order=70,
    main="grades",
    template="""\
["q1", [{"paragraph_id": "d1", "text": "Yeast turns sugar into carbon dioxide, which makes dough rise.", \
"paragraph_data": {"judgments": [], "rankings": []}, "exam_grades": [{"llm": "my-model", \
"prompt_info": {"prompt_class": "QuestionSelfRatedUnanswerablePromptWithChoices"}, \
"correctAnswered": ["q1/1"], "wrongAnswered": ["q1/2"], \
"answers": [["q1/1", "5"], ["q1/2", "1"]], \
"self_ratings": [{"question_id": "q1/1", "self_rating": 5}, {"question_id": "q1/2", "self_rating": 1}]}]}, \
{"paragraph_id": "d2", "text": "Bread is sold by weight in many towns.", \
"paragraph_data": {"judgments": [], "rankings": []}, "exam_grades": [{"llm": "my-model", \
"prompt_info": {"prompt_class": "QuestionSelfRatedUnanswerablePromptWithChoices"}, \
"correctAnswered": [], "wrongAnswered": ["q1/1", "q1/2"], \
"answers": [["q1/1", "0"], ["q1/2", "0"]], \
"self_ratings": [{"question_id": "q1/1", "self_rating": 0}, {"question_id": "q1/2", "self_rating": 0}]}]}]]
["q2", [{"paragraph_id": "d3", "text": "Chlorophyll is broken down in autumn, and other colours show.", \
"paragraph_data": {"judgments": [], "rankings": []}, "exam_grades": [{"llm": "my-model", \
"prompt_info": {"prompt_class": "QuestionSelfRatedUnanswerablePromptWithChoices"}, \
"correctAnswered": ["q2/1"], "wrongAnswered": [], \
"answers": [["q2/1", "5"]], \
"self_ratings": [{"question_id": "q2/1", "self_rating": 5}]}]}, \
{"paragraph_id": "d4", "text": "Trees stand in rows along the street.", \
"paragraph_data": {"judgments": [], "rankings": []}, "exam_grades": [{"llm": "my-model", \
"prompt_info": {"prompt_class": "QuestionSelfRatedUnanswerablePromptWithChoices"}, \
"correctAnswered": [], "wrongAnswered": ["q2/1"], \
"answers": [["q2/1", "1"]], \
"self_ratings": [{"question_id": "q2/1", "self_rating": 1}]}]}]]
""",
    ending="jsonl",
    option="bank",
    name="Name of the bank",
    unnamed="The graded questions become a bank of this name; without one, the file's own names are kept.",
)
ROWS = (
    Format(
        kind=WORKBENCH,
        written="JSONL of the workbench",
        looks="graded passages of the workbench",
        order=10,
        fits=lambda opening: bool(_STARTS.match(opening.text)),
        read=read_workbench,
    ),
)
