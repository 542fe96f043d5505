"""Columns that several result tables have: one name, heading and meaning each."""

from exam_core.results import count, decimal, flag, number, rank, signed, text

MODES = (
    "A grading mode (grader) is a prompt, a model and its options; each has a line in the chart. "
    "Modes that label whole passages have no questions, so Cover is not defined for them."
)
TAU_MEANING = "Smallest grade that counts as answered (0 to 5). A mode whose scale ends below it uses that end."
RENORMALISED = (
    "Re-normalised: (score - min) / (max - min) over all runs of the leaderboard but those left out in the bar; error "
    "bars are divided by the same range (EXAM++, figure 2)."
)
REFERENCE = (
    "Leaderboard to compare with; its ranks order the chart. It may be a measure over the human judgments or over "
    "another mode's grades, computed here for the same runs."
)

RUN = text("run_id", "Run", pinned=True)
QUERY = text("query_id", "Query", pinned=True)
QUERY_TEXT = text("query_text", "Text", width="large")
QUESTION_TEXT = text("question_text", "Question", width="large")
QUESTION = text("question_id", "Question ID")
PASSAGE = text("doc_id", "Passage")
PASSAGE_TEXT = text("text", "Text", width="large")
MODE = text("grader", "Grading mode", MODES)
SERIES = text("series", "Grading mode", "Prompt, model and options; for printed figures, the printed column.")
TAU = number("tau", "tau", TAU_MEANING)
RUNS = number("n", "Runs", unit="runs")

MEAN = decimal("mean", "Score", "Mean over all queries; a query for which the run returned nothing counts 0.", "score")
STDERR = decimal(
    "stderr",
    "± SE",
    "Standard error: sample standard deviation over the queries, divided by the square root of their number.",
    "score",
)
NORMALISED = decimal("normalised", "Re-normalised", RENORMALISED, "share of the range")
NORMALISED_STDERR = decimal("normalised_stderr", "± re-normalised", RENORMALISED, "share of the range")
RANK = rank(
    "rank",
    "Rank",
    "From 1; 2= is tied 2nd. Statistics and files take the mean of shared places. Ties are taken on scores rounded to "
    "1e-9.",
    "rank",
)
MOVED, MOVED_SCORE = "Δ rank", "Δ score"
"""Headings of how far a reference has a run elsewhere: places, and re-normalised scores."""
REFERENCE_RANK = rank("reference_rank", "Reference rank", unit="rank")
DIFFERENCE = signed("difference", "Difference", unit="score")

SPEARMAN = decimal(
    "spearman", "Spearman", "Spearman's rank correlation with the reference, over the runs that both rank (scipy)."
)
KENDALL = decimal(
    "kendall",
    "Kendall",
    "Kendall's rank correlation (its variant b, for ties) with the reference, over the runs that both rank (scipy).",
)
KAPPA = decimal("kappa", "Cohen's kappa", "(Observed agreement - agreement by chance) / (1 - agreement by chance).")
TRUE_POSITIVES = count("tp", "both relevant", unit="passages")
FALSE_POSITIVES = count("fp", "only predicted", unit="passages")
FALSE_NEGATIVES = count("fn", "only judged", unit="passages")
TRUE_NEGATIVES = count("tn", "neither", unit="passages")
DISPLACED = "Holm p below 0.05, and at least one place that does not come of ties alone"
"""When a run is significantly displaced."""
FLAGGED = flag("flagged", "Flagged", f"Significantly displaced: {DISPLACED}.")
BANK = text("bank", "Question bank")
MEASURE = text("measure", "Measure")
COMPARED_RUNS = number("n", "Runs", "Runs that the reference ranks, too; correlations are over these.", "runs")
