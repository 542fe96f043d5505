"""The kind of thing that the files of this folder read: grades of passages by question."""

from __future__ import annotations

from exam_core.formats.format import Kind

WORKBENCH = Kind(
    key="workbench",
    noun="Graded passages",
    order=70,
    main="grades",
    template="""\
query_id,doc_id,question_id,grade,grader
q1,d1,q1/1,5,my-model
q1,d1,q1/2,1,my-model
q1,d2,q1/1,0,my-model
q1,d2,q1/2,0,my-model
q2,d3,q2/1,5,my-model
q2,d4,q2/1,1,my-model
""",
    option="bank",
    name="Name of the bank",
    unnamed="The graded questions become a bank of this name; without one, the file's own names are kept.",
)
