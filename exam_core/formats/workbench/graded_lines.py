"""What a graded file of the workbench looks like, as types, and its grading passes as the workbench writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from exam_core.formats.format import Kind
from exam_core.formats.numbers import as_whole_number
from exam_core.tables import LARGEST_GRADE, SMALLEST_GRADE

WORKBENCH = Kind(
    key="workbench",
    noun="Graded passages",
    order=70,
    main="grades",
    template="""\
query_id,doc_id,question_id,grade,grader
q1,d1,q1/1,5,my-model
q1,d1,q1/2,1,my-model
q1,d2,q1/1,0,my-model
q1,d2,q1/2,0,my-model
q2,d3,q2/1,5,my-model
q2,d4,q2/1,1,my-model
""",
    option="bank",
    name="Name of the bank",
    unnamed="The graded questions become a bank of this name; without one, the file's own names are kept.",
    columns={
        **{"query": ("query_id",), "doc": ("doc_id",), "question": ("question_id",), "run": ("run_id",)},
        **{one: (one,) for one in ("grade", "grader", "rank", "query_text", "question_text", "passage_text")},
    },
)

Id = str | int
Whole = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Grade = Annotated[int, msgspec.Meta(ge=SMALLEST_GRADE, le=LARGEST_GRADE)]
SelfRating = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_GRADE)]


class Judgment(msgspec.Struct):
    """A human label of a passage."""

    paragraphId: Id  # noqa: N815
    query: Id
    relevance: Grade
    titleQuery: Id  # noqa: N815


class Ranking(msgspec.Struct):
    """A place of a passage in a run."""

    method: Id
    paragraphId: Id  # noqa: N815
    queryId: Id  # noqa: N815
    rank: Whole
    score: float


class Data(msgspec.Struct):
    """What others say of a passage."""

    judgments: list[Judgment]
    rankings: list[Ranking]


class Rating(msgspec.Struct):
    """The self-rating of one question or nugget."""

    self_rating: SelfRating | None = None
    question_id: Id | None = None
    nugget_id: Id | None = None


class Exam(msgspec.Struct):
    """One grading pass over one passage, with a grade for each question or nugget."""

    correctAnswered: list[Id]  # noqa: N815
    wrongAnswered: list[Id]  # noqa: N815
    answers: list[tuple[Id, str | None]]
    llm: str
    self_ratings: list[Rating] | None = None
    prompt_info: dict[str, Any] | None = None
    prompt_type: str | None = None


class Direct(msgspec.Struct):
    """One grading pass that labels the passage itself."""

    correctAnswered: bool  # noqa: N815
    answer: str | None
    llm: str
    self_ratings: SelfRating | None = None
    prompt_info: dict[str, Any] | None = None


class Passage(msgspec.Struct):
    """A passage with its judgments, rankings and grading passes."""

    paragraph_id: Id
    text: str | None
    paragraph_data: Data
    exam_grades: list[Exam] | None = None
    grades: list[Direct] | None = None


Line = tuple[Id, list[Passage]]
_encode = msgspec.json.Encoder().encode
PASSAGE_FIELDS = ("paragraph_id", "text", "paragraph_data", "exam_grades", "grades")
PASSES = "exam_grades"
"""Where `extra` keeps what a passage's passes say beyond their grades: no unknown field has this name."""
PASS_FIELDS = ("llm", "llm_options", "prompt_info", "prompt_type")
"""What a grading pass says once for all passages; kept with the grader."""
LOOSE = ("exam_ratio", "self_ratings", *PASS_FIELDS)
"""Fields of a grading pass whose numbers may be written in two ways; see `difference_to`."""


def make_plain(line: Any) -> None:
    """Make answers texts and self-ratings whole numbers, where a line has them as the workbench takes them.

    The workbench reads the answer `2` as "2", and the self-ratings `3.0` and "3" as 3. Whatever else stands there is
    left as it is.
    """
    passages = line[1] if isinstance(line, list) and len(line) == 2 else None
    for passage in _among(passages, dict):
        for entry in _among(passage.get("exam_grades"), dict):
            for pair in _among(entry.get("answers"), list):
                pair[1:2] = map(_answer, pair[1:2])
            for rating in _among(entry.get("self_ratings"), dict):
                rating |= {name: _rating(value) for name, value in rating.items() if name == "self_rating"}
        for entry in _among(passage.get("grades"), dict):
            entry |= {name: _answer(value) for name, value in entry.items() if name == "answer"}
            entry |= {name: _rating(value) for name, value in entry.items() if name == "self_ratings"}


def _among(values: Any, kind: type) -> list[Any]:
    """Those of a list that are of a kind; none of what is no list."""
    return [value for value in values if isinstance(value, kind)] if isinstance(values, list) else []


def _answer(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) else value


def _rating(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    whole = as_whole_number(value.strip()) if isinstance(value, str) else None
    return value if whole is None else whole


def judgment_entry(unit: str, doc_id: str, relevance: int, query_id: str) -> dict[str, Any]:
    """A judgment as the workbench writes it, of a query or one of its facets."""
    return {"paragraphId": doc_id, "query": unit, "relevance": relevance, "titleQuery": query_id}


def ranking_entry(unit: str, doc_id: str, run_id: str, rank: int, score: float) -> dict[str, Any]:
    """A place in a run as the workbench writes it."""
    return {"method": run_id, "paragraphId": doc_id, "queryId": unit, "rank": rank, "score": score}


def exam_entry(rows: Iterable[tuple[Any, ...]], grader: dict[str, Any]) -> dict[str, Any]:
    """A grading pass over questions as the workbench writes it, from (id, grade, answer, correct)."""
    rows = list(rows)
    right = [row[0] for row in rows if row[3] is True]
    entry: dict[str, Any] = {
        "correctAnswered": right,
        "wrongAnswered": [row[0] for row in rows if row[3] is False],
        "answers": [[row[0], row[2]] for row in rows],
        "exam_ratio": len(right) / len(rows) if rows else 0.0,
        **{name: grader[name] for name in PASS_FIELDS if name in grader},
    }
    if grader["rated"]:
        key = f"{grader['item']}_id"
        entry["self_ratings"] = [{key: row[0], "self_rating": row[1]} for row in rows]
    return entry


def direct_entry(rows: Iterable[tuple[Any, ...]], grader: dict[str, Any]) -> dict[str, Any]:
    """A direct grading pass as the workbench writes it, from its one row."""
    _, grade, answer, correct = next(iter(rows))
    entry = {"correctAnswered": correct, "answer": answer}
    entry |= {name: grader[name] for name in PASS_FIELDS if name in grader}
    return entry | {"self_ratings": grade} if grader["rated"] else entry


def difference_to(own: dict[str, Any], raw: dict[str, Any], loose: Iterable[str] = ()) -> dict[str, Any]:
    """What turns `own` into `raw`: fields to set, and under "-" fields to leave out.

    (An entry of an `extra` may also have "@", see `_page`.)

    Parameters
    ----------
    loose : fields that may be equal to Python and still another JSON: 2, 2.0 and true are
    """
    retyped = [name for name in loose if name in own and name in raw and not _is_same(own[name], raw[name])]
    if own == raw and not retyped:
        return {}
    changed = {name: value for name, value in raw.items() if name not in own or own[name] != value or name in retyped}
    surplus = [name for name in own if name not in raw]
    return changed | ({"-": surplus} if surplus else {})


def _is_same(one: Any, other: Any) -> bool:
    """Whether equal values also have equal types, all the way down."""
    if type(one) is not type(other):
        return False
    if not isinstance(one, list | dict) or _encode(one) == _encode(other):
        return True
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one.keys() == other.keys() and all(_is_same(value, other[name]) for name, value in one.items())


def with_difference(own: dict[str, Any], difference: dict[str, Any]) -> dict[str, Any]:
    """Undo `difference_to`."""
    left_out = {"-", "@", *difference.get("-", ())}
    return {name: value for name, value in (own | difference).items() if name not in left_out}
