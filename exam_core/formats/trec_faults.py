"""What is wrong with a line of a TREC run or of qrels, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from exam_core.formats.csv_cells import UNREADABLE
from exam_core.formats.numbers import as_number, as_whole_number
from exam_core.tables import LARGEST_GRADE, SMALLEST_GRADE

RUN_COLUMNS = "query_id Q0 doc_id rank score run_id"
QRELS_COLUMNS = "query_id 0 doc_id relevance"
Q0 = ("Q0", "q0")
SHIFTED_REMEDY = (
    "A blank inside an id shifts the columns after it: write ids without blanks. If the sixth column is the run's "
    "name after all, remove what follows it."
)
FAILED = (
    UNREADABLE
    | frozenset(
        "error err failed failure fail none nan null na n/a - -- ? unknown unreadable unparsable unparseable invalid "
        "timeout refused refusal missing skipped".split()
    )
    | {""}
)
"""What stands in the place of a label that a model failed to give, in lower case."""
_FAILED_REMEDY = (
    "Judgments are whole numbers, such as 0, 1, 2 or 3. If a model gave these labels, import them as labels, which "
    "keeps this one as unreadable; otherwise remove the line."
)
_WHOLE_REMEDY = "Write the relevance as a whole number, such as 0, 1, 2 or 3."
_CUT_REMEDY = (
    "Judgments are whole numbers. If a model gave these labels, import them as labels, which keeps decimals. Otherwise "
    "decide which judgment each decimal becomes (rounded, 0.71 is 1 and 1.19 is 1), and write that."
)
_WORD_REMEDY = (
    f"{_WHOLE_REMEDY} Words are read where all have a known order, as these have: not relevant, partially relevant, "
    "relevant, highly relevant, perfectly relevant."
)


class Fault(NamedTuple):
    """What is wrong with a line, what to do, and what all lines with this fault have in common, if not `what`."""

    what: str
    remedy: str
    cause: str = ""


def fault_of_run(fields: Sequence[str], rank: int | None, score: float | None) -> Fault | None:
    """What is wrong with a line of a run; None if nothing is."""
    if len(fields) < 6:
        what = f"{len(fields)} column{'s' * (len(fields) > 1)} where a TREC run has 6 ({RUN_COLUMNS})"
        if len(fields) == 1 and any(mark in fields[0] for mark in ",;|"):
            return Fault(what, "Separate the columns by blanks or tabs, or write a header: query,doc,rank,score,run.")
        return Fault(what, "Add the missing columns (the sixth is the run's name), or remove the line.")
    if fields[2] in Q0 and not is_iteration(fields[1]):
        what = "Q0 is the third column, where a TREC run has the passage"
        return Fault(what, f"Write the columns in this order: {RUN_COLUMNS}.")
    if rank is not None and score is not None:
        return None
    if as_number(fields[3]) is None and as_number(fields[4]) is None:
        return Fault("no numbers for rank and score: a header?", "Remove it: a TREC run has none.", "header")
    if rank is None:
        return Fault(f"rank {fields[3]} is not a whole number", "Write the rank as 1, 2, 3, ...", "rank")
    return Fault(f"score {fields[4]} is not a number", "Write a finite number with a point: 12.5.", "score")


def fault_of_qrels(fields: Sequence[str], relevance: int | None) -> Fault | None:
    """What is wrong with a judgment; None if nothing is."""
    if len(fields) != 4:
        what = f"{len(fields)} column{'s' * (len(fields) > 1)} where qrels have 4 ({QRELS_COLUMNS})"
        if len(fields) == 1 and any(mark in fields[0] for mark in ",;|"):
            return Fault(what, "Write a header that names the columns: query,doc,relevance.")
        third = len(fields) == 3 and as_whole_number(fields[2]) is not None
        if third or len(fields) < 4:
            return Fault(what, "Put a 0 between query and passage." if third else "Add the missing columns.")
        return Fault(what, "Keep these four. A blank inside an id or a label makes more: write them without blanks.")
    if relevance is None:
        what = f"relevance {fields[3] or '(empty)'} is not a whole number"
        if fields[3].lower() in FAILED:
            return Fault(what, _FAILED_REMEDY)
        return Fault(what, _CUT_REMEDY if as_number(fields[3]) is not None else _WORD_REMEDY, "relevance")
    if not SMALLEST_GRADE <= relevance <= LARGEST_GRADE:
        what = f"relevance {relevance} is not in {SMALLEST_GRADE}..{LARGEST_GRADE}"
        return Fault(what, "Correct the relevance, 0 to 5 as a rule, or remove the line.")
    return None


def is_iteration(text: str) -> bool:
    """Whether a text is what judgments have in their second column: 0, Q0, U0, or the small number of a subtopic."""
    number = as_whole_number(text.lower().removeprefix("q").removeprefix("u"))
    return number is not None and 0 <= number < 100
