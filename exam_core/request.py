"""What somebody asks to be evaluated, in the words of the command line; `choose` makes a checked value of it.

Light to load: the command line's help names the choices that stand here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from exam_core.declared import Every, Field

Missing = Literal["zero", "skip"]
Parts = Literal["passages", "sentences", "whole"]
RunName = Literal["tag", "file"]
"""What names a run: the sixth column of its file, or the file's name."""
Order = Literal["score", "rank"]
Pool = Literal["graded", "ranked"]
Rounded = Literal["none", "trec_eval"]
OwnDocument = Literal["yes", "no"]
Groups = Literal["yes", "no"]
PairTest = Literal["t", "bootstrap", "randomisation", "wilcoxon"]
"""Tests of two runs."""
BoardTest = Literal["t", "bootstrap", "randomisation", "wilcoxon", "tukey"]
"""Tests of all pairs of runs."""
Curve = Literal["bank-size", "queries"]
BankForm = Literal["workbench", "nuggetbank", "nuggetizer", "ragtime26", "csv", "json"]
"""How a question bank is written."""
BoardForm = Literal["csv", "run-measure-topic-value"]
"""How a leaderboard is written."""
Convention = Literal["released", "one-based", "documents"]
"""Where r starts and what n counts in 1 - r/n: the paper leaves both open.

- released (default): r from 0, n counts the answer: what the authors' released scores follow; 1/n to 1
- one-based: r from 1, n counts the answer; 0 to 1 - 1/n
- documents: r from 0, n counts the documents alone, as the paper's |D_q| is defined; 0 to 1
"""

DEPTH = 20
RELEVANT_FROM = 2
MEASURE = "Cover@20"
JUDGED_MEASURE = "nDCG@10"
"""What is taken of human judgments where nobody names a measure."""
LABELLED_MEASURE = "P@20"
"""The same of labels of whole passages, which have no questions."""
JUDGED = "judgments:"
"""What stands before the name of human judgments where they stand in the place of a grading mode."""


MeasureName = Annotated[
    str | None,
    Field(f"{MEASURE} (default), nCover@20, P@20, AP, nDCG@20, ...; by judgments {JUDGED_MEASURE} is the default."),
]
Bank = Annotated[
    str | None,
    Field(
        "Question bank; genq@2 pins a version.",
        label="Question bank",
        explained="The exam questions that the passages were graded on.",
    ),
]
Grader = Annotated[
    str | None, Field("Grading mode, also one made of others: majority(a,b,c), median(a,b,c).", label="Grading mode")
]
ONE_TAU = (
    "Smallest grade that counts, 1 to 5 or between (3.5); by default one below the largest, 5 at most: 4 on 0 to 5, 1 "
    "on 0/1 and 0 to 2."
)
Tau = Annotated[int | float | None, Field(ONE_TAU, least=1, most=5, label="tau")]
TauOrAll = Annotated[
    int | float | Every | None, Field("Smallest grade that counts, 1 to 5 or between (3.5), or all.", least=1, most=5)
]
Depth = Annotated[
    int | Every,
    Field(
        "Passages of a ranking that are read, or all.",
        label="Depth k",
        explained="How many passages of each ranking count: the k of the measure.",
    ),
]
LabelRank = Annotated[
    int,
    Field(
        "A passage's label is its N-th best grade.",
        label="Label rank",
        explained="A passage's label is its N-th best grade over the questions: 1 is the papers' equation (best "
        "grade), 2 asks that two questions reach tau.",
    ),
]
LabelMap = Annotated[
    str | None, Field("Labels for grades, for instance 5=3,4=1; other grades become 0.", label="Label map")
]
Judgments = Annotated[
    str | None,
    Field(
        "Evaluate these human judgments instead of grades; the default where there are no grades.",
        label="Human judgments",
    ),
]
AgainstJudgments = Annotated[str, Field("The human judgments.")]
RelevantFrom = Annotated[
    int,
    Field(
        "Smallest judgment that counts as relevant; a value above all judgments means the largest.",
        label="Judged relevant from",
        explained="Smallest human relevance that counts as relevant, for the kappa table.",
    ),
]
MissingRule = Annotated[Missing, Field("A query without results counts 0, or not at all.")]
OrderRule = Annotated[Order, Field("Order passages by score (as trec_eval), or by the file's ranks.")]
NcoverPool = Annotated[Pool, Field("nCover divides by the questions that these passages answer.")]
Without = Annotated[list[str] | None, Field("Leave this run out, as if it had never been imported; may be repeated.")]
OwnDocumentRule = Annotated[
    OwnDocument,
    Field(
        "no: leave the passage whose ID is the query's out of all rankings, as BEIR does for ArguAna.",
        label="Rank a query's own document",
        explained="no leaves the passage whose ID is the query's out of every ranking; passages below it move up. For "
        "collections whose queries are documents, such as ArguAna (ignore_identical_ids of BEIR).",
    ),
]
GroupsRule = Annotated[
    Groups,
    Field(
        "yes: show runs with one tag group:NAME as one system.",
        label="Runs of a group as one system",
        explained="yes shows runs with one tag group:NAME, such as seeds or folds of a system, as one: the mean over "
        "its runs by query, with the standard deviation between the runs' means.",
    ),
]
Reference = Annotated[str | None, Field("Reference: official (default), another leaderboard, qrels:nDCG@10, ...")]
RoundedRule = Annotated[Rounded, Field("Round means to the 4 decimals that trec_eval prints before they are ranked.")]
Graders = Annotated[
    list[str] | None, Field("Grading modes, comma-separated; by default all that graded the bank.", commas=True)
]
Measures = Annotated[list[str] | None, Field("Measures, comma-separated, for instance Cover@20,P@20.", commas=True)]
Draws = Annotated[int, Field("Bootstrap samples of the queries.")]
DrawsAndSigns = Annotated[int, Field("Bootstrap samples, and random sign flips.")]
Seed = Annotated[int, Field("Seed of the resampling; the same seed gives the same answer.")]
"""Options, each declared once: its type, and what it means to the command line, to a notebook and to a form."""


@dataclass(frozen=True)
class Request:
    """An evaluation as it is asked for; None stands for what is usual for the grades.

    Parameters
    ----------
    measure : as it is spelled, for instance Cover@20
    bank : a question bank, also in a version of its own (genq@2)
    grader : a grading mode, or human judgments in its place, written judgments:official
    judgments : human judgments that are evaluated instead of grades
    tau : smallest grade that counts; one that is no whole number is compared with the decimals of grades
    own_taus : the same of single grading modes, whose scales end elsewhere: pairs of grading mode and tau
    depth : passages of a ranking that are read; None is all
    label_rank : which of a passage's grades, from the best, is its label
    label_map : other labels for grades, written 5=3,4=1
    relevant_from : smallest judgment that counts
    missing : whether a query without results counts 0 or not at all
    order : first passages by score (as trec_eval), or by the files' ranks
    ncover_pool : what nCover divides by: what graded or what ranked passages answer
    rounded : whether means have the 4 decimals that trec_eval prints
    reference : what the leaderboard is compared with; None takes `official` if there is one
    groups : whether runs of one group (`analysis.groups`) are one system; leaderboards and correlations alone
    """

    measure: str = MEASURE
    bank: str | None = None
    grader: str | None = None
    judgments: str | None = None
    tau: float | None = None
    depth: int | None = DEPTH
    label_rank: int = 1
    label_map: str | None = None
    relevant_from: int = RELEVANT_FROM
    missing: Missing = "zero"
    order: Order = "score"
    ncover_pool: Pool = "graded"
    rounded: Rounded = "none"
    reference: str | None = None
    own_taus: tuple[tuple[str, float], ...] = ()
    groups: Groups = "no"

    def of(self, grader: str | None) -> Request:
        """The same of one grading mode, at its own tau where it has one."""
        return replace(self, grader=grader, tau=dict(self.own_taus).get(grader or "", self.tau), own_taus=())

    def at(self, grader: str, tau: float) -> Request:
        """The same with another tau of one grading mode: its own, where it has one, or that of all others."""
        own = dict(self.own_taus)
        return self.but(own_taus=tuple((own | {grader: tau}).items())) if grader in own else self.but(tau=tau)

    def but(self, **changes: Any) -> Request:
        """The same with some things asked otherwise."""
        return replace(self, **changes)


@dataclass(frozen=True, kw_only=True)
class Evaluating:
    """The options that say what to evaluate, as they are typed; None stands for what is usual for the grades."""

    measure: MeasureName = None
    bank: Bank = None
    grader: Grader = None
    tau: TauOrAll = None
    depth: Depth = DEPTH
    label_rank: LabelRank = 1
    label_map: LabelMap = None
    judgments: Judgments = None
    relevant_from: RelevantFrom = RELEVANT_FROM
    missing: MissingRule = "zero"
    order: OrderRule = "score"
    ncover_pool: NcoverPool = "graded"
    without: Without = None
    own_document: OwnDocumentRule = "yes"


@dataclass(frozen=True, kw_only=True)
class Comparing(Evaluating):
    """The same, and what to compare with."""

    reference: Reference = None


@dataclass(frozen=True, kw_only=True)
class RankingAsked(Comparing):
    """The same, and how means are rounded."""

    rounded: RoundedRule = "none"


@dataclass(frozen=True, kw_only=True)
class GroupsAsked(RankingAsked):
    """The same, and whether runs of a group are one system."""

    groups: GroupsRule = "no"
