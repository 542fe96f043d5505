"""What options ask for, and the collection's figures that answer it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from exam_core.declared import ALL
from exam_core.errors import ExamboardError, UsageError
from exam_core.request import Comparing, Evaluating, Request

if TYPE_CHECKING:
    from exam_core.analysis.choice import Evaluation
    from exam_core.analysis.figures import Figures
    from exam_core.answers.analysis import Subject


def request_of(options: Any) -> Request:
    """What of options is asked of an evaluation, as it was said; `all` is None."""
    fields = {name: value for name, value in asdict(options).items() if name in Request.__dataclass_fields__}
    return Request(**fields | {name: None for name in ("tau", "depth") if fields.get(name) == ALL})


def several(subject: Subject, options: Evaluating) -> tuple[Request, list[int]]:
    """What is asked for, with what is usual for the collection, and the taus where all of them are."""
    from exam_core.analysis.choice import TAUS
    from exam_core.analysis.choosing import restrict, usual

    snapshot = restrict(subject.snapshot, options)
    request = usual(snapshot, request_of(options), options.measure)
    return request, list(TAUS) if options.tau == ALL else []


def at_one_tau(subject: Subject, options: Evaluating) -> Request:
    """What is asked for, of an analysis that looks at one tau. Raises UsageError where all taus are asked for."""
    request, taus = several(subject, options)
    if taus:
        raise UsageError("--tau all: this analysis looks at one tau; choose 1 to 5.")
    return request


def evaluation(figures: Figures, request: Request, why: str) -> Evaluation:
    """What is asked for, completed. Raises ExamboardError where figures are printed; `why` says what is not there."""
    choice = figures.evaluation(request)
    if choice is None:
        raise ExamboardError(f"{figures.snapshot.collection} has printed figures only: {why}")
    return choice


def figures(subject: Subject, options: Evaluating, *named: str) -> Figures:
    """The collection's figures, without what is left out; `named` as in `figures_of`."""
    from exam_core.analysis.choosing import restrict
    from exam_core.analysis.figures import figures_of

    reference = options.reference if isinstance(options, Comparing) else None
    return figures_of(restrict(subject.snapshot, options), options.grader, *named, reference)
