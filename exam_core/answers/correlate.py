"""Coefficients of leaderboards and their reference."""

from __future__ import annotations

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import figures, several
from exam_core.request import RankingAsked


@analysis("correlate")
def answer(subject: Subject, options: RankingAsked) -> Answer:
    """Correlation with a reference: Spearman, Kendall, tau-AP, RBO, R2, RMSE, with 95% intervals over queries.

    tau_ap is tauAP_a (no ties in the reference), tau_ap_b is tauAP_b (Urbano & Marrero 2017).
    Of a published collection every printed column is correlated. A reference is a stored leaderboard,
    a measure over human judgments (qrels:nDCG@10), or over other grades (grades:Cover@20:tau=3).

    Example: examboard correlate demo --bank open --measure P@20 --tau 3 --reference qrels:AP
    """
    import pandas as pd

    from exam_core.analysis.comparison import BESIDE, CORRELATED, IN_PAPERS, coefficients_figure, notes_of
    from exam_core.reports.json_objects import correlation_answer

    result = figures(subject, options).correlations(*several(subject, options))
    records = correlation_answer(result)
    rows = described(CORRELATED.of(pd.DataFrame(records, columns=CORRELATED.names)), CORRELATED)
    tau_ap = "tau_ap" if rows["tau_ap"].notna().any() else "tau_ap_b"
    against = " and ".join(dict.fromkeys(correlation.reference for correlation in result)) or "nothing"
    return Answer(
        f"{subject.snapshot.collection} against {against}",
        rows,
        notes_of(result),
        text=records,
        short=rows[list(BESIDE)],
        paper=rows[[*IN_PAPERS, tau_ap, "rbo", "n"]],
        draw=lambda: coefficients_figure(rows),
    )
