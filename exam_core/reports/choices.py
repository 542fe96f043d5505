"""A choice in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exam_core.analysis.evaluation.caveats import enumerated, listed
from exam_core.analysis.evaluation.choosing import by_judgments, reachable_cut
from exam_core.analysis.evaluation.grade_scales import reachable_tau
from exam_core.analysis.figures import Figures
from exam_core.asked import JUDGED, Asked
from exam_core.measures import Measure
from exam_core.wording import method_in_words, reference_in_words


def choice_in_words(
    figures: Figures, series: Sequence[str], asked: Asked, called: Mapping[str, str] | None = None
) -> str:
    """What is evaluated, in one line; the bank as it is asked for. `called` has other names of graders."""
    snapshot = figures.snapshot
    if figures.in_print:
        left_out = [f"without {listed(snapshot.left_out_in_words)}"] if snapshot.left_out else []
        columns = "; ".join(map(method_in_words, series))
        return ", ".join([snapshot.collection, f"figures as printed: {columns}", *left_out])
    of_grades = Measure.parse(asked.measure).info.of_grades
    judged = by_judgments(snapshot, series)
    graders = [(called or {}).get(name, name) for name in series]
    return ", ".join(
        [
            snapshot.collection,
            *([f"bank {asked.bank}"] if asked.bank and not judged else []),
            *([f"{'by' if judged else 'graded by'} {enumerated(graders)}"] if series and of_grades else []),
            asked.measure,
            *([tau_in_words(figures, series, asked, called)] if of_grades else []),
            f"depth {asked.depth}",
            *([f"label rank {asked.label_rank}"] if of_grades and not judged else []),
            *([f"against {reference_in_words(asked.reference, called)}"] if asked.reference else []),
            *([f"without {enumerated(snapshot.left_out_in_words)}"] if snapshot.left_out else []),
        ]
    )


def tau_in_words(figures: Figures, series: Sequence[str], asked: Asked, called: Mapping[str, str] | None = None) -> str:
    """Tau, if a series has that one, and that of each with another one; of judgments, from where up they count.

    Parameters
    ----------
    called : other names of series
    """
    if by_judgments(figures.snapshot, series):
        cuts = [reachable_cut(figures.snapshot, name.removeprefix(JUDGED), asked.relevant_from) for name in series]
        return f"judged relevant from {' or '.join(map(str, sorted(set(cuts))))}"
    tau = asked.tau or 0
    own_taus = {reachable_tau(figures.snapshot, name, asked.of(name).tau or 0) for name in series}
    if len(own_taus) == 1 and all(name in dict(asked.own_taus) for name in series):
        return f"tau = {own_taus.pop()}"
    others = []
    for name in series:
        wanted = asked.of(name).tau or 0
        own = reachable_tau(figures.snapshot, name, wanted)
        if own != tau:
            ends = ", where its scale ends" if own < wanted else ""
            others.append(f"{(called or {}).get(name, name)}: {own}{ends}")
    shared = f"tau = {tau}" if len(others) < max(1, len(series)) else "tau"
    return shared + (f" ({'; '.join(others)})" if others else "")
