"""How far each grader's grades go, and who says so: the one place that knows a grader's scale."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from exam_core.formats.labels import DECLARED, known_scale
from exam_core.store.database import quoted
from exam_core.store.derived_files import on_disk
from exam_core.store.files import content_name
from exam_core.store.snapshot import Snapshot, cached_by_snapshot
from exam_core.tables import OFFICIAL

ScaleSource = Literal["declared", "judgments", "labels"]
SELF_RATING = 5
"""Where the grades of questions end whose grader says nothing."""
COMMON = 0.01
"""Share of the labels that a scale's end takes: a label that fewer passages reach may be a slip."""
FEW = 20
"""Labels below which one alone may be the scale's end; else it takes two at least."""

Counts = Mapping[int, int]
"""How often each value was given."""


@dataclass(frozen=True)
class Scale:
    """Where a grader's grades end; they begin at 0.

    Parameters
    ----------
    source : declared, by the grading mode, by its prompt or by whoever imported the labels; else the judgments that the
        labels fit, or the labels that are common, the grader's own or those of others
    counts : of readable labels of whole passages; none for a grader that answers questions
    """

    grader_id: str
    largest: int
    source: ScaleSource
    counts: Counts = field(default_factory=dict)

    @property
    def is_guessed(self) -> bool:
        """Whether nobody said where it ends."""
        return self.source != DECLARED

    @property
    def labels(self) -> int:
        """How many labels were counted."""
        return sum(self.counts.values())

    @property
    def outside(self) -> int:
        """How many of them are below 0 or above the end."""
        return sum(count for value, count in self.counts.items() if not 0 <= value <= self.largest)


@cached_by_snapshot(256)
def scale(snapshot: Snapshot, grader_id: str) -> Scale:
    """A grader's scale.

    Where nobody declared it, it ends as the judgments do if the labels fit: if those above the judgments' end are few,
    and the default tau, one below the end, is commonly reached. Else it ends with the largest label that is common, or
    one above, where labels of another grader commonly do. Labels 0 and 1 are a scale of their own.
    """
    about = snapshot.graders.get(grader_id, {})
    if about.get("kind") == "ensemble":
        # As sure as the scales of its members.
        members = [scale(snapshot, name) for name in about["of"]]
        guessed = [member.source for member in members if member.is_guessed]
        return Scale(grader_id, int(about["scale"]), guessed[0] if guessed else DECLARED)
    counts = {} if about.get("item") else _labels(snapshot).get(grader_id, {})
    largest, source = _declared(about, grader_id), cast(ScaleSource, DECLARED)
    if largest is None and (counts or about.get("kind") in ("labels", "direct")):
        ends = _labels(snapshot, _WHOLE_ENDS).get(grader_id, {}) if grader_id in decimals(snapshot) else counts
        largest, source = _guessed(ends, _judged(snapshot), _others(snapshot, grader_id))
    return Scale(grader_id, SELF_RATING if largest is None else largest, source, counts)


@cached_by_snapshot(64)
@on_disk
def given_grades(snapshot: Snapshot) -> dict[str, list[int]]:
    """The grades that each grader gave, ascending; one that gave none that can be read is left out."""
    groups: dict[str, list[int]] = {}
    frame = snapshot.query("SELECT DISTINCT grader_id, grade FROM grades WHERE grade IS NOT NULL ORDER BY ALL")
    for grader_id, grade in zip(frame["grader_id"], frame["grade"], strict=True):
        groups.setdefault(str(grader_id), []).append(int(grade))
    return groups


@cached_by_snapshot(64)
@on_disk
def decimals(snapshot: Snapshot) -> dict[str, int]:
    """How many grades of each grader have decimals; one that has none is left out."""
    frame = snapshot.query("SELECT grader_id, count(decimal) AS n FROM grades GROUP BY 1 HAVING n > 0 ORDER BY 1")
    return dict(zip(frame["grader_id"].astype(str), frame["n"].astype(int).tolist(), strict=True))


def common_end(counts: Counts, least: int) -> int:
    """The largest value of at least 1 that enough of all reach: 1% of them, and `least`; 0 if there is none."""
    needed, reached = max(least, COMMON * sum(counts.values())), 0
    for value in sorted((value for value in counts if value > 0), reverse=True):
        reached += counts[value]
        if reached >= needed:
            return value
    return 0


def _guessed(counts: Counts, judged: int, others: Iterable[int]) -> tuple[int, ScaleSource]:
    """Where a scale ends that nobody declared."""
    own = _own_end(counts)
    if own > 1:
        if judged and common_end(counts, 2) <= judged <= own + 1:
            return judged, "judgments"
        own += own + 1 in others
    return max(1, own), "labels"


def _own_end(counts: Counts) -> int:
    return common_end(counts, 1 if sum(counts.values()) < FEW else 2)


def _declared(about: Mapping[str, Any], grader_id: str) -> int | None:
    """The end that a grader's mode or prompt, or whoever imported it, says; None where nobody does."""
    end, kind = about.get("scale"), about.get("kind")
    if not isinstance(end, int) or about.get("scale_from") == DECLARED:
        return end if isinstance(end, int) else None
    if kind == "labels":
        # What stands there is the largest label: earlier versions took that, or 5, for the end.
        return end if known_scale(grader_id) else None
    if kind == "direct" and about.get("rated") and "mode" not in about:
        # What stands there is the end of self-ratings, unless the graded file's prompt is known.
        info = about.get("prompt_info")
        return end if isinstance(info, dict) and known_scale(str(info.get("prompt_class"))) else None
    return end


def _others(snapshot: Snapshot, grader_id: str) -> set[int]:
    """Where the labels of other graders of whole passages end."""
    return {
        _declared(snapshot.graders.get(name, {}), name) or _own_end(counts)
        for name, counts in _labels(snapshot).items()
        if name != grader_id
    }


_WHOLE_ENDS = "ceil(coalesce(decimal, grade))::INTEGER"
"""Labels by the end of a scale that has them: it lies above decimals."""


def _labels(snapshot: Snapshot, label: str = "grade") -> dict[str, dict[int, int]]:
    """How often each label of whole passages was given, by grader; ensembles are left out."""
    tables = _counted(snapshot, "grader_id", label, "grades WHERE question_id IS NULL AND grade IS NOT NULL")
    return {name: counts for name, counts in tables.items() if snapshot.graders.get(name, {}).get("kind") != "ensemble"}


def _judged(snapshot: Snapshot) -> int:
    """Where the official judgments commonly end, or all together where none are official; 0 without any."""
    tables = _counted(snapshot, "qrels_id", "relevance", "judgments")
    counts: dict[int, int] = {}
    for numbers in [tables[OFFICIAL]] if OFFICIAL in tables else tables.values():
        for value, count in numbers.items():
            counts[value] = counts.get(value, 0) + count
    return _own_end(counts)


@cached_by_snapshot(64)
@on_disk
def _counted(snapshot: Snapshot, names: str, values: str, rows: str) -> dict[str, dict[int, int]]:
    """How often rows have each value, by name."""
    tables: dict[str, dict[int, int]] = {}
    frame = snapshot.query(f"SELECT {names}, {values}, count(*) AS n FROM {rows} GROUP BY ALL ORDER BY ALL")
    for name, value, count in frame.itertuples(index=False):
        tables.setdefault(str(name), {})[int(value)] = int(count)
    return tables


Rule = Literal["majority", "median"]
SPELLED = re.compile(r"\b(majority|median)\(([^()]*)\)")
"""How an ensemble is named; no other grader may be called so."""

_GRADES = """
SELECT {name} AS grader_id, question_id, query_id, doc_id,
    CASE WHEN count(grade) = {members} THEN {grade} END::TINYINT AS grade,
    NULL::VARCHAR AS answer, NULL::BOOLEAN AS correct, NULL::DOUBLE AS decimal
FROM ({known}) JOIN (VALUES {cuts}) AS member (grader_id, cut) USING (grader_id)
GROUP BY question_id, query_id, doc_id HAVING count(*) = {members}
"""
_RULES: dict[Rule, str] = {
    "majority": "(2 * count(*) FILTER (grade >= cut) > {members})::INTEGER",
    "median": "list_sort(list(grade))[({members} + 1) // 2]",
}
"""The lower of the two middle grades where members are even, so that it reaches a tau where a majority does."""


@dataclass(frozen=True)
class Ensemble:
    """A grader that is made of others.

    Parameters
    ----------
    rule : majority: 1 where more than half of the members give their cut or more, else 0. median: the middle grade, the
        lower one of two
    members : graders, each with the smallest grade that is a vote for relevant; the median has no use for it
    scale : the largest grade that there can be
    """

    name: str
    rule: Rule
    members: tuple[tuple[str, int], ...]
    scale: int


def with_ensemble(snapshot: Snapshot, ensemble: Ensemble) -> Snapshot:
    """The collection with one more grader.

    It has a grade where every member has one, for the same question or for the passage as a whole; one that can't be
    read where any of theirs can't.
    """
    known, members = snapshot.tables["grades"], len(ensemble.members)
    grades = _GRADES.format(
        name=quoted(ensemble.name),
        grade=_RULES[ensemble.rule].format(members=members),
        known=known,
        cuts=", ".join(f"({quoted(grader)}, {cut})" for grader, cut in ensemble.members),
        members=members,
    )
    sql = f"SELECT * FROM ({known}) UNION ALL {grades}"
    fingerprint = content_name(f"{snapshot.fingerprint} {ensemble}".encode("utf-8", "surrogatepass"))
    named = " and ".join(f"{grader} from {cut}" for grader, cut in ensemble.members)
    about = {
        "majority": f"1 where more than half of its members find a passage relevant ({named}), else 0.",
        "median": "the middle one of its members' grades, the lower of two.",
    }
    graders = snapshot.graders | {
        ensemble.name: {
            "kind": "ensemble",
            "rule": ensemble.rule,
            "members": members,
            "of": [grader for grader, _ in ensemble.members],
            "scale": ensemble.scale,
            "about": about[ensemble.rule],
        }
    }
    return replace(snapshot, tables=snapshot.tables | {"grades": sql}, graders=graders, fingerprint=fingerprint)
