"""The kind of thing that every file of this folder reads: a question bank."""

from __future__ import annotations

from exam_core.formats.format import Kind

BANK = Kind(
    key="bank",
    noun="Question bank or nugget bank",
    order=40,
    main="questions",
    template="""\
query_id,question_id,question_text,importance
q1,q1/1,Which gas makes dough rise?,vital
q1,q1/2,How warm should dough stand?,okay
q2,q2/1,Which pigment is lost in autumn?,vital
""",
    option="bank",
    name="Name of the bank",
    needed=True,
    arguments=" --bank NAME",
    columns={
        **{"query": ("query_id",), "text": ("question_text",), "question": ("question_id",)},
        **{one: (one,) for one in ("kind", "importance", "weight", "gold_answers", "facet_id", "query_text")},
    },
)
QUESTION, CLAIM = "question", "claim"
VITAL, OKAY, AVOID = "vital", "okay", "avoid"
