"""Imports of responses, assignments, answers, ranks and orders, and the demo's collections of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exam_core.actions import committing
from exam_core.actions.importing_runs import strangers
from exam_core.actions.verbs import verb
from exam_core.demo.demo_collection import ANSWERS, NUGGETS, documents, judged, queries, read_topics
from exam_core.errors import BadInput, UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.extra import decode_extra, encode_extra
from exam_core.formats.file_names import file_name
from exam_core.formats.lines import file_hash
from exam_core.formats.reading import trec_rank
from exam_core.formats.registry import reader
from exam_core.formats.workbench import text_hash
from exam_core.grading.modes.lexical_grader import ABOUT, GRADER_ID, lexical_grades
from exam_core.progress import Progress, no_progress
from exam_core.request import Parts
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Origin
from exam_core.store.names import BankRef
from exam_core.store.summary import bank_version
from exam_core.tables import PASSAGES, POOL, QUERIES, RANKINGS, answer_id
from exam_core.texts.rankers import RANKERS, Counted, bm25
from exam_core.texts.scripts import about_tokens
from exam_core.wings.neighbours.answer_files import METHOD as ORDER
from exam_core.wings.neighbours.answer_files import Orders, RankedAnswer, orders_frame, read_answers
from exam_core.wings.neighbours.assessed_files import BANK_ID as NUGGET_BANK
from exam_core.wings.neighbours.assessed_files import GRADER_ID as NUGGETIZER
from exam_core.wings.neighbours.assessed_files import read_assignments
from exam_core.wings.neighbours.ranking import nrp_scores, rank_answers
from exam_core.wings.neighbours.ranking_order import RankingOrder
from exam_core.wings.neighbours.response_files import Document, Response, read_responses
from exam_core.wings.neighbours.sides import segments, sentences
from exam_core.wording import counted

_OF_A_RUN = {"queries": "query_id", "questions": "query_id", "passages": "doc_id", "grades": "doc_id"}
"""Tables of what systems wrote, and the ids by which a row belongs to a run's rankings."""
_ANOTHER_NAME = "Name this one with --run NAME; or add --replace to replace the stored run."


@verb("edit")
def import_responses(
    store: Store,
    collection: str,
    path: Path,
    *,
    run: str | None = None,
    parts: Parts | None = None,
    replace: bool = False,
    progress: Progress = no_progress,
) -> committing.ImportResult:
    """Import generated responses as runs, whose passages rank in the order of the text.

    The passages that a sentence cites are kept with the passage in which it begins. `run` names all, whatever the lines
    say; lines of several runs are refused then. Without `parts`, responses are cut into passages, but for those that
    are graded as a whole, as by nugget assignments. `replace` lets a run take the place of another one of its name.

    Raises BadInput where a line is bad, or a run of that name exists and ranks what this one does not.
    """
    if run is not None:
        committing.refuse_blank("--run", run)
    responses = reader("responses", path)(path, run_id=run, progress=progress)
    whole: Collection[str] = ()
    if parts is None and (snapshot := committing.known(store, collection)):
        sql = "SELECT DISTINCT doc_id FROM grades WHERE list_contains(?, doc_id)"
        whole = frozenset(snapshot.query(sql, [list(map(_whole_name, responses))])["doc_id"])
    reading = responses_reading(responses, parts or "passages", whole)
    imports = [*runs_of(path, reading, "responses", responses)]
    return committing.commit_all(store, collection, imports, None if replace else _ANOTHER_NAME, about=reading)


def _whole_name(response: Response) -> str:
    """Return the passage id of a response that is not cut."""
    return f"{response.run_id}/{response.query_id}"


def responses_reading(responses: Sequence[Response], parts: Parts, whole: Collection[str] = ()) -> Reading:
    """Return responses as runs: their queries, passages and rankings, and the documents in their file.

    `whole` holds ids of passages that are a response each, which are not cut.
    """
    pieces = [
        (response, rank, piece)
        for response in responses
        for rank, piece in enumerate(_pieces(response, "whole" if _whole_name(response) in whole else parts), 1)
    ]
    queries: dict[str, str | None] = {}
    for response in responses:
        queries[response.query_id] = queries.get(response.query_id) or response.query_text
    documents = {document.doc_id: document for response in responses for document in response.documents}
    passages = documents | {piece.doc_id: piece for _, _, piece in pieces}
    rankings = [
        (
            *(response.run_id, response.query_id, piece.doc_id),
            *(rank, rank, -float(rank), False, response.extra if rank == 1 else None),
        )
        for response, rank, piece in pieces
    ]
    frames = {
        "queries": QUERIES.of(queries.items()),
        "passages": PASSAGES.of(
            (passage.doc_id, passage.text, text_hash(passage.text), passage.extra) for passage in passages.values()
        ),
        "rankings": RANKINGS.of(rankings),
    }
    runs = {response.run_id for response in responses}
    counts = {"runs": len(runs), "responses": len(responses), "passages": len(pieces)}
    if cited := sum(len(sentence.citations) for response in responses for sentence in response.sentences):
        counts["citations"] = cited
    if documents:
        counts["documents"] = len(documents)
    notes = _citation_notes(responses)
    if len(pieces) > len(responses):
        notes.append(
            f"{'Long responses' if parts == 'passages' else 'Responses'} were cut at ends of sentences: "
            f"{counted({'passages': len(pieces)})} of {len(responses):,} responses."
        )
    if whole:
        notes.append(f"Graded as a whole already, and so not cut: {counted({'responses': len(whole)})}.")
    return Reading(frames, counts=counts, notes=notes)


def _citation_notes(responses: Sequence[Response]) -> list[str]:
    """Return notes on cited passages beside the references, and on those that a grader is asked about."""
    notes, unlisted = [], [(response, doc_id) for response in responses for doc_id in response.unlisted]
    if unlisted:
        response, doc_id = unlisted[0]
        notes.append(
            f"{counted({'citations': len(unlisted)})} of passages that are not among the references of their response; "
            f"they are kept. The first is {visible(doc_id, line_ends=False)[:80]} in the response of run "
            f"{response.run_id} to query {response.query_id}."
        )
    if count := len(_with_texts(responses)):
        notes.append(
            f"Cited passages whose texts came with their responses: {count:,}. A grader is asked about them, too: "
            "`citations` compares their grades with those of the responses."
        )
    return notes


def _with_texts(responses: Iterable[Response]) -> dict[tuple[str, str], None]:
    """Return query and passage of each citation whose text is in the response's file, once, as keys."""
    return {
        (response.query_id, document.doc_id): None
        for response in responses
        for cited in [{doc_id for sentence in response.sentences for doc_id in sentence.citations}]
        for document in response.documents
        if document.doc_id in cited
    }


def _pieces(response: Response, parts: Parts) -> list[Document]:
    """Return the passages of a response in the order of its text; `extra` has the sentences that begin in each."""
    name, text = _whole_name(response), response.text
    own = [sentence for sentence in response.sentences if sentence.text.strip()]
    if parts == "passages":
        # English has four tokens for three words. The grader cuts passages that are longer after all.
        cut = segments(name, text, lambda piece: round(about_tokens(piece, 4 / 3)))
    elif parts == "whole":
        cut = [(name, text)]
    else:
        each = [sentence.text for sentence in own] or [part.strip() for part in sentences(text) if part.strip()]
        cut = [(f"{name}#{place}", sentence) for place, sentence in enumerate(each)]
    starts, end = [], 0
    for _, piece in cut:
        end = max(text.find(piece, end), end)
        starts.append(end)
    rows: list[list[dict[str, Any]]] = [[] for _ in cut]
    end = 0
    for sentence in response.sentences:
        start = max(text.find(sentence.text, end), end)
        rows[max(bisect_right(starts, start) - 1, 0)].append(sentence.kept)
        end = start + len(sentence.text)
    return [
        Document(doc_id, piece, encode_extra({"sentences": records} if records else None))
        for (doc_id, piece), records in zip(cut, rows, strict=True)
    ]


@verb("edit")
def import_assignments(
    store: Store,
    collection: str,
    path: Path,
    *,
    run: str | None = None,
    bank: str = NUGGET_BANK,
    grader: str = NUGGETIZER,
    progress: Progress = no_progress,
) -> committing.ImportResult:
    """Import assigned answers: runs of one passage a query, a bank of nuggets, and grades.

    A run's answers replace its rankings. Nuggets are those of the bank's newest version; if there is no such bank, the
    file's nuggets become it. All runs of the file are stored or none, each as an import of its own.

    Raises BadInput where the file is bad, or the bank has one of its nuggets with another importance. `run` names all
    answers, whatever the lines say; those of several runs are refused.
    """
    committing.refuse_version(bank)
    for option, name in (("--bank", bank), ("--grader", grader), ("--run", run)):
        if name is not None:
            committing.refuse_blank(option, name)
    reading = reader("assignments", path)(path, bank_id=bank, grader_id=grader, run_id=run, progress=progress)
    committing.refuse_nothing(path, reading)
    # A version of the bank that comes at the same moment is seen here, or sees these grades.
    with store.locked(collection):
        snapshot = committing.known(store, collection)
        version = bank_version(snapshot, bank) if snapshot else 0
        if snapshot and version:
            _fit_bank(snapshot, path, BankRef(bank, version), reading)
        reading.frames["questions"]["version"] = version or 1
        done = committing.commit_all(
            store, collection, [*runs_of(path, reading, f"assignments:{grader}")], about=reading
        )
    committing.add_notes(done, lambda: strangers(store, collection))
    return done


def runs_of(
    path: Path, reading: Reading, kind: str, responses: Iterable[Response] = ()
) -> Iterator[committing.NewImport]:
    """Return each run of a file as an import of its own, so that a later file replaces that run alone.

    Documents of responses go with their run, and cited ones belong to their queries. Raises BadInput where the file
    holds nothing.
    """
    committing.refuse_nothing(path, reading)
    digest, written = file_hash(path), dict[str, list[Response]]()
    for response in responses:
        written.setdefault(response.run_id, []).append(response)
    for run_id, rankings in reading.frames["rankings"].groupby("run_id", sort=False):
        own_responses = written.get(str(run_id), [])
        documents = {document.doc_id for response in own_responses for document in response.documents}
        groups = {"doc_id": {*rankings["doc_id"], *documents}, "query_id": set(rankings["query_id"])}
        frames = {
            name: frame[frame[column].isin(groups[column])]
            for name, frame in reading.frames.items()
            if (column := _OF_A_RUN.get(name))
        }
        counts = {"runs": 1, "passages": len(rankings)}
        if "grades" in frames:
            counts = {"runs": 1, "answers": len(rankings), "grades": len(frames["grades"])}
        graders = reading.graders if counts.get("grades") else {}
        frames["rankings"] = rankings
        if pairs := _with_texts(own_responses):
            queries, docs = zip(*pairs, strict=True)
            frames["pool"] = POOL.frame({"query_id": queries, "doc_id": docs, "position": range(len(docs))})
        part = Reading({name: frame.reset_index(drop=True) for name, frame in frames.items()}, graders, counts)
        yield committing.NewImport(
            part, Origin(f"{kind}:{run_id}", file_name(path), digest), [("rankings", str(run_id))]
        )


def _fit_bank(snapshot: Snapshot, path: Path, bank: BankRef, reading: Reading) -> None:
    """Leave out nuggets of the file without texts that the bank knows, and note which nuggets the file lacks.

    Raises BadInput where the bank has one of the file's nuggets with another importance.
    """
    assigned = reading.frames["questions"]
    of_bank = snapshot.query(
        "SELECT question_id, query_id, importance, question_text FROM questions WHERE bank_id = ? AND version = ?",
        [bank.name, bank.version],
    )
    of_bank = of_bank[of_bank["query_id"].isin(assigned["query_id"])]
    both = assigned.merge(of_bank, on=["question_id", "query_id"], how="left", suffixes=("", "_bank"), indicator=True)
    here, stored = both["importance"].astype(object), both["importance_bank"].astype(object)
    is_known = both["_merge"] == "both"
    only_id = both["question_text"].isna() & both["question_text_bank"].notna()
    differs = is_known & ~only_id & (here.where(here.notna(), None) != stored.where(stored.notna(), None))
    if len(other := both[differs]):
        first = other.iloc[0]
        raise BadInput(
            f"{path}: {len(other):,} of its nuggets have another importance in bank {bank}; the first is "
            f"{visible(str(first['question_text']), line_ends=False)[:80]!r} of query {first['query_id']}: "
            f"{first['importance_bank']} there, {first['importance']} here.\n"
            "Give the file's nuggets a bank of their own with --bank. Nothing was stored."
        )
    reading.frames["questions"] = assigned[~only_id.to_numpy()].reset_index(drop=True)
    if missing := len(of_bank) - int(is_known.sum()):
        reading.notes.append(
            f"{missing:,} nuggets of bank {bank} have no assignment in this file: its scores leave them out."
        )


_WHOLE_FILE = "Put all answers of a system and prompt into one file; or add --replace to replace the stored ones."


@verb("edit")
def import_answers(
    store: Store, collection: str, path: Path, *, replace: bool = False, progress: Progress = no_progress
) -> committing.ImportResult:
    """Import generated answers: a run for each system and prompt, which ranks the samples of a query in their order.

    Passages are named after system, query, prompt and sample. Runs wait to be ranked among documents, or graded.

    Raises BadInput where a line is bad, or stored answers of that system and prompt are missing in this file, unless
    `replace` lets a run take the place of another one of its name.
    """
    reading = reader("answers", path)(path, progress=progress)
    imports = [*runs_of(path, reading, "answers")]
    return committing.commit_all(store, collection, imports, None if replace else _WHOLE_FILE, about=reading)


@verb("edit")
def import_ranks(
    store: Store,
    collection: str,
    path: Path,
    *,
    ranker: str | None = None,
    rank_base: int | None = None,
    progress: Progress = no_progress,
) -> committing.ImportResult:
    """Import ranks of generated answers among documents; a file of the same name by the same ranker is replaced.

    The ranker is by default that of the file's column of scores (`monot5_score`). `rank_base` says where ranks of a
    column `rank` start; a column that says it itself (`rank_zero_based`) needs none.
    """
    if rank_base not in (None, 0, 1):
        raise UsageError(f"--rank-base {rank_base}: ranks start at 0 or at 1.")
    ranked = reader("ranks", path)(path, rank_base=rank_base, progress=progress)
    ranker = ranker or ranked.ranker
    if ranker is None:
        raise UsageError(f"{path}: no column such as monot5_score says what ranked the answers. Name it with --ranker.")
    committing.refuse_blank("--ranker", ranker)
    frame = pd.DataFrame(ranked.answers, columns=RankedAnswer._fields)
    scores = nrp_scores(frame.astype({"score": float, "parameters": float}), ranker)
    counts = {"runs": scores["run_id"].nunique(), "ranks": len(frame)}
    reading = Reading({"scores": scores}, counts=counts, notes=ranked.notes)
    return committing.commit_all(
        store, collection, [committing.new_import(path, reading, Origin(f"ranks:{ranker}:{file_name(path)}"))]
    )


@verb("edit")
def import_orders(
    store: Store, collection: str, path: Path, *, progress: Progress = no_progress
) -> committing.ImportResult:
    """Import orders of answers by an expert and a ranker, to compute how well they agree."""
    reading = reader("orders", path)(path, progress=progress)
    return committing.commit_all(
        store, collection, [committing.new_import(path, reading, Origin("orders:"), [("scores", ORDER)])]
    )


JUDGED_BY = "relevance"
PROMPT = "explain"
EXPERT = ("albatross-large", "", "heron-medium", "wren-small")
"""Our order of the first answers to the prompt and the best document (an empty text), best first."""


def demo_answers() -> Reading:
    """Return answers to three of the demo's queries, their judged passages, three rankings of these, and our orders."""
    reading = read_answers(ANSWERS)
    items = set(reading.frames["queries"]["query_id"])
    topics = [topic for topic in read_topics() if topic["query_id"] in items]
    judgments = judged(topics, JUDGED_BY)
    orders = [_orders(topic, reading.frames["passages"]) for topic in topics]
    frames = {
        "queries": queries(topics),
        "passages": pd.concat([documents(topics), reading.frames["passages"]], ignore_index=True),
        "rankings": pd.concat([reading.frames["rankings"], _rankings(topics)], ignore_index=True),
        "judgments": judgments,
        "scores": orders_frame(orders),
    }
    counts = {"queries": len(topics), **reading.counts, "judgments": len(judgments), "tasks": len(orders)}
    return Reading(frames, counts=counts)


def _rankings(topics: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the judged passages of each query, ranked by each lexical ranker."""
    rows = [
        (name, topic["query_id"], passage["doc_id"], 0, 0, round(float(score), 6), False)
        for name, ranker in RANKERS.items()
        for topic in topics
        for passage, score in zip(
            topic["passages"],
            ranker(Counted.of(topic["query_text"], [passage["text"] for passage in topic["passages"]])),
            strict=True,
        )
    ]
    frame = RANKINGS.of(rows)
    frame["rank"] = trec_rank(frame)
    frame["source_rank"] = frame["rank"]
    return frame


def _orders(topic: dict[str, Any], answers: pd.DataFrame) -> Orders:
    """Return our order of three answers and the most relevant passage, and BM25's among all judged passages."""
    query_id = topic["query_id"]
    best = max(topic["passages"], key=lambda passage: passage["relevance"])["doc_id"]
    expert = tuple(answer_id(system, query_id, PROMPT, 1) if system else best for system in EXPERT)
    texts = {passage["doc_id"]: passage["text"] for passage in topic["passages"]}
    texts |= dict(zip(answers["doc_id"], answers["passage_text"], strict=True))
    names = [*(passage["doc_id"] for passage in topic["passages"]), *(name for name in expert if name != best)]
    scores = bm25(Counted.of(topic["query_text"], [texts[name] for name in names]))
    ordered = [names[place] for place in np.argsort(-scores, kind="stable")]
    return Orders(query_id, topic["query_text"], tuple(name for name in ordered if name in expert), expert)


def nugget_collection(responses: Reading) -> Reading:
    """Return the demo of answers: assignments written by hand, and the lexical grades of answers and citations.

    `responses` are the answers as whole passages, each with the sentences in `extra`.
    """
    assigned = read_assignments(NUGGETS / "assignments.jsonl")
    answers, rankings = responses.frames["passages"], responses.frames["rankings"]
    cites = {
        doc_id: [cited for sentence in decode_extra(extra)["sentences"] for cited in sentence["citations"]]
        for doc_id, extra in zip(answers["doc_id"], answers["extra"], strict=True)
    }
    pairs = {
        (query_id, doc_id)
        for query_id, answer in zip(rankings["query_id"], rankings["doc_id"], strict=True)
        for doc_id in (answer, *cites[answer])
    }
    query_ids, docs = zip(*sorted(pairs), strict=True)
    pool = POOL.frame({"query_id": query_ids, "doc_id": docs, "position": range(len(docs))})
    known_documents = documents(read_topics())
    cited = known_documents[known_documents["doc_id"].isin(set(docs))]
    passages = pd.concat([answers, cited], ignore_index=True)
    questions = assigned.frames["questions"]
    lexical = lexical_grades(questions[questions["enabled"]], passages, pool)
    frames = {
        "queries": assigned.frames["queries"],
        "questions": questions,
        "passages": passages,
        "rankings": rankings,
        "pool": pool,
        "grades": pd.concat([assigned.frames["grades"], lexical], ignore_index=True),
    }
    counts = {**assigned.counts, "passages": len(pool), "grades": len(frames["grades"])}
    notes = [f"Assigned by hand; {GRADER_ID} is word overlap, not a language model.", *assigned.notes]
    return Reading(frames, assigned.graders | {GRADER_ID: ABOUT}, counts, notes)


DEMO_ANSWERS, DEMO_NUGGETS = "demo-answers", "demo-nuggets"


def _build_demos(store: Store) -> list[committing.ImportResult]:
    """Build both collections; answers have one of their own, since their runs are no runs to evaluate."""
    written = responses_reading(read_responses(NUGGETS / "answers.jsonl"), "whole")
    results = []
    for name, reading in ((DEMO_NUGGETS, nugget_collection(written)), (DEMO_ANSWERS, demo_answers())):
        committed = store.commit(name, reading, source="demo")
        results.append(committing.ImportResult(name, committed.changed, reading.counts, reading.notes))
    return [*results, rank_answers(store, DEMO_ANSWERS, RankingOrder("bm25"))]


DEMOS = (_build_demos,)
