"""Imports: a file read, checked against the collection, and committed whole."""

from __future__ import annotations

import csv
import difflib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pandas as pd

from exam_core.analysis.evaluation.caveats import few_answered
from exam_core.analysis.generated.ranked import nrp_scores
from exam_core.asked import Parts
from exam_core.demo.embedded import DATA, PUBLISHED
from exam_core.errors import BadInput, StoreError, UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.extra import encode_extra
from exam_core.formats.lines import file_hash
from exam_core.formats.nuggets import BANK_ID as NUGGET_BANK
from exam_core.formats.nuggets import GRADER_ID as NUGGETIZER
from exam_core.formats.orders import METHOD as ORDER
from exam_core.formats.ranks import RankedAnswer
from exam_core.formats.reading import fault_of_id
from exam_core.formats.registry import reader
from exam_core.formats.responses import Response
from exam_core.formats.trec import trec_rank
from exam_core.formats.workbench import text_hash
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Committed, Origin
from exam_core.store.names import BankRef
from exam_core.store.sharing import import_duckdb
from exam_core.store.summary import bank_version, leaderboard_ids, query_ids, run_ids
from exam_core.tables import OFFICIAL, OVERALL, PASSAGES, QUERIES, RANKINGS
from exam_core.texts.segments import segments, sentences
from exam_core.wording import counted

SHARED_RUNS = 0.8
"""Share of an official list's systems that a collection must have for us to point to the list."""


@dataclass
class Imported:
    """What an import did.

    Parameters
    ----------
    changed : False if the collection held all of it already
    healed : files of the store that were damaged or gone, and that this file made whole again
    import_ids : of what is new, to undo it by
    """

    collection: str
    changed: bool
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    healed: int = 0
    import_ids: tuple[str, ...] = ()

    @property
    def counted(self) -> str:
        """The counts in words, for instance `1 run, 860 rankings`."""
        return counted(self.counts)


def import_workbench(
    store: Store,
    collection: str,
    path: Path,
    *,
    bank: str | None = None,
    grader: str | None = None,
    progress: Progress = no_progress,
) -> Imported:
    """Import a graded workbench file: passages, rankings, judgments, grades, and the graded ids as a bank."""
    _refuse_version(bank)
    if grader is not None:
        _refuse_blank("--grader", grader)
    reading = reader("workbench", path)(path, bank_id=bank, grader_id=grader, progress=progress)
    done = _commit(store, collection, path, reading, source=f"workbench:{_file_name(path)}")
    runs = list(reading.frames["rankings"]["run_id"].unique())
    _add_notes(done, lambda: _strangers(store, collection))
    _add_notes(done, lambda: [*_unanswered(store, collection, runs), *_official_hint(store, collection)])
    return done


def import_run(store: Store, collection: str, *paths: Path, progress: Progress = no_progress) -> Imported:
    """Import TREC runs; a run of the same name that is there already is replaced.

    All files are stored or none, each as an import of its own. Files that hold parts of one run are united.
    """
    read: dict[Path, pd.DataFrame] = {}
    parts: dict[str, list[tuple[Path, pd.DataFrame]]] = {}
    done = Imported(collection, changed=False, counts={"runs": 0, "rankings": 0})
    for path in paths:
        reading = reader("run", path)(path, progress=progress)
        done.notes += [f"{path.name}: {note}" if len(paths) > 1 else note for note in reading.notes]
        _refuse_nothing(path, reading)
        read[path] = reading.frames["rankings"]
        for run_id, rows in read[path].groupby("run_id", sort=False):
            parts.setdefault(str(run_id), []).append((path, rows))
    prepared = []
    for group in _groups(parts):
        frame = read[group.files[0]]
        if len(group.files) > 1:
            frame = pd.concat([_united_run(run_id, parts[run_id]) for run_id in group.runs], ignore_index=True)
        reading = Reading({"rankings": frame}, counts={"runs": len(group.runs), "rankings": len(frame)})
        origin = Origin(_run_source(group.runs), " ".join(_file_name(path) for path in group.files))
        owns = [("rankings", run_id) for run_id in group.runs]
        prepared.append(store.prepare(collection, reading, origin, owns=owns))
        done.counts = {name: count + reading.counts[name] for name, count in done.counts.items()}
    before = len(run_ids(store.snapshot(collection))) if collection in store.collections() else 0
    for committed in store.commit_together(prepared):
        _add(done, committed)
    _add_notes(
        done,
        lambda: [
            *_unanswered(store, collection, list(parts)),
            *_rescaled(store, collection, before),
            *_official_hint(store, collection),
        ],
    )
    return done


def _rescaled(store: Store, collection: str, before: int) -> list[str]:
    """A note where there are more runs than before: re-normalised scores are about all of them."""
    now = len(run_ids(store.snapshot(collection)))
    if not 0 < before < now:
        return []
    return [
        f"{collection} has {now} runs now, {before} before: re-normalised scores are over all {now}, and may differ "
        "from before for every run. Leave runs out in the bar of the dashboard, or with --without."
    ]


@dataclass(eq=False)
class _Group:
    """Files that are one import: a file with all its runs, and with it the files that share a run."""

    files: list[Path]
    runs: list[str] = field(default_factory=list)


def _groups(parts: dict[str, list[tuple[Path, pd.DataFrame]]]) -> list[_Group]:
    """The files in groups that share no run."""
    group_of: dict[Path, _Group] = {}
    for run_id, files in parts.items():
        first, *others = dict.fromkeys(group_of.setdefault(path, _Group([path])) for path, _ in files)
        for other in others:
            first.files += other.files
            first.runs += other.runs
            group_of |= dict.fromkeys(other.files, first)
        first.runs.append(run_id)
    return list(dict.fromkeys(group_of.values()))


def _run_source(run_ids: list[str]) -> str:
    """What a later import of the same runs supersedes; the names of many runs are said by a hash."""
    if len(run_ids) == 1:
        return f"run:{run_ids[0]}"
    names = "\n".join(sorted(run_ids))
    return f"runs:{len(run_ids)}:{text_hash(names)}"


def _united_run(run_id: str, parts: list[tuple[Path, pd.DataFrame]]) -> pd.DataFrame:
    """One run from the files that hold parts of it, ranked anew; a passage with two scores is refused."""
    if len(parts) == 1:
        return parts[0][1].reset_index(drop=True)
    frame = pd.concat([rows for _, rows in parts], ignore_index=True)
    frame = frame.drop_duplicates(["query_id", "doc_id", "score"], ignore_index=True)
    twice = frame[frame.duplicated(["query_id", "doc_id"])]
    if len(twice):
        names = ", ".join(str(path) for path, _ in parts)
        raise BadInput(
            f"{names}: run {run_id} scores {len(twice):,} passages differently in two of these files, "
            f"the first is {twice['doc_id'].iloc[0]} for query {twice['query_id'].iloc[0]}.\n"
            "Leave one of the files out, or give the runs different names in the sixth column. Nothing was stored."
        )
    frame["rank"] = trec_rank(frame)
    return frame


def import_qrels(
    store: Store, collection: str, path: Path, *, name: str = OFFICIAL, progress: Progress = no_progress
) -> Imported:
    """Import judgments under a name; those of the same name are replaced."""
    _refuse_blank("--name", name)
    reading = reader("qrels", path)(path, qrels_id=name, progress=progress)
    return _commit(store, collection, path, reading, source=f"qrels:{name}", owns=[("judgments", name)])


def import_topics(store: Store, collection: str, path: Path, *, progress: Progress = no_progress) -> Imported:
    """Import query texts by id; queries that the collection doesn't have are left out and counted."""
    reading = reader("topics", path)(path, progress=progress)
    known = query_ids(store.snapshot(collection)) if _exists(store, collection) else []
    frame = reading.frames["queries"]
    wanted = frame["query_id"].isin(known) if known else pd.Series(True, frame.index)
    if len(frame) and not wanted.any():
        raise BadInput(
            f"{path}: none of its {len(frame):,} queries is in {collection}, whose queries are such as {known[0]}.\n"
            "Check the collection's name, and the first column of the file. Nothing was stored."
        )
    if not wanted.all():
        reading.notes.append(f"{int((~wanted).sum()):,} queries are not in {collection} and were left out.")
    reading.frames["queries"] = frame[wanted].reset_index(drop=True)
    reading.counts["queries"] = int(wanted.sum())
    return _commit(store, collection, path, reading, source=f"topics:{_file_name(path)}")


def import_bank(store: Store, collection: str, path: Path, *, bank: str, progress: Progress = no_progress) -> Imported:
    """Import a question bank; texts are filled in by id, and a bank that differs becomes a new version."""
    _refuse_version(bank)
    reading = reader("bank", path)(path, bank_id=bank, progress=progress)
    _refuse_nothing(path, reading)
    digest = file_hash(path)[:16]
    # Of two that come at one moment, the second is the version after the first.
    with store.locked(collection):
        version = _next_version(store, collection, bank, reading, digest)
        reading.frames["questions"]["version"] = version
        if version > 1:
            reading.notes.append(f"This is version {version} of bank {bank}; {BankRef(bank, version - 1)} is kept.")
        owned = str(BankRef(bank, version))
        source = f"bank:{owned}:{digest}"
        return _commit(store, collection, path, reading, source=source, owns=[("questions", owned)])


def import_leaderboard(
    store: Store, collection: str, path: Path, *, name: str, progress: Progress = no_progress
) -> Imported:
    """Import an official or printed leaderboard under a name."""
    _refuse_blank("--name", name)
    reading = reader("leaderboard", path)(path, leaderboard_id=name, progress=progress)
    frame = reading.frames["leaderboards"]
    owns = [("leaderboards", str(board)) for board in frame["leaderboard_id"].unique()]
    done = _commit(store, collection, path, reading, source=f"leaderboard:{name}", owns=owns)
    _add_notes(done, lambda: _unknown_systems(store, collection, sorted(set(frame["run_id"]))))
    return done


def import_labels(
    store: Store, collection: str, path: Path, *, grader: str, progress: Progress = no_progress
) -> Imported:
    """Import a qrels file as the labels of a grading mode."""
    _refuse_blank("--grader", grader)
    reading = reader("labels", path)(path, grader_id=grader, progress=progress)
    return _commit(store, collection, path, reading, source=f"labels:{grader}", owns=[("grades", grader)])


def import_responses(
    store: Store,
    collection: str,
    path: Path,
    *,
    run: str | None = None,
    parts: Parts = "passages",
    progress: Progress = no_progress,
) -> Imported:
    """Import generated responses as runs, whose passages rank in the order of the text.

    The passages that a sentence cites are kept with the passage in which it begins.

    Parameters
    ----------
    run : name of the run, where the lines don't say it
    parts : long responses are cut into passages; or each sentence is one, or each response
    """
    if run is not None:
        _refuse_blank("--run", run)
    found = reader("responses", path)(path, run_id=run, progress=progress)
    names = list(dict.fromkeys(response.run_id for response in found))
    source = f"responses:{','.join(names)}"
    owns = [("rankings", name) for name in names]
    return _commit(store, collection, path, responses_reading(found, parts), source=source, owns=owns)


def responses_reading(found: Sequence[Response], parts: Parts) -> Reading:
    """Responses as runs: their queries, passages and rankings."""
    pieces = [(response, piece) for response in found for piece in _pieces(response, parts)]
    doc, text, rank = ([getattr(piece, name) for _, piece in pieces] for name in ("doc_id", "text", "rank"))
    asked = {response.query_id: response.query_text for response in found}
    frames = {
        "queries": QUERIES.frame({"query_id": list(asked), "query_text": list(asked.values())}),
        "passages": PASSAGES.frame(
            {
                "doc_id": doc,
                "passage_text": text,
                "text_hash": [text_hash(t) for t in text],
                "extra": [piece.extra for _, piece in pieces],
            }
        ),
        "rankings": RANKINGS.frame(
            {
                "run_id": [response.run_id for response, _ in pieces],
                "query_id": [response.query_id for response, _ in pieces],
                "doc_id": doc,
                "rank": rank,
                "source_rank": rank,
                "score": [-float(place) for place in rank],
                "cut": [False] * len(rank),
                "extra": [response.extra if piece.rank == 1 else None for response, piece in pieces],
            }
        ),
    }
    names = list(dict.fromkeys(response.run_id for response in found))
    counts = {"runs": len(names), "responses": len(found), "passages": len(doc)}
    if cited := sum(len(sentence.citations) for response in found for sentence in response.sentences):
        counts["citations"] = cited
    notes = []
    if len(doc) > len(found):
        notes.append(
            f"{'Long responses' if parts == 'passages' else 'Responses'} were cut at ends of sentences: {len(doc):,} "
            f"passages of {len(found):,} responses."
        )
    return Reading(frames, counts=counts, notes=notes)


@dataclass(frozen=True)
class _Piece:
    """A passage of a response; `extra` has the sentences that begin in it, with what they cite."""

    doc_id: str
    text: str
    rank: int
    extra: str | None


def _pieces(response: Response, parts: Parts) -> list[_Piece]:
    """The passages of a response in the order of its text."""
    name, text = f"{response.run_id}/{response.query_id}", response.text
    own = [sentence for sentence in response.sentences if sentence.text.strip()]
    if parts == "passages":
        cut = segments(name, text, _about_tokens)
    elif parts == "whole":
        cut = [(name, text)]
    else:
        each = [sentence.text for sentence in own] or [one.strip() for one in sentences(text) if one.strip()]
        cut = [(f"{name}#{place}", one) for place, one in enumerate(each)]
    starts, at = [], 0
    for _, piece in cut:
        at = max(text.find(piece, at), at)
        starts.append(at)
    said: list[list[dict[str, Any]]] = [[] for _ in cut]
    at = 0
    for sentence in response.sentences:
        at = max(text.find(sentence.text, at), at)
        said[max(bisect_right(starts, at) - 1, 0)].append(
            {"text": sentence.text, "citations": list(sentence.citations)}
        )
        at += len(sentence.text)
    return [
        _Piece(doc_id, piece, rank, encode_extra({"sentences": told} if told else None))
        for rank, ((doc_id, piece), told) in enumerate(zip(cut, said, strict=True), 1)
    ]


def import_answers(store: Store, collection: str, path: Path, *, progress: Progress = no_progress) -> Imported:
    """Import generated answers: passages named after system, query, prompt and sample, and a run for system and prompt.

    A run ranks the samples of a query in their order: it is there to be ranked among documents, or graded.
    """
    reading = reader("answers", path)(path, progress=progress)
    names = list(dict.fromkeys(reading.frames["rankings"]["run_id"]))
    owns = [("rankings", name) for name in names]
    return _commit(store, collection, path, reading, source=f"answers:{_file_name(path)}", owns=owns)


def import_ranks(
    store: Store,
    collection: str,
    path: Path,
    *,
    ranker: str | None = None,
    rank_base: int | None = None,
    progress: Progress = no_progress,
) -> Imported:
    """Import ranks of generated answers among documents; a file of the same name by the same ranker is replaced.

    Parameters
    ----------
    ranker : by default as the file's column of scores names it (`monot5_score`)
    rank_base : where ranks of a column `rank` start; a column that says it (`rank_zero_based`) needs none
    """
    if rank_base not in (None, 0, 1):
        raise UsageError(f"--rank-base {rank_base}: ranks start at 0 or at 1.")
    found = reader("ranks", path)(path, rank_base=rank_base, progress=progress)
    ranker = ranker or found.ranker
    if ranker is None:
        raise UsageError(f"{path}: no column such as monot5_score says what ranked the answers. Name it with --ranker.")
    _refuse_blank("--ranker", ranker)
    reading = _ranks_reading(found.answers, ranker, found.notes)
    return _commit(store, collection, path, reading, source=f"ranks:{ranker}:{_file_name(path)}")


def _ranks_reading(answers: Sequence[RankedAnswer], ranker: str, notes: list[str]) -> Reading:
    """Ranks as rows of `scores`, which say by which ranker."""
    columns = [field.name for field in fields(RankedAnswer)]
    frame = pd.DataFrame([[getattr(one, name) for name in columns] for one in answers], columns=columns)
    scores = nrp_scores(frame.astype({"score": float, "parameters": float}), ranker)
    counts = {"runs": scores["run_id"].nunique(), "ranks": len(frame)}
    return Reading({"scores": scores}, counts=counts, notes=notes)


def import_orders(store: Store, collection: str, path: Path, *, progress: Progress = no_progress) -> Imported:
    """Import orders of answers by an expert and a ranker, to tell how well they agree."""
    reading = reader("orders", path)(path, progress=progress)
    return _commit(store, collection, path, reading, source="orders:", owns=[("scores", ORDER)])


def _about_tokens(text: str) -> int:
    """Tokens of a text, about: English has four for three words. The grader cuts what is longer after all."""
    return round(len(text.split()) * 4 / 3)


def import_assignments(
    store: Store,
    collection: str,
    path: Path,
    *,
    run: str | None = None,
    bank: str = NUGGET_BANK,
    grader: str = NUGGETIZER,
    progress: Progress = no_progress,
) -> Imported:
    """Import answers with what an assigner found in them: runs of one passage a query, a bank of nuggets, and grades.

    A run's answers replace its rankings. Nuggets are those of the bank's newest version; where there is no such bank,
    the file's nuggets are it. All runs of the file are stored or none, each as an import of its own.

    Parameters
    ----------
    run : name of the run, where the lines don't say it, or say another one

    Raises
    ------
    BadInput : the file is bad, or the bank has one of its nuggets with another importance
    """
    _refuse_version(bank)
    for option, name in (("--bank", bank), ("--grader", grader), ("--run", run)):
        if name is not None:
            _refuse_blank(option, name)
    reading = reader("assignments", path)(path, bank_id=bank, grader_id=grader, run_id=run, progress=progress)
    _refuse_nothing(path, reading)
    done = Imported(collection, changed=False, counts=reading.counts, notes=list(reading.notes))
    digest = file_hash(path)
    # A version of the bank that comes at the same moment is seen here, or sees these grades.
    with store.locked(collection):
        questions = reading.frames["questions"]
        snapshot = store.snapshot(collection) if _exists(store, collection) else None
        version = bank_version(snapshot, bank) if snapshot else 0
        if snapshot and version:
            done.notes += _fit_bank(snapshot, path, BankRef(bank, version), questions)
        questions["version"] = version or 1
        prepared = [
            store.prepare(
                collection,
                part,
                Origin(f"assignments:{grader}:{run_id}", _file_name(path), digest),
                owns=[("rankings", run_id)],
            )
            for run_id, part in _runs_of(reading)
        ]
        for committed in store.commit_together(prepared):
            _add(done, committed)
    _add_notes(done, lambda: _strangers(store, collection))
    return done


def _runs_of(reading: Reading) -> Iterator[tuple[str, Reading]]:
    """What a file says of each run."""
    frames = reading.frames
    for run_id, rankings in frames["rankings"].groupby("run_id", sort=False):
        docs, queries = set(rankings["doc_id"]), set(rankings["query_id"])
        own = {
            "queries": frames["queries"][frames["queries"]["query_id"].isin(queries)],
            "questions": frames["questions"][frames["questions"]["query_id"].isin(queries)],
            "passages": frames["passages"][frames["passages"]["doc_id"].isin(docs)],
            "rankings": rankings,
            "grades": frames["grades"][frames["grades"]["doc_id"].isin(docs)],
        }
        counts = {"runs": 1, "answers": len(rankings), "grades": len(own["grades"])}
        about = reading.graders if len(own["grades"]) else {}
        yield str(run_id), Reading({name: frame.reset_index(drop=True) for name, frame in own.items()}, about, counts)


def _fit_bank(snapshot: Snapshot, path: Path, bank: BankRef, assigned: pd.DataFrame) -> list[str]:
    """Notes on how a file's nuggets differ from those of a bank's version.

    Raises
    ------
    BadInput : the bank has one of them with another importance
    """
    known = snapshot.query(
        "SELECT question_id, query_id, importance FROM questions WHERE bank_id = ? AND version = ?",
        [bank.name, bank.version],
    )
    known = known[known["query_id"].isin(assigned["query_id"])]
    both = assigned.merge(known, on=["question_id", "query_id"], suffixes=("", "_there"))
    here, there = (
        both[name].astype(object).where(both[name].notna(), None) for name in ("importance", "importance_there")
    )
    if (other := both[here != there]).size:
        first = other.iloc[0]
        raise BadInput(
            f"{path}: {len(other):,} of its nuggets have another importance in bank {bank}; the first is "
            f"{visible(str(first['question_text']), line_ends=False)[:80]!r} of query {first['query_id']}: "
            f"{first['importance_there']} there, {first['importance']} here.\n"
            "Give the file's nuggets a bank of their own with --bank. Nothing was stored."
        )
    missing = len(known) - len(both)
    if not missing:
        return []
    return [f"{missing:,} nuggets of bank {bank} have no assignment in this file: they count as not found."]


def import_shared(store: Store, path: Path) -> list[Imported]:
    """Import every collection of an exported `.duckdb` file, all of them or none."""
    found = []
    for name, committed in import_duckdb(store, path).items():
        found.append(Imported(name, changed=False))
        _add(found[-1], committed)
    return found


def _refuse_blank(option: str, name: str) -> None:
    if not name.strip():
        raise UsageError(f"{option}: give a name.")
    if fault := fault_of_id(name):
        raise UsageError(f"{option} {visible(name, line_ends=False)[:80]}: the name {fault}. Give another one.")


def _file_name(path: Path) -> str:
    """The file's name as it can be stored and shown: a name may hold any bytes."""
    return visible(path.name, line_ends=False)


def _refuse_version(bank: str | None) -> None:
    if bank is not None:
        _refuse_blank("--bank", bank)
    if bank and "@" in bank:
        raise UsageError(f"Bank name {bank}: leave out what follows the @; versions are numbered by the store.")


def _commit(
    store: Store,
    collection: str,
    path: Path,
    reading: Reading,
    *,
    source: str,
    owns: list[tuple[str, str]] | None = None,
) -> Imported:
    _refuse_nothing(path, reading)
    digest = file_hash(path)
    before = store.snapshot(collection).sources if _exists(store, collection) else []
    committed = store.commit(collection, reading, source=source, file=_file_name(path), sha256=digest, owns=owns or [])
    done = Imported(collection, changed=False, counts=reading.counts, notes=list(reading.notes))
    _add(done, committed)
    if committed.changed:
        done.notes += [
            f"It replaces what was imported from {old['file']} at {old['created']}."
            for old in before
            if old["source"] == source
        ]
    return done


def _add(done: Imported, committed: Committed) -> None:
    """What a commit did, added to what an import tells."""
    done.changed |= committed.changed
    done.healed += committed.healed
    done.import_ids += (committed.import_id,) if committed.changed else ()
    done.notes += committed.notes


def _add_notes(done: Imported, notes: Callable[[], list[str]]) -> None:
    """What else is to be said of an import that is done: a damaged file elsewhere must not make it look undone."""
    try:
        done.notes += notes()
    except StoreError as error:
        done.notes += [note for note in str(error).splitlines() if note not in done.notes]


def _refuse_nothing(path: Path, reading: Reading) -> None:
    if not any(len(frame) for frame in reading.frames.values()):
        raise _nothing_in(path)


def _nothing_in(path: Path) -> BadInput:
    return BadInput(f"{path}: holds nothing to import. Check that it is the right file. Nothing was stored.")


def _exists(store: Store, collection: str) -> bool:
    return collection in store.collections()


def _next_version(store: Store, collection: str, bank: str, reading: Reading, digest: str) -> int:
    """The version that a bank file is: the newest if it has the same questions, else a new one."""
    if not _exists(store, collection):
        return 1
    snapshot = store.snapshot(collection)
    try:
        newest = bank_version(snapshot, bank)
    except StoreError:
        # A damaged bank is healed by the file that it came from, as the version that it was.
        versions = [re.fullmatch(rf"bank:{re.escape(bank)}@(\d+):{digest}", old["source"]) for old in snapshot.sources]
        if not any(versions):
            raise
        return max(int(version[1]) for version in versions if version)
    if newest == 0:
        return 1
    old = snapshot.query("SELECT * FROM questions WHERE bank_id = ? AND version = ?", [bank, newest])
    key = ["question_id", "query_id"]
    old, new = old.set_index(key), reading.frames["questions"].set_index(key)
    return newest if _same_questions(old, new) else newest + 1


_OF_A_QUESTION = ("facet_id", "facet_text", "question_text", "weight", "enabled", "importance")


def _same_questions(old: pd.DataFrame, new: pd.DataFrame) -> bool:
    """Whether `new` has the ids of `old` and contradicts nothing that is known of them."""
    if set(old.index) != set(new.index):
        return False
    new = new.loc[old.index]
    known_only_by_id = old["question_text"].isna()
    differ = _key_texts(old) != _key_texts(new)
    for name in _OF_A_QUESTION:
        before, now = (frame[name].astype(object).where(frame[name].notna(), "") for frame in (old, new))
        differ |= before != now
    return not (differ & ~known_only_by_id).any()


def _key_texts(questions: pd.DataFrame) -> pd.Series:
    return questions["gold_answers"].map(lambda key: "" if key is None or key is pd.NA else "\n".join(key))


def _strangers(store: Store, collection: str) -> list[str]:
    """A note on graded questions that are in no bank."""
    frame = store.snapshot(collection).query(
        "SELECT count(*) AS n FROM (SELECT question_id, query_id FROM grades WHERE question_id IS NOT NULL "
        "EXCEPT SELECT question_id, query_id FROM questions q WHERE version = "
        "(SELECT max(version) FROM questions newest WHERE newest.bank_id = q.bank_id))"
    )
    count = int(frame["n"].iloc[0])
    return [f"{count:,} graded questions are in no bank's newest version and do not count."] if count else []


_ANSWERED = """
WITH asked AS (
    SELECT query_id FROM grades UNION SELECT query_id FROM judgments WHERE NOT EXISTS (FROM grades)
),
answered AS (SELECT DISTINCT run_id, query_id FROM rankings)
SELECT run_id, count(*) AS answered, (SELECT count(*) FROM asked) AS asked
FROM answered JOIN asked USING (query_id) GROUP BY run_id ORDER BY answered, run_id
"""


def _unanswered(store: Store, collection: str, imported: list[str]) -> list[str]:
    """A note on imported runs that return nothing for some of the graded or judged queries.

    A run that has none of the queries may name other ones, such as facets; then nothing is said.
    """
    found = store.snapshot(collection).query(_ANSWERED)
    found = found[found["run_id"].isin(imported)]
    if not len(found):
        return []
    asked = int(found["asked"].iloc[0])
    return few_answered(found.set_index("run_id")["answered"], asked, f"{asked:,} graded or judged queries")


def _official_hint(store: Store, collection: str) -> list[str]:
    """Point to an embedded official list that ranks the collection's runs, if it isn't imported yet."""
    snapshot = store.snapshot(collection)
    runs = set(run_ids(snapshot))
    if OFFICIAL in leaderboard_ids(snapshot):
        return []
    hints = []
    for path in sorted(PUBLISHED.glob("official_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            systems = {row["system"] for row in csv.DictReader(file)}
        shared = len(systems & runs)
        if shared >= SHARED_RUNS * len(systems):
            hints.append(
                f"{shared} of the {len(runs)} runs are ranked in the official list {path.name}. Add it with: "
                f"python -m exam_core import leaderboard {DATA.name}/{PUBLISHED.name}/{path.name} "
                f"--collection {collection} --name {OFFICIAL}"
            )
    return hints


def _unknown_systems(store: Store, collection: str, systems: list[str]) -> list[str]:
    """A note on systems that are no run of the collection, with the nearest name."""
    runs = run_ids(store.snapshot(collection))
    if not runs:
        return []
    unknown = [system for system in systems if system not in set(runs) and system != OVERALL]
    if not unknown:
        return []
    hints = []
    for system in unknown[:5]:
        near = difflib.get_close_matches(system, runs, 1)
        hints.append(f"{system} (nearest: {near[0]})" if near else system)
    more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
    return [f"{len(unknown)} of {len(systems)} systems are no run of {collection}: {', '.join(hints)}{more}."]
