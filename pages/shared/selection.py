"""What the control bar says, as a plain value."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from exam_core.analysis.choice import TAUS, Evaluation
from exam_core.analysis.choosing import by_judgments
from exam_core.analysis.figures import Figures, figures_of
from exam_core.analysis.grade_scales import reachable_tau
from exam_core.analysis.groups import has_groups
from exam_core.analysis.printed_figures import Printed
from exam_core.charts.chart_layout import View
from exam_core.errors import UsageError
from exam_core.hiding import shown_rows
from exam_core.measures import Measure
from exam_core.names import listed
from exam_core.reports.board_lines import choice_in_words, tau_in_words
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import bank_version, names_of
from pages.shared import help_texts

SCORES: tuple[View, ...] = ("re-normalised", "raw", "ranks")
FEW = 3
"""Series up to which the names of files have theirs."""
ORDERS = ("reference", "first series")
OWN_DOCUMENTS = ("yes", "no")


@dataclass(frozen=True)
class Selection:
    """A choice of data and of what to show of it.

    Attributes
    ----------
    snapshot : the collection without the runs that are left out
    about : the collection's counts and names
    series : grading modes; printed columns where the collection holds printed figures only; the measure where it
        looks at no grades
    request : what is evaluated; without a grader
    view : what charts of boards show of the runs: scores re-normalised or as they are, or ranks with their intervals
    own_order : order the runs by the first series, not by the reference
    uses : what of the bar the page uses, by names of `controls.KEYS`
    hidden : runs that charts and tables don't show; ranks, correlations and re-normalisation keep them
    """

    snapshot: Snapshot
    about: dict[str, Any] = field(compare=False)
    series: tuple[str, ...]
    request: Request
    view: View
    own_order: bool
    uses: Collection[str] = field(default=(), compare=False)
    hidden: tuple[str, ...] = ()

    @property
    def raw(self) -> bool:
        """Whether scores are shown as they are, not re-normalised."""
        return self.view == "raw"

    @property
    def figures(self) -> Figures:
        """What can be asked of the collection."""
        return figures_of(self.snapshot)

    @property
    def in_print(self) -> Printed | None:
        """The printed figures; None where figures are computed."""
        return self.figures.in_print

    @property
    def words(self) -> help_texts.OfFigures:
        """What its figures are called."""
        return help_texts.IN_PRINT if self.in_print else help_texts.COMPUTED

    @property
    def of_grades(self) -> bool:
        """Whether the measure looks at grades, so that modes, tau and label rank mean something."""
        return not self.request.measure or Measure.parse(self.request.measure).info.of_grades

    @property
    def has_taus(self) -> bool:
        """Whether a tau can be chosen: grades are behind the figures, and the measure looks at them."""
        return self.figures.of_grades(self.request) and not self.by_judgments

    @property
    def by_judgments(self) -> bool:
        """Whether human judgments stand in the place of grading modes, since there are none."""
        return by_judgments(self.snapshot, self.series)

    @property
    def bank_name(self) -> str | None:
        """The bank without the version that a link may have named."""
        return BankRef.parse(self.request.bank).name if self.request.bank else None

    @property
    def bank_with_version(self) -> str:
        """The bank as it stays the same when another version is imported."""
        ref = BankRef.parse(self.request.bank or "")
        return str(ref if ref.version else BankRef(ref.name, bank_version(self.snapshot, ref.name)))

    @property
    def measure_heading(self) -> str:
        """The measure as titles and columns name it."""
        return Measure.parse(self.request.measure).heading(self.request.depth) if self.request.measure else ""

    @property
    def measure_meaning(self) -> str:
        """What the measure is, as a sentence; empty where figures are printed, each by a measure of its own."""
        if self.in_print or not self.request.measure:
            return ""
        meaning = Measure.parse(self.request.measure).info.meaning.replace("first k ", f"first {self.request.depth} ")
        return f"{self.measure_heading}: {meaning}."

    @property
    def without_in_words(self) -> list[str]:
        """What is left out, in words; empty where none is."""
        left_out = self.snapshot.left_out_in_words
        return [f"without {listed(left_out)}"] if left_out else []

    def restricted(self, snapshot: Snapshot) -> Snapshot:
        """Another snapshot without the queries' own documents, if the bar leaves them out."""
        return snapshot if self.snapshot.own_documents else snapshot.without_own_documents()

    @property
    def hidden_in_words(self) -> str:
        """How many runs are hidden; empty where none is."""
        if not self.hidden:
            return ""
        n = len(self.about["systems"]) - len(self.snapshot.left_out)
        return (
            f"{len(self.hidden)} of {n} runs are hidden by the filter: charts and tables leave them out, while ranks, "
            "correlations and re-normalised scores are of all runs."
        )

    def shown(self, rows: Any, *columns: str) -> Any:
        """The rows of a table that name no hidden run in these columns, by default in `run_id`."""
        return shown_rows(rows, self.hidden, *columns)

    @property
    def tau(self) -> float:
        """The bar's tau, which is always set."""
        return self.request.tau or TAUS[-2]

    @property
    def tau_in_words(self) -> str:
        """The bar's tau, and that of each chosen grading mode whose labels end below it; of judgments their cut."""
        return tau_in_words(self.figures, self.series, self.request.but(tau=self.tau), names_of(self.snapshot))

    def computed(self, series: str) -> Evaluation | None:
        """The evaluation of a series; None where it is printed. Raises UsageError where it can't be evaluated so."""
        return _of(self.figures, self.request.of(series))

    def of(self, mode: str, **changes: Any) -> Evaluation:
        """The evaluation of a grading mode, with changes to the bar's request; UsageError where it can't be so."""
        return self.exactly(self.request.of(mode).but(**changes))

    def exactly(self, request: Request) -> Evaluation:
        """The evaluation of a request of one grading mode; errors as `of`."""
        evaluation = _of(self.figures, request)
        if evaluation is None:
            raise UsageError(f"{self.snapshot.collection} has printed figures only: nothing can be computed.")
        return evaluation

    @property
    def file_stem(self) -> str:
        """What names of files begin with that are about all that is chosen."""
        return self.stem_of(*self.series if self.of_grades else ())

    def stem_of(self, *series: str) -> str:
        """The same of some series: collection, measure, tau and series, of letters, digits, - and _ alone."""
        parts = [self.snapshot.collection, self.request.measure]
        if self.has_taus:
            request = self.request.but(tau=self.tau)
            taus = {reachable_tau(self.snapshot, name, request.of(name).tau or 0) for name in series}
            parts.append(f"tau{'-'.join(map(str, sorted(taus)))}")
        if len(series) <= FEW:
            parts += [names_of(self.snapshot).get(text, text) for text in series]
        return "-".join(filter(None, (re.sub(r"[^\w]+", "-", part).strip("-") for part in parts)))

    def in_words(self) -> str:
        """The choice in one line, to be cited; the link beside it has the ids of graders."""
        request = self.request.but(bank=self.bank_with_version) if self.request.bank else self.request
        return choice_in_words(self.figures, self.series, request.but(tau=self.tau), names_of(self.snapshot))

    def parameters(self) -> dict[str, list[str]]:
        """The choice as the parameters of an address, each with its values; see `controls`."""
        if self.in_print:
            own = {"columns": list(self.series)}
        else:
            own = {
                "bank": [self.bank_with_version] if self.request.bank else [],
                "modes": list(self.series) if self.of_grades else [],
                "measure": [Measure.parse(self.request.measure).name],
                "depth": [str(self.request.depth)],
                "label_rank": [str(self.request.label_rank)],
                **{f"tau_{mode}": [str(tau)] for mode, tau in self.request.own_taus},
            }
        return own | {
            "collection": [self.snapshot.collection],
            "tau": [str(self.tau)],
            "relevant_from": [str(self.request.relevant_from)],
            "reference": [self.request.reference] if self.request.reference else [],
            "without": list(self.snapshot.left_out),
            "own_document": [OWN_DOCUMENTS[not self.snapshot.own_documents]],
            "scores": [self.view],
            "order": [ORDERS[self.own_order]],
            "groups": [self.request.groups] if has_groups(self.snapshot) else [],
        }


@cached_by_snapshot(512)
def _of(figures: Figures, request: Request) -> Evaluation | None:
    """Kept, because completing what is asked for asks the store which banks there are."""
    return figures.of(request)
