"""What somebody asks to be evaluated, in the words of the command line; `choose` makes a checked value of it.

Light to load: the command line's help names the choices that stand here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Missing = Literal["zero", "skip"]
Parts = Literal["passages", "sentences", "whole"]
Order = Literal["score", "rank"]
Pool = Literal["graded", "ranked"]
Rounded = Literal["none", "trec_eval"]
PairTest = Literal["t", "bootstrap", "randomisation"]
Drawn = Literal["queries", "questions", "both"]
Curve = Literal["bank-size", "queries"]
BankForm = Literal["workbench", "nuggetbank", "nuggetizer", "ragtime26", "csv", "json"]
"""How a question bank is written."""
ReviewForm = Literal["csv", "jsonl"]
"""How reviews are written."""
QueueForm = Literal["csv", "jsonl", "labelstudio"]
"""How a queue is written in which people review."""
Convention = Literal["released", "one-based", "documents"]
"""Where r starts and what n counts in 1 - r/n: the paper leaves both open.

- released (default): r from 0, n counts the answer: what the authors' released scores follow; 1/n to 1
- one-based: r from 1, n counts the answer; 0 to 1 - 1/n
- documents: r from 0, n counts the documents alone, as the paper's |D_q| is defined; 0 to 1
"""

DEPTH = 20
RELEVANT_FROM = 2
MEASURE = "Cover@20"


@dataclass(frozen=True)
class Asked:
    """An evaluation as it is asked for; None stands for what is usual for the grades.

    Parameters
    ----------
    measure : as it is spelled, for instance Cover@20
    bank : a question bank, also in a version of its own (genq@2)
    judgments : human judgments that are evaluated instead of grades
    tau : smallest grade that counts
    depth : passages of a ranking that are read; None is all
    label_rank : which of a passage's grades, from the best, is its label
    label_map : other labels for grades, written 5=3,4=1
    relevant_from : smallest judgment that counts
    missing : whether a query without results counts 0 or not at all
    order : first passages by score (as trec_eval), or by the files' ranks
    ncover_pool : what nCover divides by: what graded or what ranked passages answer
    rounded : whether means have the 4 decimals that trec_eval prints
    reference : what the leaderboard is compared with; None takes `official` if there is one
    """

    measure: str = MEASURE
    bank: str | None = None
    grader: str | None = None
    judgments: str | None = None
    tau: int | None = None
    depth: int | None = DEPTH
    label_rank: int = 1
    label_map: str | None = None
    relevant_from: int = RELEVANT_FROM
    missing: Missing = "zero"
    order: Order = "score"
    ncover_pool: Pool = "graded"
    rounded: Rounded = "none"
    reference: str | None = None

    def but(self, **changes: Any) -> Asked:
        """The same with some things asked otherwise."""
        return replace(self, **changes)
