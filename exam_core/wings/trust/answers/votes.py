"""What grading modes are worth together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core import asked
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.asked import Asked
from exam_core.declared import Field
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.results import attributes
from exam_core.tables import OFFICIAL

IN_JSON = (
    *("graders", "judgments", "relevant_from", "passages", "judged", "queries", "error_correlation", "votes"),
    *("votes_interval", "best", "majority", "gain", "gain_interval", "draws", "seed", "rows", "thresholds", "pairs"),
    "notes",
)


@dataclass(frozen=True, kw_only=True)
class VotesOptions:
    """Who votes, and on what."""

    graders: Annotated[
        list[str] | None,
        Field(
            "Grading modes, comma-separated, each with its threshold if not the default: Sun,Thomas@2. By default "
            "those of the bank's questions, or of whole passages if these are more.",
            commas=True,
        ),
    ] = None
    bank: asked.Bank = None
    label_rank: asked.LabelRank = 1
    relevant_from: asked.RelevantFrom = asked.RELEVANT_FROM
    judgments: asked.AgainstJudgments = OFFICIAL
    pairs: Annotated[bool, Field("List every pair of graders.")] = False
    thresholds: Annotated[
        bool, Field("Compare thresholds: the number of graders that have to find a passage relevant.")
    ] = False
    draws: asked.Draws = DRAWS
    seed: asked.Seed = SEED


@analysis(
    "votes",
    waiting="Reading grades",
    tables="every pair of graders, and how many have to find a passage relevant",
)
def answer(subject: Subject, options: VotesOptions) -> Answer:
    """How independent are the graders? Their agreement, the correlation of their errors, the gain of a majority.

    Each grader's labels become two classes at its default tau, one below its scale's end, or at another one that
    stands behind its name: FagB@2.

    Example: examboard votes demo --bank open --relevant-from 1

    Example: examboard votes dl19 --graders FagB,HELM,Sun,Thomas
    """
    from exam_core.analysis.evaluation.choosing import check_draws
    from exam_core.analysis.figures import figures_of
    from exam_core.wings.trust.analysis.grader_votes import PAIRS, ROWS, THRESHOLDS, voters, votes
    from exam_core.wings.trust.charts.vote_accuracy import accuracy_figure
    from exam_core.wings.trust.reports.trust_sentences import votes_lines

    if options.pairs and options.thresholds:
        raise UsageError("--pairs and --thresholds: choose one of them.")
    check_draws(options.draws, options.seed)
    graders, collection = options.graders or [], subject.snapshot.collection
    wanted = Asked(bank=options.bank, label_rank=options.label_rank, relevant_from=options.relevant_from)
    held = figures_of(subject.snapshot, *graders)
    table = PAIRS if options.pairs else THRESHOLDS if options.thresholds else ROWS
    if held.in_print:
        return undefined("votes", {"collection": collection}, "vote on", table)
    found = votes(
        held.snapshot,
        graders or voters(held.snapshot, options.bank),
        wanted,
        judgments=options.judgments,
        draws=options.draws,
        seed=options.seed,
        progress=subject.progress,
    )
    tables = {"pairs": described(found.pairs, PAIRS), "thresholds": described(found.thresholds, THRESHOLDS)}
    listed = "pairs" if options.pairs else "thresholds" if options.thresholds else ""
    return Answer(
        f"{collection}: {len(found.graders)} grading modes that vote",
        tables.get(listed, described(found.rows, ROWS)),
        [*votes_lines(found), *found.notes],
        tables=tables,
        told={"collection": collection} | attributes(found, *IN_JSON),
        draw=(lambda: accuracy_figure(found.rows)) if found.judged else None,
    )
