"""Why a collection has nothing to grade, and what would change that."""

from __future__ import annotations

import pandas as pd

from exam_core.errors import UsageError
from exam_core.store.pairs_to_grade import Work
from exam_core.wording import counted, nothing_cited, quoted, texts_come


def refuse_nothing(collection: str, bank: str | None, found: Work) -> None:
    """Refuse to grade where nothing is graded and nothing can be.

    Parameters
    ----------
    bank : with its version; None where passages are graded as a whole
    found : without passages that have no text

    Raises
    ------
    UsageError : what is missing, and how it comes
    """
    if len(found.pair) or found.graded:
        return
    if found.of_citations and found.pairs.empty:
        raise UsageError(nothing_cited(collection))
    queries = [set(frame["query_id"]) for frame in (found.pairs, found.questions)]
    if not queries[0]:
        raise UsageError(
            f"There is nothing to grade in {collection}: no run, judgment or graded file names a passage.\n"
            f"Bring one with: examboard import run FILE --collection {quoted(collection)}"
        )
    if not queries[1]:
        raise UsageError(f"There is nothing to grade with {bank}: none of its questions is switched on.")
    if not queries[0] & queries[1]:
        raise UsageError(
            f"There is nothing to grade with {bank}: its questions are of queries such as {min(queries[1])}, and "
            f"{collection} has passages under queries such as {min(queries[0])}.\n"
            "Check the names of the bank and the collection, and the ids of the queries."
        )
    nameless = found.pairs["passage_text"].isna() & found.pairs["query_id"].isin(queries[1])
    raise UsageError(
        f"There is nothing to grade in {collection}: no text is known of {counted({'passages': int(nameless.sum())})}, "
        f"the first is {found.pairs['doc_id'][nameless].iloc[0]}.\n"
        f"{texts_come(collection)}"
    )


def refuse_blank(collection: str, bank: str | None, asked: pd.DataFrame) -> None:
    """Refuse to ask what has no words.

    Parameters
    ----------
    bank : its name; None where what is asked are queries
    asked : rows as `Work.questions` has them

    Raises
    ------
    UsageError : of which questions or queries no text is known, and how it comes
    """
    of, what, verb, option = (
        ("question", "questions", "bank", f" --bank {quoted(bank)}") if bank else ("query", "queries", "topics", "")
    )
    text = asked[f"{of}_text"]
    blank = asked[text.isna() | (text.astype(str).str.strip() == "")]
    if len(blank):
        raise UsageError(
            f"No text is known of {counted({what: len(blank)})} of {collection}, the first is "
            f"{blank[f'{of}_id'].iloc[0]}.\n"
            f"Bring their texts with: examboard import {verb} FILE --collection {quoted(collection)}{option}"
        )
