"""What is written down of each measure beside its fast function: a slow one, and values by hand."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal


@dataclass(frozen=True)
class Case:
    """What one run returned for one query, and what is known of the query's passages.

    `ranking` lists passages, best first. `grades` holds, for each graded passage, its readable grades by
    enabled question, `unreadable` the questions of the others; `labels` the label of each passage that has
    one, be it below 0; `top` is the largest label that there can be. `questions` are the enabled ones, none where
    nothing of the query is graded on them; one that `importance` does not name is vital. `avoided` holds the grades of
    each passage on questions to avoid.
    """

    ranking: list[Any]
    grades: dict[Any, dict[Any, int]]
    labels: dict[Any, int]
    questions: set[Any]
    tau: int
    weights: dict[Any, float] = field(default_factory=dict)
    importance: dict[Any, int] = field(default_factory=dict)
    unreadable: dict[Any, set[Any]] = field(default_factory=dict)
    top: int = 5
    avoided: dict[Any, dict[Any, int]] = field(default_factory=dict)

    @cached_property
    def relevant(self) -> set[Any]:
        """Passages, ranked or not, with a label of at least tau."""
        return {passage for passage, label in self.labels.items() if label >= self.tau}

    @cached_property
    def judged(self) -> set[Any]:
        """Passages with a label of 0 or more."""
        return {passage for passage, label in self.labels.items() if label >= 0}

    @cached_property
    def pooled(self) -> set[Any]:
        """Passages that were to be labelled, and were not: their label is below 0."""
        return {passage for passage, label in self.labels.items() if label < 0}

    def label(self, passage: Any) -> int:
        """A passage's label; 0 where it has none or one below 0."""
        return max(self.labels.get(passage, 0), 0)

    def answers(self, passage: Any) -> set[Any]:
        """The enabled questions that a passage answers."""
        return {question for question, grade in self.grades.get(passage, {}).items() if grade >= self.tau}

    def answered_by(self, passages: Iterable[Any]) -> set[Any]:
        """The enabled questions that some of the passages answer."""
        return set().union(*map(self.answers, passages))


@dataclass(frozen=True, kw_only=True)
class Twin:
    """A measure once more.

    Parameters
    ----------
    slow : its value, of a case and the measure's depth, None for all that is read
    of_grades, of_labels : values worked out by hand on the two books of `test_by_hand.py`, by spelling and tau: for
        each run and query of the graded questions, for the first two runs and the first query of the labels
    has_tau : whether its values may differ from tau to tau
    reference : the tool that ours is compared with; None where no tool has it
    trec_eval : what trec_eval calls it, without the number of passages
    """

    slow: Callable[[Case, Any], float]
    reference: Literal["trec_eval", "ndeval", "ir_measures"] | None
    trec_eval: tuple[str, ...] = ()
    has_tau: bool = True
    of_grades: Mapping[tuple[str, int], list[list[float]]] = field(default_factory=dict)
    of_labels: Mapping[tuple[str, int], list[float]] = field(default_factory=dict)
