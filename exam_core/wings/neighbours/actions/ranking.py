"""Ranking generated answers among the judged documents of their queries: ranks go to `scores`, for NRP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from exam_core.actions.committing import Imported
from exam_core.actions.verbs import verb
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.formats.extra import encode_extra
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot, Store
from exam_core.store.question_texts import query_texts
from exam_core.store.summary import qrels_ids, run_ids
from exam_core.texts.rankers import places
from exam_core.wings.neighbours.analysis.ranked import answers_with_texts, method_of, nrp_scores
from exam_core.wings.neighbours.ranking_order import LEXICAL, MODELS, OF_A_RUN, RankingOrder
from exam_core.wording import counted, texts_come

if TYPE_CHECKING:
    from exam_core.grading.t5.models import Loaded

NO_ANSWERS = "{} has no generated answers with texts. Import them (import answers FILE)."
Ranked = tuple[np.ndarray, int, np.ndarray]
"""Of a query's answers: places from 0 (-1 where there is none), the length of a ranking with the answer, scores."""


@dataclass
class _Query:
    """A query with its judged documents and its answers."""

    text: str
    documents: pd.DataFrame
    answers: pd.DataFrame


@verb("edit")
def rank_answers(store: Store, collection: str, order: RankingOrder, *, progress: Progress = no_progress) -> Imported:
    """Rank every generated answer among the judged documents of its query, and store the ranks.

    Each answer is ranked with the documents alone, as if there were no other answer. The statistics of lexical rankers
    are of these documents and that answer. A document with the answer's score stands before it. Ranks that were made
    under the same name before are replaced. A run (`run:NAME`) has ranked documents and answers together: then those
    judged documents count that it returned, in its order, and answers that it did not return have no rank.

    Parameters
    ----------
    order : what ranks, and among what

    Raises
    ------
    UsageError : there are no answers, judgments or texts; no such ranker or run
    GraderError : the model can't be loaded, or is no ranker of this kind

    Source: Heineking et al. 2024, section 2, steps 3 and 4.
    """
    method_of(order.name)
    snapshot = store.snapshot(collection)
    queries, notes = _work(snapshot, order, with_texts=not order.by.startswith(OF_A_RUN))
    rank, about = _ranker(snapshot, order)
    parts, unranked = [], 0
    for place, (query_id, query) in enumerate(queries.items()):
        progress(place / len(queries))
        ranks, size, scores = rank(query_id, query)
        found = query.answers[["system", "prompt", "query_id", "sample"]].assign(rank=ranks, size=size, score=scores)
        parts.append(found[found["rank"] >= 0])
        unranked += int((found["rank"] < 0).sum())
    progress(1.0)
    frame = pd.concat(parts, ignore_index=True)
    if frame.empty:
        raise UsageError(f"{order.by} ranks none of the answers of {collection} among judged documents.")
    if unranked:
        notes.append(f"{counted({'answers are': unranked})} not in {order.by}, or without a judged document: no rank.")
    scores_frame = nrp_scores(frame, order.name)
    scores_frame["extra"] = encode_extra({"by": order.by, "judgments": order.judgments, **about})
    counts = {"runs": scores_frame["run_id"].nunique(), "ranks": len(frame)}
    reading = Reading({"scores": scores_frame}, counts=counts, notes=notes)
    committed = store.commit(collection, reading, source=f"ranked:{order.name}", file=f"nrp-rank {order.by}")
    ids = (committed.import_id,) if committed.changed else ()
    return Imported(collection, committed.changed, counts, [*notes, *committed.notes], committed.healed, ids)


def _ranker(snapshot: Snapshot, order: RankingOrder) -> tuple[Callable[[str, _Query], Ranked], dict[str, Any]]:
    """What ranks a query's answers, and what is to be kept of it."""
    if order.by in LEXICAL:
        return lambda _, query: _lexical(order.by, query), {}
    if order.by.startswith(OF_A_RUN):
        run_id = order.by.removeprefix(OF_A_RUN)
        if run_id not in run_ids(snapshot):
            raise UsageError(f"--by {order.by}: {snapshot.collection} has no run {run_id}.")
        return lambda query_id, query: _of_run(snapshot, run_id, query_id, query), {}
    if order.by not in MODELS:
        raise UsageError(f"--by {order.by}: choose {', '.join((*LEXICAL, *MODELS))}, or run:NAME.")
    from exam_core.grading.t5.models import load

    loaded = load(order.model or MODELS[order.by], device=order.device)
    by = _by_monot5 if order.by == "monot5" else _by_duot5
    return lambda _, query: by(loaded, query, order), {"model": loaded.name, "revision": loaded.revision}


def _lexical(by: str, query: _Query) -> Ranked:
    documents, answers = query.documents["text"].tolist(), query.answers["text"].tolist()
    ranks, scores = places(by, query.text, documents, answers)
    return ranks, len(documents) + 1, scores


def _by_monot5(loaded: Loaded, query: _Query, order: RankingOrder) -> Ranked:
    """A passage's score does not depend on the others, so that all are scored at once."""
    from exam_core.wings.neighbours.grading.reranking import mono_scores

    texts = [*query.documents["text"], *query.answers["text"]]
    scores = mono_scores(loaded, [(query.text, text) for text in texts], max_tokens=order.max_tokens)
    theirs, mine = np.split(scores, [len(query.documents)])
    return (theirs[None] >= mine[:, None]).sum(axis=1), len(theirs) + 1, mine


def _by_duot5(loaded: Loaded, query: _Query, order: RankingOrder) -> Ranked:
    """The answer and the first documents by BM25, compared pair by pair; an answer that is not among them stays there.

    Source: Pradeep et al. 2021, who compare the first 50 of another ranker.
    """
    from exam_core.texts.rankers import Counted, bm25
    from exam_core.wings.neighbours.grading.reranking import duo_scores

    documents, answers = query.documents["text"].tolist(), query.answers["text"].tolist()
    ranks, scores = places("bm25", query.text, documents, answers)
    best = np.argsort(-bm25(Counted.of(query.text, documents)), kind="stable")[: order.first - 1]
    for place in np.flatnonzero(ranks < order.first):
        found = duo_scores(
            loaded, query.text, [*(documents[one] for one in best), answers[place]], max_tokens=order.max_tokens
        )
        ranks[place], scores[place] = int((found[:-1] >= found[-1]).sum()), found[-1]
    return ranks, len(documents) + 1, scores


def _of_run(snapshot: Snapshot, run_id: str, query_id: str, query: _Query) -> Ranked:
    rows = snapshot.query(
        "SELECT doc_id, rank, score FROM rankings WHERE run_id = ? AND query_id = ?", [run_id, query_id]
    ).set_index("doc_id")
    judged = np.sort(rows.loc[rows.index.isin(query.documents["doc_id"]), "rank"].to_numpy(np.int64))
    mine = rows.reindex(query.answers["doc_id"])
    ranks = np.searchsorted(judged, mine["rank"].fillna(0).to_numpy(np.int64))
    # Above no document is no place: it would be the best one there is.
    return np.where(mine["rank"].notna() & (len(judged) > 0), ranks, -1), len(judged) + 1, mine["score"].to_numpy(float)


_JUDGED = """
SELECT DISTINCT j.query_id, j.doc_id, p.passage_text AS text FROM judgments j LEFT JOIN passages p USING (doc_id)
WHERE $qrels IS NULL OR qrels_id = $qrels ORDER BY j.query_id, j.doc_id
"""


def _work(snapshot: Snapshot, order: RankingOrder, *, with_texts: bool) -> tuple[dict[str, _Query], list[str]]:
    """What can be ranked, query by query, and notes on what can't."""
    answers = answers_with_texts(snapshot)
    if answers.empty:
        raise UsageError(NO_ANSWERS.format(snapshot.collection))
    known = qrels_ids(snapshot)
    if not known or order.judgments not in (None, *known):
        there = f"There are: {', '.join(known)}." if known else "Import them (import qrels FILE --name NAME)."
        named = f"judgments {order.judgments}" if known else "judgments"
        raise UsageError(f"{snapshot.collection} has no {named} to rank among. {there}")
    documents = snapshot.query(_JUDGED, {"qrels": order.judgments})
    documents = documents[~documents["doc_id"].isin(answers["doc_id"])]
    notes = []
    if with_texts:
        for frame, what in ((answers, "answers"), (documents, "judged documents")):
            if missing := int(frame["text"].isna().sum()):
                notes.append(f"{missing:,} {what} have no text and were left out.")
        answers, documents = (frame[frame["text"].notna()] for frame in (answers, documents))
        notes += [texts_come(snapshot.collection)] if notes else []
    texts = query_texts(snapshot)
    of_query = {str(name): group for name, group in documents.groupby("query_id")}
    queries, without = dict[str, _Query](), Counter[str]()
    for query_id, group in answers.groupby("query_id"):
        text, judged = texts.get(str(query_id)), of_query.get(str(query_id))
        if judged is None:
            without["have no judged documents"] += 1
        elif with_texts and not isinstance(text, str):
            without["have no text"] += 1
        else:
            queries[str(query_id)] = _Query(str(text), judged, group)
    notes += [f"{count:,} queries {why}: their answers have no rank." for why, count in without.items()]
    if not queries:
        raise UsageError(
            "\n".join([f"{snapshot.collection} has no answer that can be ranked among judged documents.", *notes])
        )
    return queries, notes
