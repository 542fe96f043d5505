"""What a person orders: which collection is to be graded, by whom, how. Light to load: command lines are made of it."""

from __future__ import annotations

from dataclasses import dataclass

from exam_core.grading.options import Options, Unreadable


@dataclass(frozen=True)
class Order:
    """What is to be graded, by whom, how.

    Parameters
    ----------
    mode : a grading mode's name
    bank : `genq` or `genq@2`; None: the only bank, or none where the mode labels passages directly
    name : of the grader in the store; by default made of model, mode and what departs from the defaults
    unreadable : what an answer counts that can't be read
    verification : words, or words-authors: compare answers as the papers say, or as the authors' code does
    verifier : the model that verifies, where a mode has answers verified by a model; by default the same
    limit : at most so many grades
    """

    collection: str
    mode: str
    options: Options
    bank: str | None = None
    name: str | None = None
    unreadable: Unreadable = "null"
    verification: str | None = None
    verifier: Options | None = None
    limit: int | None = None
