"""The kind of thing that every file of this folder reads: reviews."""

from __future__ import annotations

from exam_core.formats.format import Kind

KIND = Kind(
    key="reviews",
    noun="Reviews",
    order=70,
    main="reviews",
    template="""\
reviewer,task,query_id,doc_id,answer
ann,relevance,q1,d1,3
ann,relevance,q1,d2,0
bob,relevance,q2,d3,2
""",
    option="reviewer",
    name="Name of the reviewer, where the file has none",
    unnamed="Most files name the reviewer in every row.",
)
