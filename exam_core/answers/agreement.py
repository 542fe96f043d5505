"""Labels against human judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from exam_core import request as fields
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import request_of
from exam_core.declared import Field
from exam_core.defaults import LABEL_RANKS
from exam_core.errors import UsageError
from exam_core.tables import OFFICIAL

if TYPE_CHECKING:
    import pandas as pd

    from exam_core.charts.enlarging import Figure


@dataclass(frozen=True, kw_only=True)
class AgreementOptions:
    """Whose labels are compared with which judgments, and what is listed."""

    bank: fields.Bank = None
    grader: fields.Grader = None
    tau: fields.Tau = None
    relevant_from: fields.RelevantFrom = fields.RELEVANT_FROM
    label_rank: fields.LabelRank = 1
    label_map: fields.LabelMap = None
    judgments: fields.AgainstJudgments = OFFICIAL
    per_query: Annotated[bool, Field("Also list each query's counts and kappa, lowest kappa first.")] = False
    grid: Annotated[
        bool, Field(f"Every tau and judgment threshold, at label ranks {', '.join(map(str, LABEL_RANKS))}.")
    ] = False


@analysis("agreement", tables="the confusion, the graded matrix, and each query's counts and kappa")
def answer(subject: Subject, options: AgreementOptions) -> Answer:
    """Predicted labels against human judgments: confusion, kappa with interval, precision, recall and F1.

    Kappa is of the two classes that --tau and --relevant-from make. Kappa over all classes and the weighted kappas are
    of the graded matrix. With --label-map, --tau and all kappas are of mapped labels.

    Example: examboard agreement demo --bank open --tau 3 --relevant-from 1
    """
    from exam_core.analysis import agreement_matrices
    from exam_core.analysis.agreement import GRID, PER_QUERY
    from exam_core.analysis.agreement_matrices import ROW, agreement_lines, agreement_rows, per_query_rows
    from exam_core.analysis.figures import figures_of
    from exam_core.reports.json_objects import agreement_answer, grid_answer
    from exam_core.table_text import as_text

    if options.grid and options.per_query:
        raise UsageError("--grid and --per-query: choose one of them.")
    contents, wanted = figures_of(subject.snapshot, options.grader), request_of(options).but(judgments=None)
    collection = subject.snapshot.collection
    if options.grid:
        asked_for = wanted.but(tau=None, label_rank=1, relevant_from=fields.RELEVANT_FROM)
        cuts = contents.agreement_grid(asked_for, options.judgments)
        record = grid_answer(cuts, collection=collection)
        title = f"{collection} agreement at every tau and threshold"
        return Answer(title, described(cuts.rows, GRID), cuts.notes, text=record)
    result = contents.agreement(wanted, options.judgments)
    cells = (
        agreement_matrices.graded_cells(result)
        if agreement_matrices.is_graded(result)
        else agreement_matrices.binary_cells(result)
    )
    tables = {
        "confusion": agreement_rows(result, "table"),
        "graded": described(cells, agreement_matrices.MATRIX),
        "per query": described(per_query_rows(result), PER_QUERY),
    }

    whose = f" of {result.grader}" if result.grader else ""
    cut = f"tau {result.tau}, relevant from {result.relevant_from}"
    lines = agreement_lines(result)
    return Answer(
        f"{collection} agreement{whose} with {options.judgments} at {cut}",
        described(agreement_rows(result, "csv", per_query=options.per_query), PER_QUERY if options.per_query else ROW),
        lines,
        tables=tables,
        text=agreement_answer(result, per_query=options.per_query, collection=collection),
        draw=lambda: _figure(cells, result.tau, result.relevant_from),
        short=tables["confusion"],
        paper=agreement_rows(result, "latex", per_query=options.per_query),
        footer=[*([as_text(tables["per query"], "table"), ""] if options.per_query else []), *lines],
    )


def _figure(cells: pd.DataFrame, tau: float, relevant_from: int) -> Figure:
    """The matrix of labels by judgments, with its cuts."""
    from exam_core.analysis.agreement_matrices import counts_figure
    from exam_core.charts.chart_layout import with_description

    def reaching(names: pd.Series, cut: float) -> int:
        """How many of a matrix's labels, the largest first, reach a cut; of a 2 x 2 table, the first."""
        distinct = [str(name) for name in names.drop_duplicates()]
        numbers = [name for name in distinct if name.lstrip("-").isdecimal()]
        return sum(int(name) >= cut for name in numbers) if numbers else 1

    counts = ". ".join(f"{row.name}: {row.n:,}" for row in cells.itertuples(index=False))
    cuts = reaching(cells["label"], tau), reaching(cells["relevance"], relevant_from)
    return with_description(counts_figure(cells, cuts=cuts), f"Passages by label and human judgment. {counts}.")
