"""AutoNuggetizer's nuggets (nuggetizer v4) as a question bank, read and written: a query per line.

Nuggets are claims. What a line or a nugget says beyond our columns stands in `extra` under `nuggetizer`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pandas as pd

from exam_core.formats.banks.rows import (
    AVOID,
    BANK,
    CLAIM,
    OKAY,
    VITAL,
    BankLines,
    BankRows,
    Texts,
    beyond,
    by_object,
    by_query,
    importance_notes,
    kept_under,
    part,
    present,
    said_of,
)
from exam_core.formats.format import Format
from exam_core.formats.json_lines import BadLine
from exam_core.tables import id_of_digest
from exam_core.wording import counted

NAME = "nuggetizer"
IMPORTANCES = (VITAL, OKAY, "failed")
"""The words that autojudge-base 1.0.0 takes in this format. What is to be avoided can't be said in it."""
_REMEDY = (
    'A line is one JSON object such as {"qid": "q1", "query": "...", '
    '"nuggets": [{"text": "...", "importance": "vital"}]}.'
)


class AssignedNugget(msgspec.Struct):
    """A nugget, in assignments with its label."""

    text: str
    importance: str | None = None
    assignment: str | None = None


class NuggetLine(msgspec.Struct):
    """A query's nuggets."""

    qid: str | int
    nuggets: list[AssignedNugget]
    query: str | None = None


def nugget_notes(questions: pd.DataFrame) -> list[str]:
    """Notes on importances beyond vital and okay, and on texts that occur more than once."""
    copies = int(questions["question_id"].str.contains(r"/[0-9a-f]{32}#\d+$", regex=True).sum())
    repeats = (
        f"{counted({'nuggets repeat': copies})} a text of their query: each copy counts, under an id that ends in #2."
    )
    return importance_notes(questions) + ([repeats] if copies else [])


@by_object(NuggetLine, "nuggets of a query", _REMEDY, nugget_notes)
def read_nuggets(rows: BankRows, number: int, line: NuggetLine, untyped: dict[str, Any]) -> None:
    """Take nuggets of a query: the nugget is a claim, its id `<query_id>/<md5 of the text>`.

    A text that a query has more than once stays that often, as `...#2` and so on: each copy counts in the scores.
    Importances other than vital, okay and avoid are kept as they are; nuggets to avoid are switched off.
    """
    rows.only(number, str(line.qid), "line")
    rows.query(number, str(line.qid), line.query or None)
    add_nuggets(rows, number, line, untyped, set(), beyond(untyped, NuggetLine.__struct_fields__))


def add_nuggets(
    rows: BankRows,
    number: int,
    line: NuggetLine,
    untyped: Mapping[str, Any],
    taken: set[tuple[str, str | None]],
    common: Mapping[str, Any] | None = None,
) -> list[tuple[str, AssignedNugget]]:
    """Take a line's nuggets; gives them with their ids. Raises BadLine where one can't be taken.

    Parameters
    ----------
    taken : ids and importances of nuggets that were taken, which need not be taken again; this line's are added
    common : what a line of a bank says beyond its nuggets, for all of them; None for an assignment
    """
    query_id, ids = str(line.qid), _ids(str(line.qid), line.nuggets)
    for place, (name, nugget) in enumerate(zip(ids, line.nuggets, strict=True)):
        # A word that only this format has for an importance is kept twice: others are not to be written in it. The
        # label of an assignment is a grade; in a bank it is one more thing that a nugget says.
        known = {"text"} | ({"importance"} if nugget.importance in IMPORTANCES else set())
        rest = beyond(untyped["nuggets"][place], known | ({"assignment"} if common is None else set()))
        more = present({"item": rest or None, "bank": common or None})
        if (name, nugget.importance) in taken and not more:
            continue
        taken.add((name, nugget.importance))
        columns = {"question_id": name, "question_text": nugget.text, "kind": CLAIM, "importance": nugget.importance}
        with part(f"nuggets {place + 1}"):
            if not nugget.text.strip():
                raise BadLine("a nugget without text")
            rows.question(number, query_id, columns | {"extra": {NAME: more} if more else None})
    return list(zip(ids, line.nuggets, strict=True))


def _ids(query_id: str, nuggets: Sequence[AssignedNugget]) -> list[str]:
    """An id for each nugget. Copies of a text count on, the vital ones first, in whichever order a file has them."""
    order, copies, ids = {VITAL: 0, OKAY: 1}, Counter[str](), [""] * len(nuggets)
    for place in sorted(range(len(ids)), key=lambda place: order.get(nuggets[place].importance or VITAL, 2)):
        text = nuggets[place].text
        copies[text] += 1
        ids[place] = id_of_digest(query_id, text) + (f"#{copies[text]}" if copies[text] > 1 else "")
    return ids


_NO_PLACE = ("facet_id", "facet_text", "gold_answers", "weight", "enabled", "choices", "creators", "lineage")


def write_nuggets(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """Questions and claims as nuggets, a line for each query; the format has no place for much that a bank says."""
    written = BankLines()
    for query_id, group in by_query(rows).items():
        originals = [kept_under(row, NAME, dict[str, dict[str, Any]]) for row in group]
        common: dict[str, Any] = next((more["bank"] for more in originals if more.get("bank")), {})
        nuggets = []
        for row, more in zip(group, originals, strict=True):
            original = more.get("item", {})
            taken = row["importance"] in (*IMPORTANCES, None, original.get("importance"))
            if not (row["question_text"] or "").strip():
                written.left_out["questions_without_words"] += 1
                continue
            if row["importance"] == AVOID and not taken:
                written.left_out["avoided"] += 1
                continue
            importance = row["importance"] if taken else None
            nuggets.append(present({**original, "text": row["question_text"], "importance": importance}))
            written.left_out["importance"] += not taken
            written.left_out.update(said_of(row, _NO_PLACE).keys())
            written.left_out["kind"] += row["kind"] != CLAIM
            written.left_out["extra"] += len(row["extra"]) - bool(more)
        line = {**common, "query": texts.get(query_id, {}).get("query_text") or "", "qid": query_id, "nuggets": nuggets}
        written.lines.append(msgspec.json.encode(present(line)))
    return written


ROWS = (
    Format(
        kind=BANK,
        written="AutoNuggetizer's JSON lines",
        looks="AutoNuggetizer's nuggets",
        order=20,
        fits=lambda item: {"qid", "nuggets"} <= item.objects and not item.objects & {"assignment", "answer_text"},
        read=read_nuggets,
    ),
)
