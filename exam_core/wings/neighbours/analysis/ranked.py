"""Ranks of generated answers: as rows of `scores`, and read back from there as arrays."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec
import numpy as np
import pandas as pd

from exam_core.errors import StoreError, UsageError
from exam_core.numbers.arrays import Floats, Ints
from exam_core.store import Snapshot
from exam_core.store.snapshot_cache import kept
from exam_core.tables import SCORES, answer_id, answers_run
from exam_core.wings.neighbours.measures.effectiveness.rank_position import nrp

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
    """The method that NRP by a ranker is stored as.

    Raises UsageError where the name could not be read back from the method's.
    """
    if not ranker.strip() or _NO_RANKER.search(ranker):
        raise UsageError(f"--ranker {ranker}: give a name without brackets, commas and =.")
    return f"NRP(ranker={ranker})"


def nrp_scores(answers: pd.DataFrame, ranker: str) -> pd.DataFrame:
    """Ranks of answers as rows of `scores`: a row for each run and query, its value the mean NRP as released.

    Parameters
    ----------
    answers : system, prompt, query_id, sample, rank (from 0), size (the answer counted), score (NaN if unknown), and
        perhaps parameters, of the system's model
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
        row = method, answers_run(system, prompt), query_id, float(group["value"].mean()), parts
        rows.append((*row, _extra(group)))
    return SCORES.of(rows)


def _extra(group: pd.DataFrame) -> str | None:
    """What else is known of the answers' system: how many parameters its model has."""
    known = group["parameters"].dropna().tolist() if "parameters" in group else []
    return msgspec.json.encode({"parameters": float(known[0])}).decode() if known else None


@dataclass(frozen=True)
class RankedAnswers:
    """Ranked answers by one ranker: (A,) arrays.

    Attributes
    ----------
    runs, queries : names, by the places that `run` and `query` hold; runs are (system, prompt)
    run, query : places of each answer's run and query
    sample : the answer's number among those of its run and query
    rank : from 0; size : length of its ranking, the answer counted; score : NaN if unknown
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
        """The runs as the store names them."""
        return [answers_run(*run) for run in self.runs]

    @property
    def systems(self) -> list[str]:
        """The systems, each once, in the order of the runs."""
        return list(dict.fromkeys(system for system, _ in self.runs))

    @property
    def prompts(self) -> list[str]:
        """The prompts, each once, in the order of the runs."""
        return list(dict.fromkeys(prompt for _, prompt in self.runs))


@kept(64)
def rankers_of(snapshot: Snapshot) -> list[str]:
    """What ranked answers: rankers that have rows in `scores`."""
    methods = snapshot.query("SELECT method FROM scores GROUP BY method ORDER BY count(*) DESC, method")["method"]
    return [found[1] for name in methods if (found := _METHOD.fullmatch(name))]


def choose_ranker(snapshot: Snapshot, ranker: str | None, option: str = "--ranker {}") -> str:
    """The ranker that is asked for; by default the only one.

    Raises UsageError where there is none, no such one, or several to choose from.

    Parameters
    ----------
    option : how a ranker is asked for
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


@kept(16)
def ranked_answers(snapshot: Snapshot, ranker: str) -> RankedAnswers:
    """The answers that a ranker ranked; shared, so never to be changed.

    Raises StoreError where what is stored of them is not as this version writes it.
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
    """The system of each answer that the collection knows by a rank or a text, by the answer's id."""
    found: dict[str, str] = {}
    for ranker in rankers_of(snapshot):
        answers = ranked_answers(snapshot, ranker)
        places = zip(answers.run.tolist(), answers.query.tolist(), answers.sample.tolist(), strict=True)
        for run, query, sample in places:
            system, prompt = answers.runs[run]
            found[answer_id(system, answers.queries[query], prompt, sample)] = system
    return found | {row.doc_id: row.system for row in answers_with_texts(snapshot).itertuples()}


def answers_with_texts(snapshot: Snapshot) -> pd.DataFrame:
    """Generated answers that are in the collection: doc_id, run_id, query_id, system, prompt, sample, text."""
    return snapshot.query(
        "SELECT r.doc_id, r.run_id, r.query_id, r.extra->>'$.system' AS system, r.extra->>'$.prompt' AS prompt, "
        "(r.extra->>'$.sample')::INTEGER AS sample, p.passage_text AS text "
        "FROM rankings r LEFT JOIN passages p USING (doc_id) "
        "WHERE r.extra->>'$.system' IS NOT NULL AND r.extra->>'$.prompt' IS NOT NULL "
        "AND try_cast(r.extra->>'$.sample' AS INTEGER) IS NOT NULL ORDER BY r.run_id, r.query_id, sample"
    )
