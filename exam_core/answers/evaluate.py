"""Values by query."""

from __future__ import annotations

from dataclasses import replace

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import evaluation, figures, several
from exam_core.request import Evaluating


@analysis("evaluate")
def answer(subject: Subject, options: Evaluating) -> Answer:
    """A measure's value for every run and query; `leaderboard` shows their means.

    Example: examboard evaluate demo --bank open --measure Cover@20 --tau 3
    """
    import pandas as pd

    from exam_core.analysis.leaderboard import title
    from exam_core.analysis.shared_columns import TAU
    from exam_core.analysis.values import BY_QUERY, by_query

    contents, (request, taus) = figures(subject, options), several(subject, options)
    choice, collection = evaluation(contents, request, "no values by query are printed."), subject.snapshot.collection
    if not taus:
        rows = by_query(contents.snapshot, choice)
        return Answer(f"{collection} {title(choice)}, query by query", described(rows, BY_QUERY))
    frames = [by_query(contents.snapshot, replace(choice, tau=tau)).assign(tau=tau) for tau in taus]
    rows = described(pd.concat(frames, ignore_index=True), BY_QUERY.and_also(TAU))
    return Answer(f"{collection} {request.measure}, query by query, at every tau", rows)
