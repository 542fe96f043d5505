"""Which passages belong to which queries: the pairs of a collection, as SQL to be put into a query of a snapshot.

A pair of the collection is a query and a passage that a graded file lists (`pool`), a judgment, a grade or a ranking
names together. What is asked of pairs says which of the four count, and takes one of the definitions below: nobody
unites the tables by hand.
"""

from __future__ import annotations


def _named_by(*tables: str) -> str:
    """A SELECT of query_id, doc_id and best_rank (null where no run ranks it), a row for each pair.

    It reads no other table, so a damaged file of another one stops nothing.
    """
    rank = {"rankings": "rank"}
    parts = (f"SELECT query_id, doc_id, {rank.get(name, 'NULL::INTEGER')} AS rank FROM {name}" for name in tables)
    return f"SELECT query_id, doc_id, min(rank) AS best_rank FROM ({' UNION ALL '.join(parts)}) GROUP BY ALL"


def _rows_of(*tables: str) -> str:
    """The same without ranks, where a pair may come several times: nothing is held to tell them apart."""
    return " UNION ALL ".join(f"SELECT query_id, doc_id FROM {name}" for name in tables)


KNOWN_ROWS = _rows_of("pool", "judgments", "grades")
NAMED_ROWS = _rows_of("pool", "judgments", "grades", "rankings")
KNOWN = _named_by("pool", "judgments", "grades")
"""Pairs of which more is known than that a run returned them. A collection counts these, and their queries are its
queries: a run may return a thousand passages for a query, most of which nobody has looked at."""

TO_GRADE = _named_by("pool", "judgments", "rankings")
"""Pairs that a grader is asked about, and of which a job is a share. Those that are known by a grade alone (say by a
file of labels) are left out: where they come from they have no text."""

ASKED = _named_by("pool", "judgments")
"""Pairs whose query somebody meant to evaluate, graded or not."""

NAMED = _named_by("pool", "judgments", "grades", "rankings")
"""All pairs that are named anywhere."""
