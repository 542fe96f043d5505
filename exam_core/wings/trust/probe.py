"""Passages that humans judged not relevant, drawn for a probe, and what is asked of them as they are and perturbed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from exam_core.errors import UsageError
from exam_core.grading.modes.mode import ModeInput
from exam_core.grading.options import refuse_impossible
from exam_core.grading.prompt import Answerer
from exam_core.jobs.task import Items, Task
from exam_core.store import Snapshot, Store
from exam_core.store.pairs_to_grade import Work, work
from exam_core.store.summary import qrels_ids
from exam_core.wings.trust.gullibility import VARIANTS, perturbed
from exam_core.wings.trust.probe_request import ProbeRequest
from exam_core.wording import texts_come

NOBODY = "(probed)"
"""Name of a grader that has graded nothing, so that everything may be asked."""
_NOT_RELEVANT = """
SELECT DISTINCT query_id, doc_id FROM judgments WHERE qrels_id = $qrels AND relevance < $relevant_from
"""


@dataclass(frozen=True)
class DrawnSample:
    """The items that are asked, a passage and a question each, and the judgments that call the passages not relevant.

    `population` is how many passages the sample was drawn from.
    """

    work: Work
    judgments: str
    population: int


def drawn(snapshot: Snapshot, bank: tuple[str, int] | None, request: ProbeRequest) -> DrawnSample:
    """Draw passages at random and evenly over the queries: a first one of each query, then a second one, and so on.

    A larger sample of the same seed holds the smaller one, so that its answers are in the cache. `bank`: name and
    version; None where passages are graded as a whole. Raises UsageError: no such judgments, or nothing that is judged
    not relevant, has a text and can be asked about.
    """
    known = qrels_ids(snapshot)
    judgments = request.judgments or next(iter(known), "")
    if judgments not in known:
        what = f"no judgments {judgments}" if judgments else "no human judgments to say what is not relevant"
        text = f"There are: {', '.join(known)}." if known else "Import some with: examboard import qrels"
        raise UsageError(f"{snapshot.collection} has {what}. {text}")
    work_of_bank = work(snapshot, NOBODY, bank)
    named = {"qrels": judgments, "relevant_from": request.relevant_from}
    wanted = set(snapshot.query(_NOT_RELEVANT, named).itertuples(index=False, name=None))
    texts = work_of_bank.pairs["passage_text"].notna()
    names = zip(work_of_bank.pairs["query_id"], work_of_bank.pairs["doc_id"], texts, strict=True)
    is_judged = np.array([existing and (query, doc) in wanted for query, doc, existing in names], bool)
    values = np.zeros(len(work_of_bank.pairs), bool)
    values[work_of_bank.pair] = True
    places = np.flatnonzero(is_judged & values)
    if not texts.any():
        raise UsageError(
            f"There is nothing to ask about in {snapshot.collection}: no passage has a text.\n"
            f"{texts_come(snapshot.collection)}"
        )
    if not len(places):
        raise UsageError(
            f"There is nothing to ask about in {snapshot.collection}: no passage with a text and questions has a "
            f"relevance below {request.relevant_from} in {judgments}. Choose with --relevant-from and --judgments."
        )
    queries = work_of_bank.pairs["query_id"].to_numpy()[places]
    order = np.random.default_rng(request.seed).permutation(len(queries))
    counts: dict[str, int] = {}
    turns = np.empty(len(order), np.int64)
    for number, place in enumerate(order):
        turns[number] = counts[queries[place]] = counts.get(queries[place], -1) + 1
    mask = np.isin(work_of_bank.pair, places[np.asarray(order[np.argsort(turns, kind="stable")][: request.sample])])
    sample = replace(work_of_bank, pair=work_of_bank.pair[mask], question=work_of_bank.question[mask])
    return DrawnSample(sample, judgments, len(places))


class ProbeTask(Task):
    """A probe that is prepared: a task whose items are asked in every variant, those of a variant together.

    Errors as `Task` and `drawn`.
    """

    def __init__(self, store: Store, request: ProbeRequest, *, model: Answerer | None = None) -> None:
        self.request = request
        super().__init__(store, replace(request.order, limit=None), model=model)

    def _find_work(self, snapshot: Snapshot, bank: tuple[str, int] | None) -> Work:
        self.drawn = drawn(snapshot, bank, self.request)
        return self.drawn.work

    def __len__(self) -> int:
        return self.items * len(VARIANTS)

    @property
    def items(self) -> int:
        """Passages times the questions of their queries."""
        return len(self.work.pair)

    @cached_property
    def first(self) -> np.ndarray:
        """Nothing comes first: no leaderboard waits for a probe."""
        return np.zeros(len(self), bool)

    def asked(self, items: Items) -> list[ModeInput]:
        """What is asked in some places: of each item, variant after variant."""
        places = np.arange(len(self))[items]
        plain = super().asked(places % self.items)
        return [perturbed(mode, VARIANTS[place // self.items]) for mode, place in zip(plain, places, strict=True)]


@dataclass(frozen=True)
class ProbeAhead:
    """What a probe of this name would ask: passages, the population they come from, and prompts of all variants."""

    grader: str
    passages: int
    population: int
    prompts: int


def probe_ahead(snapshot: Snapshot, store: Store, wanted: ProbeRequest) -> ProbeAhead:
    """What such a probe would ask in the collection as it is now; no model is loaded.

    `snapshot`: of the collection; an answer that is kept is kept for it. Raises UsageError: what prevents it: there is
    nothing to draw, texts or answer keys that are missing, options that don't go together.
    """
    del snapshot
    task = ProbeTask(store, wanted)
    refuse_impossible(task.order.options, task.mode.kind)
    return ProbeAhead(
        grader=task.grader, passages=len(np.unique(task.work.pair)), population=task.drawn.population, prompts=len(task)
    )
