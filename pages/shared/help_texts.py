"""Help texts and sentences of the pages."""

from typing import NamedTuple

from exam_core.analysis import shared_columns as columns
from exam_core.analysis.choice import TAUS
from exam_core.declared import about
from exam_core.request import Bank, Depth, GroupsRule, LabelRank, OwnDocumentRule, RelevantFrom, Tau

MODES, TAU, SCORES, REFERENCE = columns.MODES, columns.TAU_MEANING, columns.RENORMALISED, columns.REFERENCE
"""What columns and controls are called alike mean the same."""

HOME = "Examboard: evaluation by exam questions"
WELCOME = (
    "Examboard ranks retrieval systems by the exam questions that their passages answer. A language model grades, "
    "usually from 0 to 5, how well a passage answers a question. Files of runs, judgments, questions, passages and "
    "grades can be added."
)
GRADERS, JUDGMENTS, PUBLISHED = "Grading modes", "Human judgments", "Published results"
JUDGED = "Judgments that rank the runs; nothing is graded here yet."
NO_SERIES = "Choose at least one {} in the bar on the left."
COLLECTION = "A test collection: queries, passages, runs, grades and judgments."
MODE = "This part shows one of the chosen grading modes at a time."
PRINTED = "Columns of the papers' tables, as printed: without standard errors, and without values by query."
DEPTH, LABEL_RANK, RELEVANT_FROM, BANK = (about(one) for one in (Depth, LabelRank, RelevantFrom, Bank))
OWN_DOCUMENT, GROUPS = about(OwnDocumentRule), about(GroupsRule)
"""Options as the command line has them, with the names and explanations of their boxes."""
ROW = "A click anywhere in a row of the table chooses it."
POINT = "A click on the chart chooses it, too."
WITHOUT = (
    "Removes runs from every leaderboard, correlation and re-normalised score. Leave out, for instance, a run far "
    "below the others, which then use the whole axis."
)
FILTER = (
    "Shows runs whose name contains one of these words; -prf hides runs, idst* matches the beginning of a name. "
    "Hidden runs still count in correlations; *Leave out* removes them there, too."
)
ORDER = "Runs from left to right: as the reference ranks them, or by the first grading mode or column (first series)."
RESET = "Resets the bar to its defaults; the collection stays."
MORE_MEASURES = "More measures are in the list; docs/reference/measures.md explains all of them."
OF_THE_PAGE = "A table of this page is saved by Export below it, a chart by the camera above it."
PICTURE = "Format in which the camera of each chart saves it."
PERMALINK = (
    "Opens this page with these choices and this version of the bank. The reader's store must hold the data; the page "
    "says whether they have changed."
)
CITATION = "Source of the figures: for a caption or a lab book."
METHODS = (
    "Methods paragraph with every choice and version: as text, as LaTeX that cites papers by key, and the papers as "
    "BibTeX. Uncertain fields are left out."
)
NEWER_LINK = (
    "This link was made by a newer version of Examboard: check that the choices on the left are what you expect."
)
OTHER_DATA = (
    "The collection has changed since this link was made: figures may differ. Its bank is still the version that the "
    "link names."
)
MEAN = "Mean over all queries; a query for which the run returned nothing counts 0."
EMPTY_STORE = "The store is empty. Build the demo, which needs no network and no model, or add files of your own."
DEMO_COMMAND = "examboard demo"


def single_file(action: str) -> str:
    """What a page says in place of a form if the store is a single file."""
    return f"This store is a single file and can only be read. To {action}, open a store that is a folder."


def tau_label(end: int = TAUS[-1]) -> str:
    """The label of a slider of tau, for grades from 0 to `end`."""
    return f"{about(Tau).label}: lowest grade (0-{end}) that counts"


def of_group(*boxes: tuple[str, str]) -> str:
    """The help of boxes that stand together, beside the first of them: label and text of each."""
    return "\n\n".join(f"**{label}**: {text}" for label, text in boxes)


class OfFigures(NamedTuple):
    """What figures are called: what is set side by side, and why no kappa is on Leaderboard and Home."""

    series: str
    no_agreement: str
    no_kappa: str


COMPUTED = OfFigures(
    "Grading mode",
    "There are no human judgments. Add some on the page Collections.",
    "there are no human judgments of the graded passages",
)
IN_PRINT = OfFigures(
    "Published result",
    "No agreement table is printed for this tau and threshold.",
    "no agreement table is printed for these taus and thresholds",
)
