"""What people may say of a measure over grades, behind its name: `P(rel=2,judged_only=True)@10`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from exam_core.declared import Field
from exam_core.tables import LARGEST_GRADE


@dataclass(frozen=True)
class Relevant:
    """From which label on a passage is relevant, or from which grade on a question answered."""

    rel: Annotated[
        int | None,
        Field(
            "The smallest label that is relevant, or the smallest grade that answers a question; by default tau.",
            least=1,
            most=LARGEST_GRADE,
            label="Relevant from",
        ),
    ] = None


@dataclass(frozen=True)
class Judged:
    """Whether passages without a label are read."""

    judged_only: Annotated[
        bool,
        Field(
            "Passages without a label are taken out of the rankings before anything is computed, as far as rankings "
            "are read (depth).",
            label="Judged passages only",
        ),
    ] = False


@dataclass(frozen=True)
class ReadingOptions(Judged, Relevant):
    """What is relevant, and what is read."""


@dataclass(frozen=True)
class Persistence(ReadingOptions):
    """Of rank-biased precision."""

    p: Annotated[
        float,
        Field("The probability that a reader goes on to the next passage.", least=0, most=0.999, label="Persistence"),
    ] = 0.8


@dataclass(frozen=True)
class Gain(Judged):
    """Of nDCG."""

    dcg: Annotated[
        Literal["log2", "exp-log2"],
        Field("Gain of a label: the label (log2), or 2^label - 1 (exp-log2).", label="Gain"),
    ] = "log2"
    grades: Annotated[
        Literal["whole", "decimal"],
        Field("Labels as whole numbers, or with decimals where grades have some.", label="Labels"),
    ] = "whole"


@dataclass(frozen=True)
class ScaleOptions(Judged):
    """Of expected reciprocal rank."""

    max: Annotated[
        int | None,
        Field(
            "The largest possible label. By default 5 for grades of questions and 4 for labels and judgments, as in "
            "gdeval, or the largest label, if larger.",
            least=1,
            most=LARGEST_GRADE,
            label="Largest label",
        ),
    ] = None


def own_options(options: object) -> dict[str, Any]:
    """What of a measure's options its own function takes; what all share is `ReadingOptions`'s.

    >>> own_options(Persistence(rel=3, p=0.5))
    {'p': 0.5}
    """
    named = {} if options is None else vars(options)
    return {name: value for name, value in named.items() if name not in ReadingOptions.__dataclass_fields__}
