"""Ranking generated answers among the judged documents: the action, its rankers, and the stored ranks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pandas as pd

import exam_core.measures  # noqa: F401 - it loads the wings' measures, and so before one of these
from exam_core.actions.committing import ImportResult
from exam_core.actions.verbs import verb
from exam_core.errors import StoreError, UsageError
from exam_core.formats import Reading
from exam_core.formats.extra import encode_extra
from exam_core.numbers.arrays import Floats, Ints
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot, Store
from exam_core.store.question_texts import query_texts
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import qrels_ids, run_ids
from exam_core.tables import SCORES, answer_id, answers_run
from exam_core.texts.rankers import places
from exam_core.wings.neighbours.measures import nrp
from exam_core.wings.neighbours.ranking_order import LEXICAL, MODELS, OF_A_RUN, RankingOrder
from exam_core.wording import counted, texts_come

if TYPE_CHECKING:
    from exam_core.grading.t5.models import Loaded

_METHOD = re.compile(r"NRP\(ranker=(.+)\)")
_NO_RANKER = re.compile(r"[(),=]")
NO_RANKS = (
    "{} has no ranks of generated answers. Import them (import ranks FILE), or import answers (import answers FILE) "
    "and rank them among the judged documents (nrp-rank)."
)


class ValueParts(msgspec.Struct):
    """What a value of NRP is made of: `samples` are (sample, rank from 0, length with the answer, score)."""

    system: str
    prompt: str
    ranker: str
    samples: list[tuple[int, int, int, float | None]]


def method_of(ranker: str) -> str:
    """Return the method that NRP by a ranker is stored as; UsageError where the name could not be read back from it."""
    if not ranker.strip() or _NO_RANKER.search(ranker):
        raise UsageError(f"--ranker {ranker}: give a name without brackets, commas and =.")
    return f"NRP(ranker={ranker})"


def nrp_scores(answers: pd.DataFrame, ranker: str) -> pd.DataFrame:
    """Return ranks of answers as rows of `scores`: a row for each run and query, its value the mean NRP as released.

    `answers` has system, prompt, query_id, sample, rank (from 0), size (the answer included), score (NaN if unknown),
    and perhaps parameters, of the system's model.
    """
    method = method_of(ranker)
    values = nrp(answers["rank"].to_numpy(np.int64), answers["size"].to_numpy(np.int64))
    rows = []
    keys = ["system", "prompt", "query_id"]
    for (system, prompt, query_id), group in answers.assign(value=values).groupby(keys, sort=False):
        ordered = group.sort_values("sample", kind="stable")
        columns = (ordered[name].tolist() for name in ("sample", "rank", "size", "score"))
        samples = [(i, r, n, None if s != s else s) for i, r, n, s in zip(*columns, strict=True)]
        parts = msgspec.json.encode(ValueParts(system, prompt, ranker, samples)).decode()
        known = group["parameters"].dropna().tolist() if "parameters" in group else []
        extra = msgspec.json.encode({"parameters": float(known[0])}).decode() if known else None
        value = float(group["value"].mean())
        rows.append((method, answers_run(system, prompt), query_id, value, parts, extra))
    return SCORES.of(rows)


@dataclass(frozen=True)
class RankedAnswers:
    """Ranked answers by one ranker: (A,) arrays.

    `runs`, as (system, prompt), and `queries` are names; `run` and `query` each answer's places in them. `sample` is
    the answer's number among those of its run and query, `rank` is from 0, `size` the length of its ranking, the answer
    included, `score` NaN if unknown.
    """

    ranker: str
    runs: tuple[tuple[str, str], ...]
    queries: tuple[str, ...]
    run: Ints
    query: Ints
    sample: Ints
    rank: Ints
    size: Ints
    score: Floats

    @property
    def run_ids(self) -> list[str]:
        """The runs' ids in the store."""
        return [answers_run(*run) for run in self.runs]

    @property
    def systems(self) -> list[str]:
        """The systems, each once, in the order of the runs."""
        return list(dict.fromkeys(system for system, _ in self.runs))


@cached_by_snapshot(64)
def rankers_of(snapshot: Snapshot) -> list[str]:
    """Return the rankers of answers, which have rows in `scores`, those with most rows first."""
    methods = snapshot.query("SELECT method FROM scores GROUP BY method ORDER BY count(*) DESC, method")["method"]
    return [match[1] for name in methods if (match := _METHOD.fullmatch(name))]


def choose_ranker(snapshot: Snapshot, ranker: str | None, option: str = "--ranker {}") -> str:
    """Return the named ranker, or by default the only one; `option` is how a ranker is named.

    Raises UsageError where there is none, no such one, or several to choose from.
    """
    known = rankers_of(snapshot)
    if not known:
        raise UsageError(NO_RANKS.format(snapshot.collection))
    if ranker is None and len(known) > 1:
        raise UsageError(
            f"{snapshot.collection} has ranks by {', '.join(known)}: choose with {option.format(known[0])}."
        )
    if ranker is not None and ranker not in known:
        raise UsageError(f"{option.format(ranker)}: {snapshot.collection} has ranks by {', '.join(known)}.")
    return ranker or known[0]


@cached_by_snapshot(16)
def ranked_answers(snapshot: Snapshot, ranker: str) -> RankedAnswers:
    """Return the answers that a ranker ranked; shared, so never to be changed.

    Raises StoreError where their rows are not as this version writes them.
    """
    frame = snapshot.query(
        "SELECT run_id, query_id, parts FROM scores WHERE method = ? ORDER BY run_id, query_id", [method_of(ranker)]
    )
    try:
        parts = msgspec.json.decode(f"[{','.join(frame['parts'])}]", type=list[ValueParts])
    except (msgspec.MsgspecError, TypeError) as error:
        raise StoreError(
            f"{snapshot.collection}: ranks by {ranker} can't be read ({error}). Import or rank them again."
        ) from None
    runs = tuple(dict.fromkeys((part.system, part.prompt) for part in parts))
    queries = tuple(sorted(set(frame["query_id"])))
    row = {run: place for place, run in enumerate(runs)}
    column = {query: place for place, query in enumerate(queries)}
    cells = [
        (row[part.system, part.prompt], column[query], *sample)
        for part, query in zip(parts, frame["query_id"], strict=True)
        for sample in part.samples
    ]
    columns = list(zip(*cells, strict=True)) or [()] * 6
    run, query, sample, rank, size = (np.array(values, np.int64) for values in columns[:5])
    score = np.array(columns[5], float)
    for values in (run, query, sample, rank, size, score):
        values.flags.writeable = False
    return RankedAnswers(ranker, runs, queries, run, query, sample, rank, size, score)


def known_answers(snapshot: Snapshot) -> dict[str, str]:
    """Return the system of each answer of which the collection has a rank or a text, by the answer's id."""
    systems: dict[str, str] = {}
    for ranker in rankers_of(snapshot):
        answers = ranked_answers(snapshot, ranker)
        places = zip(answers.run.tolist(), answers.query.tolist(), answers.sample.tolist(), strict=True)
        for run, query, sample in places:
            system, prompt = answers.runs[run]
            systems[answer_id(system, answers.queries[query], prompt, sample)] = system
    return systems | {row.doc_id: row.system for row in answers_with_texts(snapshot).itertuples()}


def answers_with_texts(snapshot: Snapshot) -> pd.DataFrame:
    """Return the collection's generated answers: doc_id, run_id, query_id, system, prompt, sample, text."""
    return snapshot.query(
        "SELECT r.doc_id, r.run_id, r.query_id, r.extra->>'$.system' AS system, r.extra->>'$.prompt' AS prompt, "
        "(r.extra->>'$.sample')::INTEGER AS sample, p.passage_text AS text "
        "FROM rankings r LEFT JOIN passages p USING (doc_id) "
        "WHERE r.extra->>'$.system' IS NOT NULL AND r.extra->>'$.prompt' IS NOT NULL "
        "AND try_cast(r.extra->>'$.sample' AS INTEGER) IS NOT NULL ORDER BY r.run_id, r.query_id, sample"
    )


NO_ANSWERS = "{} has no generated answers with texts. Import them (import answers FILE)."
Ranked = tuple[np.ndarray, int, np.ndarray]
"""Of a query's answers: places from 0 (-1 without a rank), the length of a ranking with the answer, scores."""


@dataclass
class _Query:
    """A query with its judged documents and its answers."""

    text: str
    documents: pd.DataFrame
    answers: pd.DataFrame


@verb("edit")
def rank_answers(
    store: Store, collection: str, order: RankingOrder, *, progress: Progress = no_progress
) -> ImportResult:
    """Rank every generated answer among the judged documents of its query, and store the ranks.

    Each answer is ranked with the documents alone, as if there were no other answer. The statistics of lexical rankers
    are of these documents and that answer. A document with the answer's score ranks before it. Earlier ranks of the
    same name are replaced. A run (`run:NAME`) has ranked documents and answers together: then those judged documents
    count that it returned, in its order, and answers that it did not return have no rank.

    Raises UsageError where there are no answers, judgments or texts, or no such ranker or run; GraderError where the
    model can't be loaded, or is no ranker of this kind.

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
        rows = query.answers[["system", "prompt", "query_id", "sample"]].assign(rank=ranks, size=size, score=scores)
        parts.append(rows[rows["rank"] >= 0])
        unranked += int((rows["rank"] < 0).sum())
    progress(1.0)
    frame = pd.concat(parts, ignore_index=True)
    if frame.empty:
        raise UsageError(f"{order.by} ranks none of the answers of {collection} among judged documents.")
    if unranked:
        notes.append(f"{counted({'answers are': unranked})} not in {order.by}, or without a judged document: no rank.")
    ranks_frame = nrp_scores(frame, order.name)
    ranks_frame["extra"] = encode_extra({"by": order.by, "judgments": order.judgments, **about})
    counts = {"runs": ranks_frame["run_id"].nunique(), "ranks": len(frame)}
    reading = Reading({"scores": ranks_frame}, counts=counts, notes=notes)
    committed = store.commit(collection, reading, source=f"ranked:{order.name}", file=f"nrp-rank {order.by}")
    ids = (committed.import_id,) if committed.changed else ()
    return ImportResult(collection, committed.changed, counts, [*notes, *committed.notes], committed.healed, ids)


def _ranker(snapshot: Snapshot, order: RankingOrder) -> tuple[Callable[[str, _Query], Ranked], dict[str, Any]]:
    """Return the function that ranks a query's answers, and facts to keep of the ranker."""
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
    """Score all passages at once, as a passage's score does not depend on the others."""
    from exam_core.wings.neighbours.reranking import mono_scores

    texts = [*query.documents["text"], *query.answers["text"]]
    scores = mono_scores(loaded, [(query.text, text) for text in texts], max_tokens=order.max_tokens)
    of_documents, of_answers = np.split(scores, [len(query.documents)])
    ranks = (of_documents[None] >= of_answers[:, None]).sum(axis=1)
    return ranks, len(of_documents) + 1, of_answers


def _by_duot5(loaded: Loaded, query: _Query, order: RankingOrder) -> Ranked:
    """Compare the answer and the first documents by BM25 pair by pair; an answer not among these keeps BM25's place.

    Source: Pradeep et al. 2021, who compare the first 50 of another ranker.
    """
    from exam_core.texts.rankers import Counted, bm25
    from exam_core.wings.neighbours.reranking import duo_scores

    documents, answers = query.documents["text"].tolist(), query.answers["text"].tolist()
    ranks, scores = places("bm25", query.text, documents, answers)
    best = np.argsort(-bm25(Counted.of(query.text, documents)), kind="stable")[: order.first - 1]
    for place in np.flatnonzero(ranks < order.first):
        texts = [*(documents[number] for number in best), answers[place]]
        values = duo_scores(loaded, query.text, texts, max_tokens=order.max_tokens)
        ranks[place], scores[place] = int((values[:-1] >= values[-1]).sum()), values[-1]
    return ranks, len(documents) + 1, scores


def _of_run(snapshot: Snapshot, run_id: str, query_id: str, query: _Query) -> Ranked:
    rows = snapshot.query(
        "SELECT doc_id, rank, score FROM rankings WHERE run_id = ? AND query_id = ?", [run_id, query_id]
    ).set_index("doc_id")
    judged = np.sort(rows.loc[rows.index.isin(query.documents["doc_id"]), "rank"].to_numpy(np.int64))
    answers = rows.reindex(query.answers["doc_id"])
    ranks = np.searchsorted(judged, answers["rank"].fillna(0).to_numpy(np.int64))
    # Above no document is no place: it would be the best one there is.
    return (
        np.where(answers["rank"].notna() & (len(judged) > 0), ranks, -1),
        len(judged) + 1,
        answers["score"].to_numpy(float),
    )


_JUDGED = """
SELECT DISTINCT j.query_id, j.doc_id, p.passage_text AS text FROM judgments j LEFT JOIN passages p USING (doc_id)
WHERE $qrels IS NULL OR qrels_id = $qrels ORDER BY j.query_id, j.doc_id
"""


def _work(snapshot: Snapshot, order: RankingOrder, *, with_texts: bool) -> tuple[dict[str, _Query], list[str]]:
    """Return the queries that can be ranked, and notes on the others."""
    answers = answers_with_texts(snapshot)
    if answers.empty:
        raise UsageError(NO_ANSWERS.format(snapshot.collection))
    known = qrels_ids(snapshot)
    if not known or order.judgments not in (None, *known):
        existing = f"There are: {', '.join(known)}." if known else "Import them (import qrels FILE --name NAME)."
        named = f"judgments {order.judgments}" if known else "judgments"
        raise UsageError(f"{snapshot.collection} has no {named} to rank among. {existing}")
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
