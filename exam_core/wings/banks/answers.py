"""The analysis `bank health`: how well a bank's questions tell runs apart, and what is wrong with its wording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import at_one_tau, figures
from exam_core.declared import Field
from exam_core.defaults import SEED
from exam_core.errors import ExamboardError, UsageError
from exam_core.request import Evaluating, Reference
from exam_core.results import attributes

if TYPE_CHECKING:
    from exam_core.analysis.choice import Evaluation
    from exam_core.wings.banks.effect import Spread
    from exam_core.wings.banks.health import Health

Listed = Literal["questions", "pairs"]


@dataclass(frozen=True, kw_only=True)
class BankHealthOptions(Evaluating):
    """What is looked for in a bank, and what is listed of it."""

    alike: Annotated[float, Field("Similarity from which questions are near duplicates, 0.5 to 1.")] = 0.9
    reference: Reference = None
    listed: Annotated[Listed, Field("Questions, or pairs of possible duplicates; JSON has both.", option="--list")] = (
        "questions"
    )
    hidden: Annotated[
        int | None, Field("Show instead how much runs gain on one half of the bank over the other, in N random halves.")
    ] = None
    public: Annotated[
        Path | None, Field("With --hidden: file with the question_ids that were public, one on each line.")
    ] = None
    saw: Annotated[list[str] | None, Field("With --hidden: run that saw the public questions; may be repeated.")] = None
    seed: Annotated[int, Field("Seed of the random halves; the same seed gives the same answer.")] = SEED


@analysis("bank health", tables="pairs")
def answer(subject: Subject, options: BankHealthOptions) -> Answer:
    """Questions of a bank that are alike, that no run or every run answers, or that tell good runs from bad.

    With --hidden: do runs gain on the half of the bank that they may have seen?

    Example: examboard bank health demo --bank open --tau 3 --list pairs --alike 0.85

    Example: examboard bank health dl19 --hidden 200 --public seen.txt --saw runid3 --saw runid4
    """
    from exam_core.analysis.choosing import check_range
    from exam_core.analysis.figures import question_of
    from exam_core.analysis.printed_figures import Printed
    from exam_core.wings.banks.health import health, health_of_words, ungraded_bank

    check_range("--seed", options.seed, 0, 2**32)
    contents, collection = figures(subject, options), subject.snapshot.collection
    if isinstance(contents, Printed):
        raise ExamboardError(f"{collection} has printed figures only: there is no bank whose questions to look at.")
    if options.hidden is None and (options.public or options.saw):
        raise UsageError("--public and --saw say who saw what: add --hidden with a number of random halves, say 200.")
    request, snapshot = at_one_tau(subject, options), contents.snapshot
    if options.hidden is not None:
        return _answer_hidden(
            Subject(subject.store_if_any, snapshot, subject.progress), contents.evaluation(request), options
        )
    if bank := ungraded_bank(snapshot, request):
        return _answer_health(
            {"collection": collection}, health_of_words(snapshot, bank, alike=options.alike), options.listed
        )
    choice = contents.evaluation(request)
    result = health(snapshot, choice, alike=options.alike)
    return _answer_health(question_of(snapshot, choice), result, options.listed)


def _answer_health(question: dict[str, Any], result: Health, listed: Listed) -> Answer:
    from exam_core.wings.banks.health import ROWS, counts_of_kinds, health_lines, questions_in_short

    of_questions = listed == "questions"
    fields = question | {"bank": str(result.bank), "alike": result.alike, "kinds": counts_of_kinds(result.rows)}
    fields |= attributes(result, "rows", "pairs", "notes")
    rows = result.rows if of_questions else result.pairs
    return Answer(
        f"{question['collection']}: health of a bank",
        described(rows, ROWS),
        health_lines(result),
        tables={"pairs": result.pairs},
        text=fields,
        short=questions_in_short(rows) if of_questions else rows,
        paper=rows,
        long=True,
    )


def _answer_hidden(subject: Subject, choice: Evaluation, options: BankHealthOptions) -> Answer:
    from exam_core.analysis.figures import question_of
    from exam_core.formats.file_names import ids_in
    from exam_core.wings.banks.effect import HIDDEN, hidden
    from exam_core.wings.banks.health import hidden_lines

    hidden_runs = hidden(
        subject.snapshot,
        choice,
        halves=options.hidden or 0,
        seed=options.seed,
        saw=options.saw or [],
        public=None if options.public is None else ids_in(options.public),
        progress=subject.progress,
    )
    fields = question_of(subject.snapshot, choice)
    fields |= {"leaderboard": hidden_runs.title, "public_questions": hidden_runs.public}
    fields |= attributes(hidden_runs, "halves", "seed", "n_queries") | {
        "spearman": _spread(hidden_runs.spearman),
        "kendall": _spread(hidden_runs.kendall),
        "saw": hidden_runs.saw,
        "advantage": hidden_runs.advantage and _spread(hidden_runs.advantage),
        **attributes(hidden_runs, "rows", "notes"),
    }
    title = f"{subject.snapshot.collection}: gain of runs on questions that they saw"
    return Answer(title, described(hidden_runs.rows, HIDDEN), hidden_lines(hidden_runs), text=fields)


def _spread(spread: Spread) -> dict[str, Any]:
    return {"value": spread.value, **attributes(spread, "interval", "p")}
