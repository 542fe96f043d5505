"""Help texts and sentences of the pages."""

from exam_core.analysis import columns
from exam_core.analysis.figures.protocol import Basis

MODES, TAU, SCORES, REFERENCE = columns.MODES, columns.TAU_MEANING, columns.RENORMALISED, columns.REFERENCE
"""What columns and controls are called alike mean the same."""

WELCOME = (
    "Which exam questions do a system's passages answer? Choose a collection, a question bank, a grading mode and a "
    "grade cutoff, and see the leaderboard, its agreement with the official one, and its uncertainty."
)
NO_SERIES = "Choose at least one series in the bar on the left."
COLLECTION = "A test collection: queries, passages, runs, grades and judgments."
BANK = "The exam questions that the passages were graded on."
MODE = "This page is about one series at a time."
PRINTED = "Columns of the papers' tables. Printed figures have no standard errors and no queries behind them."
DEPTH = "Passages of each ranking that are read, and the k of the measure."
LABEL_RANK = (
    "A passage's label is its N-th best grade over the questions: 1 is the papers' equation (best grade), "
    "2 asks that two questions reach tau."
)
RELEVANT_FROM = "Smallest human relevance that counts as relevant, for the kappa table."
ROW = "A click anywhere in a row of the table chooses it."
POINT = "A click on the chart chooses, too."
WITHOUT = (
    "Every board, correlation and re-normalised score is about the runs that remain. Leave out, for instance, a run "
    "that falls far behind, so that the others use the whole axis."
)
ORDER = "Runs from left to right: as the reference ranks them, or as the first series does."
PRESENT = (
    "Large type and nothing but the page. Left and right arrow keys turn the pages, Escape leaves. The address has "
    "present=1 then."
)
PICTURE = "Each chart has a camera that saves it; this says as what."
PERMALINK = (
    "Opens this page with these choices, the bank in this version; the data must be in the store of whoever opens it, "
    "and the page says so where they have changed."
)
CITATION = "What was computed from what: put it below a figure or into a lab book."
FIGURES = {"svg": "SVG", "pdf": "PDF", "tex": "TikZ"}
METHODS = (
    "Every choice and version in words, for a paper. The same for LaTeX, with the papers cited by key, and these as "
    "BibTeX; fields that are not known for certain are left out."
)
NEWER_LINK = (
    "This link was made by a newer version of Examboard: check that the choices on the left are what you expect."
)
OTHER_DATA = (
    "The collection has changed since this link was made: figures may differ. Its bank is still the version that the "
    "link names."
)
MEAN = "Mean over all queries; a query for which the run returned nothing counts 0."
EMPTY_STORE = (
    "The store is empty. Build the embedded collections, which need no network and no model, and reload this page:"
)
DEMO_COMMAND = "python -m exam_core demo"

SERIES: dict[Basis, str] = {"grades": "Grading mode", "print": "Printed column"}
"""What is set side by side, in the singular."""
