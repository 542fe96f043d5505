"""How a model is asked: which backend runs it, on what, in which precision, with which search.

The default (fp32, five beams) is the authors'. Whatever else changes answers makes another grader, with a name of
its own; what only changes the speed does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from exam_core import wings
from exam_core.declared import Field
from exam_core.grading.backend import Backend, Kind, ModelOptions
from exam_core.grading.t5 import backends

Unreadable = Literal["null", "paper", "authors"]
"""What becomes of an answer that is no rating.

- null (default): nothing; it is stored without a grade and counted
- paper: 1, or 0 where it says that the question can't be answered (Farzi & Dietz 2024, EXAM++, 4.2.2)
- authors: what the released grades have, the reverse: 0, or 1 where it says that the question can't be answered
"""
BACKENDS: dict[str, Backend] = {row.name: row for row in (*backends.ROWS, *wings.declared("backends"))}
"""Every backend by its name, the papers' first."""
if TYPE_CHECKING:
    Named = str
    _Options = ModelOptions
else:
    Named = Literal[tuple(BACKENDS)]
    # The last one has the first fields; what all others extend comes last.
    _of_rows = dict.fromkeys(row.options for row in reversed(BACKENDS.values()) if row.options is not ModelOptions)
    _Options = type("_Options", (*_of_rows, ModelOptions), {})
_NAMED = Field(
    "Program that runs the model.",
    label="Backend",
    explained="Program that runs the model. Only T5 in fp32 gives exactly the authors' grades; others give the grader "
    "a name of its own.",
    in_words={name: row.title for name, row in BACKENDS.items()},
)


@dataclass(frozen=True)
class GradingOptions(_Options):
    """A model and how it is asked: the options of all backends."""

    backend: Annotated[Named, _NAMED] = "t5"

    @property
    def run_by(self) -> Backend:
        """What runs the model."""
        return BACKENDS[self.backend]

    @property
    def as_meant(self) -> GradingOptions:
        """The same with the backend that is meant where none is named: an address is a server's."""
        named = [row.name for row in BACKENDS.values() if row.meant_by and getattr(self, row.meant_by)]
        return replace(self, backend=named[0]) if named and self.backend == "t5" else self

    def differences(self) -> dict[str, str]:
        """What departs from the default and changes answers, for the name of the grader."""
        names = self.run_by.differences(self)
        if self.max_tokens not in (None, self.run_by.longest):
            names["max-tokens"] = f"{self.max_tokens}-tokens"
        return names


def refuse_impossible(options: GradingOptions, kind: Kind, *, writes: bool = False) -> None:
    """Raise UsageError for options that don't go together; `writes`: whether it is to write freely instead of grade."""
    for row in sorted(BACKENDS.values(), key=lambda row: row.name != options.backend):  # the chosen one first
        row.refuse(options, kind, writes)
