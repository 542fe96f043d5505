"""Help texts and sentences of the pages."""

from exam_core.analysis import columns
from exam_core.analysis.figures.protocol import Basis

MODES, TAU, SCORES, REFERENCE = columns.MODES, columns.TAU_MEANING, columns.RENORMALISED, columns.REFERENCE
"""What columns and controls are called alike mean the same."""

HOME = "Examboard: evaluation by exam questions"
WELCOME = "Examboard ranks retrieval systems by the exam questions their passages answer."
GRADERS, JUDGMENTS = "Grading modes", "Human judgments"
JUDGED = "Whose judgments rank the runs: nothing is graded here yet."
NO_SERIES = "Choose at least one {} in the bar on the left."
COLLECTION = "A test collection: queries, passages, runs, grades and judgments."
BANK = "The exam questions that the passages were graded on."
MODE = "Of those that are chosen on the left, this part shows one at a time."
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
FILTER = (
    "Words of runs' names, with blanks between: runs are shown whose name has one of them. A minus in front hides such "
    "runs instead, and a star at the end means that the name begins so: idst* -prf. Hidden runs still count in ranks, "
    "correlations and re-normalised scores; *Leave out* takes them out of these, too."
)
ORDER = "Runs from left to right: as the reference ranks them, or by the first grading mode or column (first series)."
RESET = "Sets all of this bar but the collection back to what it begins with."
MORE_MEASURES = "The list has more: docs/measures.md says what each one means and where it comes from."
PRESENT = (
    "One chart a screen. Page Down and Space turn the slides, up and down move tau, ? shows all keys, Escape "
    "leaves. The address has present=1 then."
)
STORY = (
    "Pinned views in order, also of several collections. Everybody who uses this store sees them; a name is letters, "
    "digits, - and _."
)
PIN = "The page with all that is chosen now. Left empty, the title is the page's."
PICTURE = "Each chart has a camera that saves it; this says as what."
BOARD_FORM = (
    "With its values by topic (run, measure, topic, value; or as trec_eval writes it), or as a table. Import reads all."
)
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
