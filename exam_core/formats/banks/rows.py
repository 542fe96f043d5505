"""Questions of a bank on their way from a file to a frame and back: what every format of banks does alike.

A format says by which names its objects have our columns (`columns_of`); `BankRows` checks the columns and takes them.
What an object says in other fields stands in `extra`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import pandas as pd

from exam_core.errors import Problems, visible
from exam_core.formats.extra import TooDeep, encode_extra
from exam_core.formats.format import Kind
from exam_core.formats.json_lines import BadLine, bad_line, decode_object, objects, reporting
from exam_core.formats.reading import Reading, Rows
from exam_core.progress import Progress, no_progress
from exam_core.tables import QUERIES, QUESTIONS, question_id
from exam_core.wording import counted

BANK = Kind(
    key="bank",
    noun="Question bank or nugget bank",
    order=40,
    main="questions",
    template="""\
query_id,question_id,question_text,importance
q1,q1/1,Which gas makes dough rise?,vital
q1,q1/2,How warm should dough stand?,okay
q2,q2/1,Which pigment is lost in autumn?,vital
""",
    option="bank",
    name="Name of the bank",
    needed=True,
    arguments=" --bank NAME",
    columns={
        **{"query": ("query_id",), "text": ("question_text",), "question": ("question_id",)},
        **{name: (name,) for name in ("kind", "importance", "weight", "gold_answers", "facet_id", "query_text")},
    },
)
QUESTION, CLAIM = "question", "claim"
VITAL, OKAY, AVOID = "vital", "okay", "avoid"
Text = str | int
"""An id or a text; some files write ids as numbers."""
_LISTED = 5
_SILENT = (None, None, None)
_JSON_COLUMNS = ("creators", "lineage", "extra")


class LineageColumn(msgspec.Struct, forbid_unknown_fields=True):
    """What the column `lineage` may say."""

    reworded_from: list[str] = []
    merged_from: list[str] = []


class QuestionRow(msgspec.Struct, kw_only=True):
    """A question with its query, by our names."""

    query_id: Text
    question_id: Text | None = None
    question_text: str | None = None
    kind: Literal["question", "claim"] | None = None
    importance: Text | float | None = None
    weight: float | None = None
    enabled: bool | None = None
    gold_answers: list[str] | None = None
    choices: list[str] | None = None
    facet_id: Text | None = None
    facet_text: str | None = None
    creators: list[Any] | None = None
    lineage: LineageColumn | None = None
    extra: dict[str, Any] | None = None
    query_text: str | None = None
    title: str | None = None
    subtopic: str | None = None


FIELDS = QuestionRow.__struct_fields__
Names = Mapping[str, Sequence[str]]
NAMES: Names = {
    **{name: (name,) for name in FIELDS},
    "query_id": ("query_id", "qid", "topic_id"),
    "question_id": ("question_id", "nugget_id"),
    "question_text": ("question_text", "question", "nugget_text", "claim"),
}
"""Our fields, each with the names that rows of questions have for it."""
_OF_A_CLAIM = ("nugget_id", "nugget_text", "claim")


def columns_of(fields: Mapping[str, Any], names: Names) -> tuple[dict[str, Any], dict[str, Any]]:
    """What an object says by our names, and what it says in other fields; null says nothing.

    Of several names for a field, the first that is there counts. What a file calls a nugget or claim is a claim.
    """
    columns, rest = dict[str, Any](), present(fields)
    for ours, theirs in names.items():
        name = next((name for name in theirs if name in rest), None)
        if name is not None:
            columns[ours] = rest.pop(name)
            if name in _OF_A_CLAIM:
                columns["kind"] = CLAIM
    return columns, rest


def checked(columns: Mapping[str, Any]) -> QuestionRow:
    """Columns by their types. Raises BadLine where one says what it can't."""
    try:
        return msgspec.convert(dict(columns), QuestionRow)
    except (msgspec.ValidationError, RecursionError) as error:
        raise bad_line(error, b"") from None


@contextmanager
def part(place: str) -> Iterator[None]:
    """Name the part of a line where it turns out to be wrong."""
    try:
        yield
    except BadLine as error:
        raise BadLine(str(error), place=place, cause=error.cause) from None


@dataclass
class BankRows:
    """Questions and queries of a bank, while its file is read; `what` is a question in its users' words."""

    path: Path
    bank_id: str
    what: str = "question"
    problems: Problems = field(init=False)
    questions: Rows = field(init=False)
    texts: dict[str, dict[tuple[str | None, ...], int]] = field(default_factory=dict)
    """What is said of each query, and in which line first."""
    first: dict[str, int] = field(default_factory=dict)
    """Where each query's bank stands."""
    left: Counter[str] = field(default_factory=Counter)
    """Notes on what is left out, each with its number, which stands in it for `{:,}`."""

    def __post_init__(self) -> None:
        self.problems = Problems(self.path)
        self.questions = Rows(QUESTIONS, self.problems)

    def query(
        self, line: int, query_id: str, text: str | None = None, title: str | None = None, subtopic: str | None = None
    ) -> None:
        """Take a query; where it has no text here, it may have one elsewhere in the file."""
        self.texts.setdefault(query_id, {}).setdefault((text, title, subtopic), line)

    def only(self, line: int, query_id: str, what: str) -> None:
        """Raise BadLine where a `what` of the query came before, perhaps in the same line."""
        if query_id in self.first:
            fault = f"second {what} of query {query_id}; the first is line {self.first[query_id]}"
            raise BadLine(fault, cause=f"second {what} of a query")
        self.first[query_id] = line

    def question(self, line: int, query_id: str, columns: Mapping[str, Any]) -> None:
        """Take a question with its columns by name, JSON ones as values; what is left out is as usual.

        Raises BadLine where a column says what it can't.
        """
        row = checked({**columns, "query_id": query_id})
        name, text, facet_id = as_text(row.question_id), row.question_text, as_text(row.facet_id)
        if name is None and not (text or "").strip():
            raise BadLine("a question without id and without words", cause="no words")
        name = question_id(query_id, text or "", facet_id) if name is None else name
        if row.weight is not None and not 0 <= row.weight < math.inf:
            raise BadLine(f"question {name} has the weight {row.weight:g}; a weight is 0 or more", cause="weight")
        importance = as_text(row.importance)
        try:
            texts = {column: encode_extra(columns.get(column)) for column in _JSON_COLUMNS}
        except TooDeep as error:
            raise BadLine(f"question {name} has {error}; leave it out", cause="too deep") from None
        values = msgspec.structs.asdict(row) | {
            **{"bank_id": self.bank_id, "version": 1, "query_id": query_id, "question_id": name},
            **{"facet_id": facet_id, "importance": importance, "kind": row.kind or QUESTION},
            "weight": 1.0 if row.weight is None else row.weight,
            "enabled": usually_enabled(importance) if row.enabled is None else row.enabled,
            **texts,
        }
        self.questions.add(line, *map(values.get, QUESTIONS.names))

    def frames(self) -> tuple[dict[str, pd.DataFrame], int]:
        """The bank and its queries, and how many questions were said twice; what contradicts goes to the problems."""
        queries = Rows(QUERIES, self.problems)
        for query_id, lines in self.texts.items():
            for texts, line in lines.items():
                if texts != _SILENT or len(lines) == 1:
                    queries.add(line, query_id, *texts)
        frame, merged = self.questions.frame(self.what)
        return {"questions": frame, "queries": queries.frame("text")[0]}, merged

    def reading(self, notes: Callable[[pd.DataFrame], list[str]] | None = None) -> Reading:
        """The bank and its queries, with what a user should hear: `importance_notes`, or other ones.

        Raises BadInput where a row is wrong, or contradicts another one.
        """
        frames, merged = self.frames()
        self.problems.raise_if_any()
        frame = frames["questions"]
        blank = frame["question_text"].str.strip().eq("").fillna(False).astype(bool)
        frame.loc[blank, "enabled"] = False
        sentences = [f"{merged:,} repeated questions were merged."] if merged else []
        if blank.any():
            sentences.append(f"{counted({'questions have': int(blank.sum())})} no text: switched off.")
        counts = {"queries": len(frames["queries"]), "questions": len(frame)}
        sentences += [note.format(count) for note, count in self.left.items() if count]
        return Reading(frames, counts=counts, notes=[*sentences, *(notes or importance_notes)(frame)])


def usually_enabled(importance: str | None) -> bool:
    """Whether a question counts of which nothing is said: one to avoid does not."""
    return importance != AVOID


def importance_notes(questions: pd.DataFrame) -> list[str]:
    """Notes on importances beyond vital and okay."""
    importance = questions["importance"].astype(object).where(questions["importance"].notna(), None)
    other = importance[~importance.isin([VITAL, OKAY, AVOID, None])]
    is_on = questions["enabled"].astype(bool)[importance == AVOID]
    on, off = int(is_on.sum()), int((~is_on).sum())
    others = f"neither {VITAL} nor {OKAY} ({most(other)}): they count only in scores of all nuggets."
    notes = {
        f"{counted({'nuggets are': len(other)})} {others}": len(other),
        f"{counted({'nuggets are': off})} to be avoided: switched off, and reported apart.": off,
        f"Questions to avoid that are switched on: {on:,}. They are graded, and count in Rubric alone.": on,
    }
    return [note for note, count in notes.items() if count]


def most(labels: Iterable[str | None]) -> str:
    """The most frequent labels with their counts, `failed` 10; an empty one is empty, a missing one none."""
    counts = Counter("none" if label is None else visible(label, line_ends=False)[:40] or "empty" for label in labels)
    listed = ", ".join(f"{label} {count:,}" for label, count in counts.most_common(_LISTED))
    return listed + (f" and {len(counts) - _LISTED:,} others" if len(counts) > _LISTED else "")


def beyond(raw: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """What an object says in other fields than these; null says nothing."""
    taken = set(known)
    return {name: value for name, value in raw.items() if name not in taken and value is not None}


def present(values: Mapping[Any, Any]) -> dict[Any, Any]:
    """Without what is None or NaN."""
    return {name: value for name, value in values.items() if value is not None and value == value}


def as_text(value: Text | float | None) -> str | None:
    """An id or a word as text."""
    return None if value is None else str(value)


T = TypeVar("T")


def by_object(
    typed: type[T], what: str, remedy: str, notes: Callable[[pd.DataFrame], list[str]] = importance_notes
) -> Callable[[Callable[[BankRows, int, T, Any], None]], Callable[..., Reading]]:
    """Make a reader of a file of how it takes an object, by its line, its type, and as it is.

    `what` an object is not, and the remedy, are for the refusal of one that can't be taken (BadLine).
    """
    decoder = msgspec.json.Decoder(typed)

    def declare(take: Callable[[BankRows, int, T, Any], None]) -> Callable[..., Reading]:
        def read(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
            rows = BankRows(path, bank_id)
            for line, raw in objects(path, rows.problems, progress):
                with reporting(rows.problems, line, raw, what, remedy):
                    take(rows, line, *decode_object(raw, decoder))
            return rows.reading(notes)

        read.__doc__ = take.__doc__
        return read

    return declare


def add_named(rows: BankRows, line: int, fields: Mapping[str, Any], namespace: str) -> None:
    """Take a row of `NAMES`; other fields stand in `extra` under `namespace`. Raises BadLine as `BankRows.question`."""
    columns, rest = columns_of(fields, NAMES)
    row = checked(columns)
    extra = dict(row.extra or {})
    if rest and not isinstance(extra.get(namespace, {}), dict):
        raise BadLine(f"{namespace} in extra is not an object", place="extra")
    if rest:
        extra[namespace] = {**extra.get(namespace, {}), **rest}
    rows.query(line, str(row.query_id), row.query_text, row.title, row.subtopic)
    rows.question(line, str(row.query_id), columns | {"extra": extra})


# What is written


@dataclass
class BankLines:
    """A bank as lines of a file, and how many fields of which kind have no place in it."""

    lines: list[bytes] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


Texts = Mapping[str, Mapping[str, Any]]
"""Query_text, title and subtopic by query_id."""


def rows_of(questions: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of the table `questions` as plain values: None for null, lists of texts, JSON columns decoded.

    A file of an earlier version says that a row is a claim in `extra`.
    """
    rows = questions.astype(object).where(questions.notna(), None).to_dict("records")
    return [_plain(row) for row in rows]


def _plain(row: dict[Any, Any]) -> dict[str, Any]:
    values = {str(name): value for name, value in row.items()}
    values |= {name: None if values[name] is None else list(values[name]) for name in ("gold_answers", "choices")}
    values |= {name: msgspec.json.decode(values[name]) if values[name] else None for name in _JSON_COLUMNS}
    extra = values["extra"] = dict(values["extra"] or {})
    older = extra.get("item") == "nugget" and values["kind"] in (None, CLAIM)
    if older:
        del extra["item"]
    values["kind"] = CLAIM if older else values["kind"] or QUESTION
    return values


def by_query(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows by query, in the order of the queries' first ones."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["query_id"], []).append(row)
    return groups


def kept_under(row: Mapping[str, Any], name: str, typed: Any = dict) -> dict[str, Any]:
    """What stands in a row's `extra` under a format's name; nothing, where that is none of its making (`typed`)."""
    value = row["extra"].get(name)
    try:
        msgspec.convert(value, typed)
    except (msgspec.ValidationError, RecursionError):
        return {}
    return dict(value)


def said_of(row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
    """What a row says in columns, where that is not as usual."""
    usual = {"weight": 1.0, "enabled": usually_enabled(row["importance"]), "kind": QUESTION}
    return {name: row[name] for name in columns if row[name] not in (None, {}) and row[name] != usual.get(name, _UNSET)}


_UNSET = object()


def named_row(
    row: Mapping[str, Any], texts: Texts, namespace: str, liftable: Iterable[str] | None = None
) -> dict[str, Any]:
    """A question by our names, without nulls and with what came under `namespace` as fields of its own.

    `liftable`: of these, only what may be a field of its own; None takes all.
    """
    extra, taken = dict(row["extra"]), {name for names in NAMES.values() for name in names}
    own, lifted = extra.get(namespace), dict[str, Any]()
    if isinstance(own, dict):
        names = own if liftable is None else liftable
        lifted = {name: own[name] for name in names if name not in taken and own.get(name) is not None}
        extra[namespace] = {name: value for name, value in own.items() if name not in lifted}
        if own and not extra[namespace]:
            del extra[namespace]
    usual = said_of(row, ("weight", "enabled"))
    values = {**row, **texts.get(row["query_id"], {}), "weight": None, "enabled": None, **usual, "extra": extra or None}
    return present({name: values.get(name) for name in FIELDS}) | lifted
