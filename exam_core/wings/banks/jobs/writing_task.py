"""An order for questions looked at in its collection: the prompt, the model, which queries are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from exam_core.errors import UsageError
from exam_core.grading.answerers import answerer
from exam_core.grading.backend import Writing
from exam_core.grading.options import refuse_impossible
from exam_core.grading.prompt import Answerer, Prompt
from exam_core.jobs.job_progress import JobProgress
from exam_core.jobs.task import answers_of
from exam_core.results import ResultTable, count, text
from exam_core.store import Snapshot, Store
from exam_core.store.answer_cache import AnswerCache
from exam_core.store.summary import bank_version
from exam_core.wings.banks.jobs.generation import GenerationOrder
from exam_core.wings.banks.prompts import QuestionPrompt, prompt_named
from exam_core.wings.banks.replies.rejection_reasons import REASONS
from exam_core.wording import counted, quoted

SCHEMA = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
    "additionalProperties": False,
}
"""What a server is asked to keep to; what it sends is read as if it had ignored it."""
_TEXTS = """
SELECT query_id, query_text, title, subtopic FROM queries ORDER BY query_id
"""
_FACETS = """
SELECT query_id, facet_id, any_value(facet_text) AS facet_text FROM questions
WHERE facet_id IS NOT NULL AND bank_id = $bank AND version = $version GROUP BY ALL ORDER BY query_id, facet_id
"""


LEFT_OUT = ResultTable(
    "generating: left out",
    "Parts of a model's replies that became no question, by reason, most frequent first",
    text("reason", "Left out", width="medium"),
    count("count", "Times", unit="pieces of replies"),
    text("meaning", "Because", width="large"),
)


@dataclass(frozen=True)
class QueryPart:
    """What is asked for with one prompt: a part of a query, or all of it.

    Parameters
    ----------
    subtopic : its words; empty where the query is asked for as a whole
    facet_id : of a part that a bank knows, else None
    """

    query_id: str
    query: str
    subtopic: str = ""
    facet_id: str | None = None


class WritingTask:
    """A job that has questions written, prepared: its model, its prompt, what it asks for.

    `without_text` are the queries, or those of them with parts to ask for, that are left out as nothing is known of
    their words.

    Raises
    ------
    UsageError : unknown names, options that don't go together, nothing to ask for
    """

    def __init__(self, store: Store, order: GenerationOrder, *, model: Answerer | None = None) -> None:
        self.store, self.order = store, (order := order.as_meant)
        self.prompt = prompt_named(order.prompt, order.template)
        if not order.options.model and model is None:
            raise UsageError("Say with --model which model writes the questions, and with --base-url where it is.")
        refuse_impossible(order.options, "generate", writes=True)
        self.wanted, self.without_text = _wanted(store.snapshot(order.collection), order, self.prompt)
        self._model = model

    def __len__(self) -> int:
        return len(self.wanted)

    @cached_property
    def answerer(self) -> Answerer:
        """The model, loaded when it is first needed."""
        schema = SCHEMA if self.order.schema else None
        return self._model or answerer(self.order.options, writing=Writing(schema=schema))

    @cached_property
    def cache(self) -> AnswerCache:
        """Its replies."""
        return answers_of(self.store, self.answerer)

    def prompts(self, items: Iterable[int]) -> list[Prompt]:
        """The prompts of some of what is wanted."""
        return [
            Prompt(self.prompt.words(one.query, one.subtopic, self.order.questions))
            for one in (self.wanted[place] for place in items)
        ]


def ahead(snapshot: Snapshot, store: Store, order: GenerationOrder) -> tuple[int, int]:
    """How many prompts such a job has, and how many queries it leaves out; no model is loaded.

    Parameters
    ----------
    snapshot : of the collection; an answer that is kept is kept for it

    Raises
    ------
    UsageError : what prevents it, as `WritingTask`
    """
    del snapshot
    task = WritingTask(store, order)
    return len(task), task.without_text


def left_out(so_far: JobProgress) -> pd.DataFrame:
    """What in replies became no question: `LEFT_OUT`."""
    rows = sorted(so_far.lost.items(), key=lambda row: (-row[1], row[0]))
    return LEFT_OUT.of([{"reason": why, "count": n, "meaning": REASONS.get(why, "")} for why, n in rows])


def _wanted(snapshot: Snapshot, order: GenerationOrder, prompt: QuestionPrompt) -> tuple[list[QueryPart], int]:
    """What is asked for, and how many of the queries are left out."""
    texts = snapshot.query(_TEXTS)
    if order.queries:
        named = list(dict.fromkeys(filter(None, (name.strip() for name in order.queries.split(",")))))
        unknown = sorted(set(named) - set(texts["query_id"]))
        if unknown:
            raise UsageError(f"--queries: {order.collection} has no query {', '.join(unknown[:5])}.")
        texts = texts[texts["query_id"].isin(named)]
    rows = [_of_row(row) for row in texts.to_dict("records")]
    whole = [one for one in rows if one.query]
    found = (
        _in_parts(snapshot, order, whole) if prompt.wants_subtopics else [replace(one, subtopic="") for one in whole]
    )
    left_out = len(rows) - len({one.query_id for one in found})
    if found:
        return found, left_out
    if not whole:
        raise UsageError(
            f"No text is known of {counted({'queries': len(rows)})} of {order.collection}, so there is nothing to ask "
            f"for.\nAdd the texts with: examboard import topics FILE --collection {quoted(order.collection)}"
        )
    raise UsageError(
        f"Prompt {prompt.name} needs subtopics, and none is known in {order.collection}: neither questions of a "
        "bank have a facet, nor queries a subtopic.\nImport a bank with facets, or take a prompt without {subtopic}."
    )


def _of_row(row: dict[str, object]) -> QueryPart:
    words = {name: value.strip() if isinstance(value, str) else "" for name, value in row.items()}
    # A query that is a part of a topic has its title; else its own words say most.
    query = words["title"] if words["subtopic"] and words["title"] else words["query_text"] or words["title"]
    return QueryPart(str(row["query_id"]), query, words["subtopic"])


def _in_parts(snapshot: Snapshot, order: GenerationOrder, queries: list[QueryPart]) -> list[QueryPart]:
    """The queries part by part: facets that the bank knows, or else another bank; else the subtopic of the query."""
    facets: dict[str, list[tuple[str, str]]] = {}
    banks = [str(name) for name in snapshot.query("SELECT DISTINCT bank_id FROM questions ORDER BY ALL")["bank_id"]]
    for bank in sorted(banks, key=lambda name: name != order.bank):
        known = snapshot.query(_FACETS, {"bank": bank, "version": bank_version(snapshot, bank)})
        new: dict[str, list[tuple[str, str]]] = {}
        for query_id, facet_id, said in known.itertuples(index=False):
            words = said.strip() if isinstance(said, str) else ""
            new.setdefault(str(query_id), []).append((str(facet_id), words or _last_part(str(facet_id))))
        facets = new | facets
    return [
        part
        for one in queries
        for part in (
            [replace(one, subtopic=words, facet_id=facet) for facet, words in facets.get(one.query_id, [])]
            or ([one] if one.subtopic else [])
        )
    ]


def _last_part(facet_id: str) -> str:
    """The words of a facet of which only the id is known, as CAR makes ids: `page/Heading`."""
    return facet_id.rpartition("/")[2].replace("%20", " ").replace("_", " ")
