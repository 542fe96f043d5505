"""Columns of agreement with human judgments: at every threshold, and query by query."""

from __future__ import annotations

from dataclasses import replace

from exam_core.analysis.shared_columns import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    KAPPA,
    QUERY,
    TRUE_NEGATIVES,
    TRUE_POSITIVES,
)
from exam_core.numbers.kappa_intervals import FEWEST_OF_CLASS
from exam_core.results import ResultTable, decimal, number

CELLS = ("tp", "fp", "fn", "tn")
RETRIEVAL = ("precision", "recall", "f1")
SHARED = ("observed_agreement", "gwet_ac1", "pabak")
OF_KAPPA = (
    "95% interval: Fieller's over the queries, with Student's t, and never narrower than a score interval over the "
    f"passages. No interval if the rarer class has fewer than {FEWEST_OF_CLASS} passages."
)
_COUNTS = [replace(column, form="") for column in (TRUE_POSITIVES, FALSE_POSITIVES, FALSE_NEGATIVES, TRUE_NEGATIVES)]
_PASSAGES = number("n", "Passages", "Passages that have both a readable label and a human judgment.", "passages")
_KAPPA = replace(
    KAPPA,
    help="Cohen's kappa of the 2 x 2 table: (p_o - p_e) / (1 - p_e), observed and chance agreement (Cohen 1960; "
    f"EXAM, section 4.1). {OF_KAPPA}",
    source="Fieller 1954; Wilson 1927",
)
AGREEING = (
    decimal(
        "observed_agreement",
        "Raw agreement",
        "(tp + tn) / n: the share of the passages that grader and judge put in the same of the two classes.",
        "share of passages",
    ),
    decimal(
        "gwet_ac1",
        "Gwet's AC1",
        "(p_o - p_e) / (1 - p_e) with p_e = 2 s (1 - s), where s is the share of relevant passages, the mean of grader "
        "and judge. Where few are relevant, kappa is low however often both agree; AC1 is not.",
        source="Gwet 2008",
    ),
    decimal(
        "pabak",
        "PABAK",
        "2 p_o - 1: the kappa of the same agreement if grader and judges each found half of the passages relevant.",
        source="Byrt, Bishop & Carlin 1993",
    ),
)
_RETRIEVAL = (
    decimal(
        "precision",
        "Precision",
        "tp / (tp + fp): of the passages with a label of at least tau, the share that is judged relevant.",
        "share of passages",
    ),
    decimal(
        "recall",
        "Recall",
        "tp / (tp + fn): of the passages that are judged relevant, the share with a label of at least tau.",
        "share of passages",
    ),
    decimal(
        "f1",
        "F1",
        "2 tp / (2 tp + fp + fn): the harmonic mean of precision and recall.",
        source="van Rijsbergen 1979, chapter 7",
    ),
)
_SHRUNK = (
    decimal(
        "kappa_shrunk",
        "Kappa, shrunk",
        "Kappa shrunk towards the mean of the queries by empirical Bayes, with kappa's variance over the query's "
        "passages (Fleiss, Cohen & Everitt 1969).",
        source="Morris 1983",
    ),
    decimal("kappa_shrunk_low", "95% from", "Lower end of the 95% interval of the shrunk kappa.", source="Morris 1983"),
    decimal("kappa_shrunk_high", "to", "Upper end of that interval."),
)
_OF_RUNS = (
    decimal(
        "kendall",
        "Kendall",
        "Kendall's tau-b over the runs: the query's values of the measure beside those of the judgments (scipy).",
        source="Kendall 1945",
    ),
    decimal("spearman", "Spearman", "Spearman's rank correlation of the same values (scipy)."),
    decimal(
        "kendall_shrunk",
        "Kendall, shrunk",
        "Kendall's tau shrunk towards the mean of the queries on Fisher's scale, with variance 0.437 / (n - 4) over "
        "n runs (Fieller et al. 1957). Near-duplicate runs make intervals too narrow.",
        source="Morris 1983",
    ),
    decimal("kendall_shrunk_low", "95% from (Kendall)", "Lower end of the 95% interval of the shrunk Kendall."),
    decimal("kendall_shrunk_high", "to (Kendall)", "Upper end of that interval."),
)
PER_QUERY = ResultTable(
    "agreement: per query",
    "Each query's agreement at the chosen thresholds, lowest shrunk kappa first; undefined values are NaN",
    QUERY,
    _PASSAGES,
    *_COUNTS,
    _KAPPA,
    *_RETRIEVAL,
    *_SHRUNK,
    *_OF_RUNS,
)
_CUT = (
    number("tau", "tau", "Smallest label that counts as relevant.", "grade"),
    number("relevant_from", "relevant_from", "Smallest human relevance that counts as relevant.", "relevance"),
    number(
        "label_rank",
        "label_rank",
        "Rank of the grade that is the passage's label; 1 is the best. Printed labels have none.",
        "rank",
    ),
)
_BOUNDS = (
    decimal("kappa_low", "kappa_low", "Lower end of the 95% interval of kappa."),
    decimal("kappa_high", "kappa_high", "Upper end of the 95% interval of kappa."),
)
GRID = ResultTable(
    "agreement: grid",
    "Agreement at every tau and judgment threshold; undefined values are NaN",
    *_CUT,
    *(replace(column, label=column.name, help=f"Passages: {column.label}.") for column in _COUNTS),
    *(replace(column, label=column.name) for column in (_KAPPA, *_BOUNDS, *_RETRIEVAL, _PASSAGES)),
)
