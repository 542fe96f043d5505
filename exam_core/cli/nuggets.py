"""The commands about what generated answers say, and what they cite: nuggets, citations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from exam_core.asked import Asked
from exam_core.cli import common as cli
from exam_core.cli.options import takes_declared
from exam_core.defaults import SEED, SHUFFLES
from exam_core.errors import UsageError

if TYPE_CHECKING:
    from exam_core.analysis.evaluation.choice import Labelling
    from exam_core.store import Snapshot

MOST_DRAWS = 100_000
Cited = Literal["all", "first"]


@dataclass
class Answers:
    """Whose grades of which bank, and what is read of the runs."""

    collection: cli.Collection
    bank: cli.Bank = None
    grader: cli.Grader = None
    depth: cli.Depth = "20"
    order: cli.Order = "score"
    without: cli.Without = None

    def snapshot(self) -> Snapshot:
        """The collection without the runs that are left out."""
        from exam_core.analysis.evaluation.choosing import leave_out

        return leave_out(cli.open_store().snapshot(self.collection), self.without or [])

    def chosen(self) -> tuple[Snapshot, Labelling, dict[str, Any]]:
        """The collection, the grades, and the question as it was asked."""
        from exam_core.analysis.evaluation.choosing import choose_labelling, depth_number
        from exam_core.analysis.figures.graded import left_out

        snapshot = self.snapshot()
        asked = Asked(bank=self.bank, grader=self.grader, depth=depth_number(self.depth), order=self.order)
        labelling = choose_labelling(snapshot, asked)
        grading = labelling.grading
        question = {
            "collection": snapshot.collection,
            "bank": grading.bank_id,
            "grader": grading.grader,
            "depth": labelling.depth,
            **left_out(snapshot),
        }
        return snapshot, labelling, question


@dataclass
class Asking:
    """What of the scores is asked."""

    per_query: Annotated[bool, typer.Option("--per-query", help="Each query's scores too.")] = False
    variability: Annotated[
        bool, typer.Option("--variability", help="Instead: the order of runs under other views of what is vital.")
    ] = False
    strict: Annotated[bool, typer.Option("--strict", help="With --variability: support alone counts.")] = False
    draws: Annotated[int, typer.Option(help="With --variability: shuffles of vital and okay.")] = SHUFFLES
    seed: Annotated[int, typer.Option(help="Seed of the shuffles; the same seed gives the same answer.")] = SEED


@takes_declared()
def nuggets(answers: Answers, asking: Asking, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """The six nugget scores of each run: vital, weighted and all nuggets, strict and with partial support as half.

    Labels that are none of support, partial_support and not_support count as not found and are listed; contradicted
    nuggets and nuggets to avoid are counted apart and taken from no score.

    Example: examboard nuggets rag24

    Example: examboard nuggets rag24 --bank nuggets --per-query --format csv

    Example: examboard nuggets rag24 --variability
    """
    from exam_core.analysis.bank.importance import importance_effect
    from exam_core.analysis.bank.nuggets import nuggets as nuggets_of
    from exam_core.analysis.evaluation.choosing import check_range
    from exam_core.reports import nuggets as reports

    check_range("--draws", asking.draws, 1, MOST_DRAWS)
    check_range("--seed", asking.seed, 0, 2**32)
    if asking.variability and asking.per_query:
        raise UsageError("--variability and --per-query: choose one of them.")
    if asking.strict and not asking.variability:
        raise UsageError("--strict goes with --variability. The strict scores stand in every table of nuggets.")
    snapshot, labelling, question = answers.chosen()
    if asking.variability:
        effect = importance_effect(snapshot, labelling, strict=asking.strict, draws=asking.draws, seed=asking.seed)
        cli.print_object(
            reports.variability_answer(question, effect), effect.rows, form, footer=reports.variability_lines(effect)
        )
        return
    found = nuggets_of(snapshot, labelling)
    rows = found.queries if asking.per_query else found.rows
    answer = reports.nuggets_answer(question, found, per_query=asking.per_query)
    cli.print_object(answer, rows, form, footer=reports.nuggets_lines(found))


def _support(snapshot: Snapshot, grader: str, cited: Cited, *, claims: bool, form: cli.Form) -> None:
    """Print what a grader of citations says."""
    from exam_core.analysis.figures.graded import left_out
    from exam_core.analysis.generated.support import support
    from exam_core.reports.nuggets import support_answer

    found = support(snapshot, grader, cited=cited)
    rows = found.citations if claims else found.rows
    question = {"collection": snapshot.collection, "grader": grader, "cited": cited, **left_out(snapshot)}
    cli.print_object(support_answer(question, found, claims=claims), rows, form, footer=found.notes)


@takes_declared()
def citations(
    answers: Answers,
    tau: cli.Tau = None,
    cited: Annotated[
        Cited,
        typer.Option(help="Of a grader of citations: those of a sentence that count; first is TREC RAG 2024's."),
    ] = "all",
    claims: Annotated[
        bool, typer.Option("--claims", help="Every claim, or every citation, too (JSON), or alone.")
    ] = False,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Whether the passages that a generated text cites support what the text says.

    With grades of questions, a claim is a question that a passage of the text answers. Cited passages that nobody
    graded make it unknown. With a grader of citations (grade C --grader citation-support), a model says of each
    sentence and passage that it cites: full, partial or no support.

    Example: examboard citations demo-nuggets --grader lexical.pourpre-idf
    """
    from exam_core.analysis.generated.support import chosen_grader

    if grader := chosen_grader(snapshot := answers.snapshot(), answers.grader):
        _support(snapshot, grader, cited, claims=claims, form=form)
        return
    from exam_core.analysis.evaluation.choosing import check_range, choose_tau
    from exam_core.analysis.generated.citations import citations as citations_of
    from exam_core.reports.nuggets import citations_answer

    check_range("--tau", tau, 1, 5)
    snapshot, labelling, question = answers.chosen()
    found = citations_of(snapshot, labelling, choose_tau(snapshot, labelling, tau, of_labels=False))
    rows = found.claims if claims else found.rows
    cli.print_object(citations_answer(question, found, claims=claims), rows, form, footer=found.notes)
