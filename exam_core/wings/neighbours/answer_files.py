"""Files of generated answers, of their ranks among documents, and of experts' orders of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pandas as pd

from exam_core.errors import BadInput, Problems, visible
from exam_core.formats.delimited import QUERY_ID, QUERY_TEXT, columns_of, has_columns, is_text, table_rows
from exam_core.formats.extra import check_depth, encode_extra
from exam_core.formats.format import Format, Kind, Opening
from exam_core.formats.json_lines import decode_line, objects, reporting
from exam_core.formats.numbers import as_whole_number
from exam_core.formats.plain_tables import Column, PlainTable, an_id, number, whole, words
from exam_core.formats.reading import Reading, fault_of_id
from exam_core.formats.records import first_records, refuse_texts_for_ids
from exam_core.formats.workbench import text_hash
from exam_core.progress import Progress, no_progress
from exam_core.tables import PASSAGES, QUERIES, RANKINGS, SCORES, answer_id, answers_run
from exam_core.wording import counted

ANSWER_NAMES = {
    "system": ("system", "model"),
    "prompt": ("prompt",),
    "query_id": ("query_id", "qid"),
    "sample": ("sample", "answer_number"),
    "answer": ("answer", "text", "response"),
    "query_text": ("query_text", "query"),
}
"""The fields of a line, each with its names in files; `qid` and `answer_number` are those of the NRP paper's data."""
_COLUMNS = {**ANSWER_NAMES, "query_id": QUERY_ID, "query_text": QUERY_TEXT}
NEEDED = ("system", "prompt", "query_id", "answer")
REMEDY = (
    'Each line is an object such as {"system": "my-model", "prompt": "short", "query_id": "q1", "sample": 1, '
    '"answer": "..."}.'
)


@dataclass(frozen=True)
class GeneratedAnswer:
    """One sample of what a system wrote for a query, asked by a prompt."""

    system: str
    prompt: str
    query_id: str
    sample: int
    text: str
    query_text: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def doc_id(self) -> str:
        """The passage's id in the store."""
        return answer_id(self.system, self.query_id, self.prompt, self.sample)

    @property
    def run_id(self) -> str:
        """The run's id in the store."""
        return answers_run(self.system, self.prompt)


def read_answers(path: Path, *, progress: Progress = no_progress) -> Reading:
    """Read answers, one JSON object a line or one row of a table; fields are named as `ANSWER_NAMES` says, others stay.

    Raises BadInput where a line is no such object, a needed column is missing, or an answer occurs again with another
    text.
    """
    answers, opening = _GeneratedAnswers(Problems(path)), Opening(path)
    if opening.is_json:
        for number, line in objects(path, answers.problems, progress):
            with reporting(answers.problems, number, line, "an answer", REMEDY):
                answers.add(number, decode_line(line, _OBJECT, _OBJECT)[0])
        return answers.reading()
    refuse_texts_for_ids(opening, _COLUMNS)
    for row in table_rows(path, _COLUMNS, answers.problems, progress, needed=NEEDED):
        answers.add(row.line, {name: cell for name, cell in row.cells.items() if cell or name == "answer"})
    return answers.reading()


_OBJECT = msgspec.json.Decoder(dict[str, Any])


@dataclass
class _GeneratedAnswers:
    """Answers while their file is read: the first of each passage, with its line."""

    problems: Problems
    known: dict[str, tuple[int, GeneratedAnswer]] = field(default_factory=dict)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    merged: int = 0
    unnumbered: int = 0

    def add(self, number: int, fields: Mapping[str, Any]) -> None:
        """Add the answer of a line, or its fault to `problems`."""
        try:
            answer = self._answer(fields)
        except ValueError as error:
            self.problems.add(number, str(error), remedy=REMEDY)
            return
        refuse_one_name(number, (answer.system, answer.prompt), self.pairs, self.problems)
        line, other = self.known.setdefault(answer.doc_id, (number, answer))
        if other == answer and line != number:
            self.merged += 1
        elif other != answer:
            self.problems.add(
                number,
                f"second answer {answer.doc_id}; another is in line {line}",
                answer.text[:80],
                "Number the samples of a system, prompt and query differently, or keep one of them.",
            )

    def _answer(self, record: Mapping[str, Any]) -> GeneratedAnswer:
        fields, used = _fields(record)
        system, prompt, query_id = (_name(fields, name) for name in NEEDED[:3])
        text = fields.get("answer")
        if not isinstance(text, str):
            raise ValueError("answer is missing" if text is None else "answer is not text")
        sample = _sample(fields.get("sample"))
        extra = {name: value for name, value in record.items() if name not in used}
        check_depth(extra)
        self.counts[system, prompt, query_id] += 1
        if sample is None:
            self.unnumbered += 1
            sample = self.counts[system, prompt, query_id]
        query_text = fields.get("query_text")
        query_text = query_text if isinstance(query_text, str) and query_text.strip() else None
        return GeneratedAnswer(system, prompt, query_id, sample, text, query_text, extra)

    def reading(self) -> Reading:
        """Return the answers as passages, ranked in the order of their samples."""
        self.problems.raise_if_any()
        answers = [answer for _, answer in self.known.values()]
        counts = {"runs": len({answer.run_id for answer in answers}), "answers": len(answers)}
        notes = [f"{self.merged:,} repeated answers were merged."] if self.merged else []
        if self.unnumbered:
            notes.append(
                f"{counted({'answers have': self.unnumbered})} no sample number; they were numbered from 1 in the "
                "file's order."
            )
        return Reading(_frames(answers), counts=counts, notes=notes)


def _fields(fields: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """Return the fields by our names, and the names that they have in the line.

    A `query` that is no text is the id, where no other id stands beside it.
    """
    names = {
        name: next((other for other in others if fields.get(other) is not None), others[0])
        for name, others in ANSWER_NAMES.items()
    }
    if fields.get(names["query_id"]) is None and not is_text(str(fields.get("query"))):
        names |= {"query_id": "query", "query_text": "query_text"}
    return {name: fields.get(other) for name, other in names.items()}, set(names.values())


def _name(fields: Mapping[str, Any], name: str) -> str:
    value = fields[name]
    if value is None:
        raise ValueError(f"{name} is missing")
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ValueError(f"{name} is not text")
    text = str(value).strip()
    if fault := fault_of_id(text):
        raise ValueError(f"{name} {fault}: {visible(text, line_ends=False)[:80]}")
    return text


def _sample(value: Any) -> int | None:
    if value is None:
        return None
    number = as_whole_number(str(value).strip()) if not isinstance(value, bool) else None
    if number is None or number < 0:
        raise ValueError(f"sample {value} is not a whole number from 0")
    return number


def refuse_one_name(line: int, pair: tuple[str, str], known: dict[str, tuple[str, str]], problems: Problems) -> None:
    """Report a system and prompt whose run id is that of another pair, as blanks in names can make it."""
    run_id = answers_run(*pair)
    if known.setdefault(run_id, pair) != pair:
        what = f"system {pair[0]} with prompt {pair[1]} would be the run {run_id}, as system {known[run_id][0]} is"
        problems.add(line, what, remedy="Write one of the names without blanks.")


def _frames(answers: list[GeneratedAnswer]) -> dict[str, Any]:
    texts: dict[str, str | None] = {}
    for answer in answers:
        texts[answer.query_id] = texts.get(answer.query_id) or answer.query_text
    ranks = Counter[tuple[str, str]]()
    rows = []
    for answer in sorted(answers, key=lambda answer: (answer.run_id, answer.query_id, answer.sample)):
        key = answer.run_id, answer.query_id
        ranks[key] += 1
        extra = encode_extra({"system": answer.system, "prompt": answer.prompt, "sample": answer.sample})
        rows.append((*key, answer.doc_id, ranks[key], ranks[key], -float(ranks[key]), False, extra))
    return {
        "queries": QUERIES.of(texts.items()),
        "passages": PASSAGES.of(
            (answer.doc_id, answer.text, text_hash(answer.text), encode_extra(dict(answer.extra))) for answer in answers
        ),
        "rankings": RANKINGS.of(rows),
    }


ANSWERS = Kind(
    key="answers",
    noun="Generated answers",
    order=82,
    main="passages",
    replaces=True,
    template="""\
{"system": "model-a", "prompt": "short", "query_id": "q1", "sample": 1, "answer": "Yeast makes gas."}
{"system": "model-a", "prompt": "short", "query_id": "q2", "sample": 1, "answer": "The green fades."}
{"system": "model-b", "prompt": "short", "query_id": "q1", "sample": 1, "answer": "It is warm."}
""",
    ending="jsonl",
    columns={"query": ("query_id",), **{name: (name,) for name in ANSWER_NAMES if name != "query_id"}},
)


METHOD = "order"
"""The method of the rows in `scores`: value null, parts {"items": best first, "query": its text or null}."""
SIDES = ("ranker", "expert")
"""The rows' run_id: whose order it is."""


@dataclass(frozen=True)
class Orders:
    """Two orders of the same items for one task, best first."""

    task: str
    query: str | None
    ranker: tuple[str, ...]
    expert: tuple[str, ...]


def _items(cell: str) -> tuple[str, ...]:
    items = tuple(cell.split())
    if not items:
        raise ValueError("is empty")
    if len(set(items)) < len(items):
        raise ValueError("names an item twice")
    return items


_SAME = "Order the same items on both sides, each once."
ORDER_TABLE = PlainTable(
    columns={
        "task": an_id("task_id", "query_id", "qid", "topic_id"),
        "ranker": Column(("system_ranking_best_first", "ranker_order"), _items, remedy=_SAME),
        "expert": Column(("expert_ranking_best_first", "expert_order"), _items, remedy=_SAME),
        "query_text": words("query", needed=False),
    }
)


def read_orders(path: Path, *, progress: Progress = no_progress) -> list[Orders]:
    """Read orders, a task a line: its id, perhaps its query's text, and two orders whose items are parted by blanks.

    Raises BadInput where a column is missing; an order names an item twice, or what the other doesn't; a task
    occurs twice.
    """
    problems, tasks = Problems(path), dict[str, tuple[int, Orders]]()
    for line, row in ORDER_TABLE.records(path, problems, progress):
        if alone := sorted({*row["ranker"]} ^ {*row["expert"]}):
            problems.add(line, f"only one of the orders has {', '.join(alone)}", remedy=_SAME)
            continue
        orders = Orders(row["task"], row["query_text"], row["ranker"], row["expert"])
        first, _ = tasks.setdefault(orders.task, (line, orders))
        if first != line:
            problems.add(line, f"second orders of task {orders.task}; another is in line {first}", remedy="Keep one.")
    problems.raise_if_any()
    return [orders for _, orders in tasks.values()]


def read_orders_as_scores(path: Path, *, progress: Progress = no_progress) -> Reading:
    """Return the orders of a file as rows of `scores`; errors as `read_orders`."""
    tasks = read_orders(path, progress=progress)
    frame = orders_frame(tasks)
    return Reading({"scores": frame}, counts={"tasks": len(tasks), "orders": len(frame)})


def orders_frame(tasks: Iterable[Orders]) -> pd.DataFrame:
    """Return orders as rows of `scores`, two for each task."""
    return SCORES.of(
        (METHOD, side, orders.task, None, encode_extra({"items": list(getattr(orders, side)), "query": orders.query}))
        for orders in tasks
        for side in SIDES
    )


ORDERS = Kind(
    key="orders",
    noun="Orders of an expert",
    order=86,
    main="scores",
    template="""\
task_id,query,system_ranking_best_first,expert_ranking_best_first
q1,what makes bread dough rise,a b c,a c b
q2,why do leaves change colour,c a b,c a b
""",
    columns={name: (name,) for name in ORDER_TABLE.columns},
)


BASES: dict[str, int | None] = {"rank_zero_based": 0, "rank_one_based": 1, "rank": None}
"""Where ranks start, by the column's name; `rank` alone does not say it."""
SIZES = {"documents_including_answer": 0, "documents": 1}
"""Columns that say how long a ranking is, and how many answers they leave out."""
RANK_TABLE = PlainTable(
    columns={
        "system": an_id(*ANSWER_NAMES["system"]),
        "prompt": an_id(*ANSWER_NAMES["prompt"]),
        "query_id": an_id(*QUERY_ID),
        "sample": whole(*ANSWER_NAMES["sample"]),
        **{name: whole(needed=False) for name in (*BASES, *SIZES)},
        "parameters": number(needed=False),
    }
)


class RankedAnswer(NamedTuple):
    """Where an answer ranks among documents.

    Parameters
    ----------
    rank : from 0
    size : length of the ranking, the answer included
    score : the ranker's; None if unknown
    parameters : of the system's model; None if the file doesn't say
    """

    system: str
    prompt: str
    query_id: str
    sample: int
    rank: int
    size: int
    score: float | None = None
    parameters: float | None = None


@dataclass(frozen=True)
class Ranks:
    """Ranks of answers by one ranker.

    `ranker`: named by the column of its scores (`monot5_score`); None if the file doesn't say.
    """

    answers: list[RankedAnswer]
    ranker: str | None = None
    notes: list[str] = field(default_factory=list)


def read_ranks(path: Path, *, rank_base: int | None = None, progress: Progress = no_progress) -> Ranks:
    """Read ranks of answers, one a line: system, prompt, query, sample, rank, documents, perhaps a score.

    Raises BadInput where a column is missing, ranks have no known base, a cell is no number or no place of its ranking,
    an answer occurs twice with other values. `rank_base` says where ranks of a column `rank` start, 0 or 1; a column
    that says it itself needs none.
    """
    problems, pairs, merged = Problems(path), dict[str, tuple[str, str]](), 0
    answers = dict[tuple[str, str, str, int], tuple[int, RankedAnswer]]()
    header = [name.strip().lower() for name in first_records(Opening(path), RANK_TABLE.names)[0]]
    score = next((name for name in header if name.endswith("_score")), "score")
    columns: dict[str, Column] = {**RANK_TABLE.columns, score: number(needed=False)}
    scale: _Scale | None = None
    for line, row in PlainTable(columns=columns).records(path, problems, progress):
        scale = scale or _scale(path, header, rank_base, problems)
        if scale is None:
            break
        rank, size = row[scale.rank], row[scale.size]
        for name, text in (("rank", rank), ("size", size)):
            if text is None:
                problems.add(line, f"no {name}", remedy="Correct the line, or remove it.")
        if rank is None or size is None:
            continue
        size, place = size + SIZES[scale.size], rank - scale.base
        if not 0 <= place < size:
            what = f"rank {rank} is not one of {size} places from {scale.base}, the answer's included"
            problems.add(line, what, remedy="Correct the line, or remove it.")
            continue
        refuse_one_name(line, (row["system"], row["prompt"]), pairs, problems)
        ids = (row["system"], row["prompt"], row["query_id"], row["sample"])
        answer = RankedAnswer(*ids, place, size, row[score], row["parameters"])
        first, other = answers.setdefault(ids, (line, answer))
        merged += first != line and answer == other
        if answer != other:
            what = "second rank of sample {3} of {0}, {1}, for query {2}; another is in line {4}".format(*ids, first)
            problems.add(line, what, remedy="Keep the one that is right and remove the other.")
    problems.raise_if_any()
    notes = [f"{merged:,} repeated lines were merged."] if merged else []
    places = columns_of(header, RANK_TABLE.names).values()
    if others := [
        name for index, name in enumerate(header) if name and index not in places and name not in ("score", score)
    ]:
        notes.append(f"Columns that are not kept: {', '.join(others)}.")
    ranker = None if score == "score" else score.removesuffix("_score") or None
    return Ranks([answer for _, answer in answers.values()], ranker, notes)


class _Scale(NamedTuple):
    """The columns of ranks and of lengths, and where ranks start."""

    rank: str
    base: int
    size: str


def _scale(path: Path, header: Sequence[str], rank_base: int | None, problems: Problems) -> _Scale | None:
    """Return the columns; None where a column is missing, or one too many, which goes to `problems`."""
    rank, size = (_only(header, what, names, problems) for what, names in (("rank", BASES), ("size", SIZES)))
    if not rank or not size:
        return None
    base = rank_base if BASES[rank] is None else BASES[rank]
    if base is None:
        raise BadInput(
            f"{path}:1: the column rank does not say whether ranks start at 0 or at 1.\n"
            "Say it with --rank-base 0 or --rank-base 1, or name the column rank_zero_based or rank_one_based. "
            "Nothing was stored."
        )
    return _Scale(rank, base, size)


def _only(header: Sequence[str], what: str, columns: Iterable[str], problems: Problems) -> str:
    """Return the column of ranks or of lengths; empty, with a problem, unless there is exactly one."""
    present = [column for column in columns if column in header]
    if len(present) > 1:
        remedy = "Keep the column that is right, and remove the other."
        problems.add(1, f"{' and '.join(present)} are columns for the same number", remedy=remedy)
    if not present:
        problems.add(1, f"no column for {what} ({' or '.join(columns)})", ", ".join(header), "Name the columns.")
    return present[0] if len(present) == 1 else ""


RANKS = Kind(
    key="ranks",
    noun="Ranks of answers",
    order=84,
    main="scores",
    template="""\
system,prompt,qid,answer_number,rank_one_based,documents,monot5_score
model-a,short,q1,1,1,2,-0.1
model-a,short,q2,1,2,2,-0.5
model-b,short,q1,1,3,2,-2.5
""",
    option="ranker",
    name="Name of the ranker",
    unnamed="A column such as monot5_score names the ranker.",
    columns={"query": ("query_id",), **{name: (name,) for name in ("system", "prompt", "sample", *BASES, *SIZES)}},
)


ROWS = (
    Format(
        kind=ANSWERS,
        written="JSON lines",
        looks="generated answers",
        # Before banks, which name a query by qid too, and responses, which have a text; neither has a prompt.
        order=5,
        fits=lambda opening: all(opening.objects & {*ANSWER_NAMES[name]} for name in ("system", "prompt", "answer")),
        read=read_answers,
    ),
    Format(
        kind=ANSWERS,
        written="CSV",
        looks="generated answers (CSV)",
        # Before leaderboards: a table with a system and, say, a rank.
        order=31,
        fits=lambda opening: has_columns(opening, _COLUMNS, "system", "prompt", "answer"),
        read=read_answers,
        explains=("table", "text"),
    ),
    Format(
        kind=ORDERS,
        written="CSV",
        looks="orders of answers by an expert",
        order=33,
        fits=lambda opening: has_columns(opening, ORDER_TABLE.names, *SIDES),
        read=read_orders_as_scores,
        explains=("table", "text"),
    ),
    Format(
        kind=RANKS,
        written="CSV",
        looks="ranks of generated answers",
        # Before leaderboards, which have a system and a rank too.
        order=32,
        fits=lambda opening: (
            has_columns(opening, RANK_TABLE.names, "system", "prompt")
            and any(has_columns(opening, {name: ()}, name) for name in BASES)
        ),
        read=read_ranks,
        explains=("table", "text"),
    ),
)
