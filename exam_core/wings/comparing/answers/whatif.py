"""The board if the bank had other questions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import at_one_tau, evaluation, figures
from exam_core.asked import Comparing
from exam_core.declared import Field
from exam_core.errors import UsageError
from exam_core.results import attributes

if TYPE_CHECKING:
    from exam_core.analysis.comparisons.correlation import Correlated
    from exam_core.wings.comparing.analysis.whatif import WhatIf


@dataclass(frozen=True, kw_only=True)
class WhatifOptions(Comparing):
    """What the bank would be."""

    drop: Annotated[list[str] | None, Field("Question to drop; may be repeated.")] = None
    drop_file: Annotated[Path | None, Field("File of questions to drop, a question_id on each line.")] = None
    only: Annotated[list[str] | None, Field("Question to keep, without all others; may be repeated.")] = None
    weight: Annotated[
        list[str] | None,
        Field("Weight of a question for wCover, as ID=2; may be repeated."),
    ] = None


@analysis("whatif")
def answer(subject: Subject, options: WhatifOptions) -> Answer:
    """The leaderboard, its correlation and the labels if the bank had other questions; nothing is changed.

    Example: examboard whatif demo --bank open --tau 3 --drop demo-01/628fd44adaa81b0332edc08085040c26
    """
    from exam_core.analysis.bank.other_labels import ROWS
    from exam_core.analysis.figures.graded_figures import question_of
    from exam_core.formats.ids import ids_in
    from exam_core.wings.comparing.analysis.whatif import whatif
    from exam_core.wings.comparing.reports.whatif_lines import whatif_lines

    held, collection = figures(subject, options), subject.snapshot.collection
    dropped = [*(options.drop or []), *(ids_in(options.drop_file) if options.drop_file else [])]
    weights = _weights(options.weight or [])
    choice = evaluation(held, at_one_tau(subject, options), "there is no bank whose questions to edit.")
    found = whatif(held.snapshot, choice, drop=dropped, only=options.only, weights=weights)
    told = question_of(held.snapshot, choice) | _in_json(found)
    title = f"{collection}: the leaderboard with other questions"
    return Answer(title, described(found.rows, ROWS), whatif_lines(found), told=told)


def _in_json(found: WhatIf) -> dict[str, Any]:
    asking = found.asking
    return {
        "drop": sorted(asking.drop),
        "only": None if asking.only is None else sorted(asking.only),
        "weights": dict(asking.weights),
        "questions_before": found.enabled_before,
        "questions_after": found.enabled_after,
        "rows": found.rows,
        "reference": found.before and found.before.reference,
        "correlation_before": _coefficients(found.before),
        "correlation_after": _coefficients(found.after),
        **attributes(found, "relabelled", "notes"),
    }


def _coefficients(found: Correlated | None) -> dict[str, Any] | None:
    from exam_core.reports.json_objects import coefficients_of

    return None if found is None else {"n": found.correlation.n, **coefficients_of(found)}


def _weights(texts: list[str]) -> dict[str, float]:
    """Weights by question, each written ID=2."""
    weights: dict[str, float] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        try:
            value = float(number) if name and sign else None
        except ValueError:
            value = None
        if value is None:
            raise UsageError(f"--weight {text}: write the question and its weight, for instance ID=2.")
        if name in weights:
            raise UsageError(f"--weight {text}: {name} has a weight already.")
        weights[name] = value
    return weights
