"""A collection with graders that are made of others' grades: a view in front of the store; nothing is stored."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import Literal

from exam_core.store.database import quoted
from exam_core.store.snapshot import Snapshot

Rule = Literal["majority", "median"]
SPELLED = re.compile(r"\b(majority|median)\(([^()]*)\)")
"""How an ensemble is named; no other grader may be called so."""

_GRADES = """
SELECT {name} AS grader_id, question_id, query_id, doc_id,
    CASE WHEN count(grade) = {members} THEN {grade} END::TINYINT AS grade,
    NULL::VARCHAR AS answer, NULL::BOOLEAN AS correct
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
    name : as a grader
    rule : majority: 1 where more than half of the members give their cut or more, else 0. median: the middle grade,
        the lower one of two
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
    sql = f"{known} UNION ALL {grades}"
    fingerprint = hashlib.sha256(f"{snapshot.fingerprint} {ensemble}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
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
