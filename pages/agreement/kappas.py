"""What the page Agreement is made of: the papers' cuts, the coefficients, the matrices and their passages."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import streamlit as st

from exam_core.actions.exporting import labels_text
from exam_core.analysis import agreement, agreement_matrices
from exam_core.analysis.agreement import Agreement
from exam_core.analysis.agreement_matrices import Cut
from exam_core.analysis.caveats import unreadable_first
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.passage_evidence import FINDS
from exam_core.analysis.printed_figures import Printed
from exam_core.defaults import LABEL_RANKS
from exam_core.request import Request
from exam_core.store.evidence import PassageSearch
from exam_core.wording import QUESTIONS, counted
from pages.shared import (
    boxes,
    charting,
    data,
    help_texts,
    naming,
    passage_texts,
    picking,
    scrolling,
    share_and_export,
    show,
    wings,
)
from pages.shared.selection import Selection
from pages.shared.show import static

CELL, PAGE = "agreement_cell", "agreement_page"
GRADED, BINARY = "agreement_graded", "agreement_binary"
MAP = "label_map"
LABEL_MAP = (
    "5=3,4=1 reads grade 5 as label 3, grade 4 as label 1 and all other grades as 0. Tables, kappas and tau then use "
    "these labels."
)
OF_MATRIX = ("multiclass_kappa", "linear_kappa", "quadratic_kappa", "krippendorff_alpha")
PICK = "Click a cell above, or choose it here. The passages in it are listed below."
GRID = "Kappa at every tau and every judgment threshold. Framed: those that the page shows."
BY_QUERY = "Lowest kappa first. A query has few passages, so that its own kappa is mostly noise."
CUT, AS_IN_BAR = "agreement_cut", "as in the bar"
CUTS = "Thresholds for relevance on this page: as in the bar on the left, or as in a table of the papers."


def measured(selection: Selection, cut: Cut | None, label_map: str | None) -> tuple[Agreement, Evaluation]:
    """Agreement of one grading mode, at a cut of the papers or at that of the bar."""
    choice = passage_texts.graded(selection, label_map=label_map, **_instead(cut))
    return _agreement(selection, choice, cut), choice


def _instead(cut: Cut | None) -> dict[str, Any]:
    """What of the bar a cut of the papers takes the place of."""
    return {"tau": cut.tau, "label_rank": cut.label_rank} if cut else {}


def _agreement(selection: Selection, choice: Evaluation, cut: Cut | None) -> Agreement:
    at: dict[str, Any] = {
        "tau": choice.tau,
        "relevant_from": cut.relevant_from if cut else selection.request.relevant_from,
    }
    return data.ask(agreement.agreement, selection.snapshot, choice.labelling, **at)


def _cut(selection: Selection, cuts: list[Cut]) -> Cut | None:
    """The cut of the papers that is chosen; None is that of the bar, which comes back when the bar's changes."""
    named = {cut.name: cut for cut in cuts}
    if st.session_state.get(CUT, AS_IN_BAR) not in (AS_IN_BAR, *named):
        del st.session_state[CUT]  # another collection's
    request = selection.request
    picking.follow(CUT, AS_IN_BAR, value=(selection.tau, request.own_taus, request.label_rank, request.relevant_from))
    return named.get(boxes.one_of("Thresholds", [AS_IN_BAR, *named], key=CUT, help=CUTS))


def as_graded(selection: Selection) -> None:
    """Agreement of a grading mode's labels with the judgments, and the passages behind each number."""
    if not selection.series:
        return
    first, matrices_at, cell_at = st.container(), st.container(), st.container()
    is_mapped = bool(st.session_state.get(MAP) or st.query_params.get(MAP))
    with boxes.options("Label map", icon=":material/swap_vert:", key="label_map_box", opened=is_mapped):
        typed = boxes.text("Other labels for grades", key=MAP, help=LABEL_MAP, placeholder="5=3,4=1")
    label_map = typed or None
    with first:
        left, right = st.columns([2, 3])
        with right:
            cut = _cut(selection, list(agreement_matrices.CUTS))
        with left:
            result, choice = measured(selection, cut, label_map)
        unreadable, notes = unreadable_first(result.notes)
        for note in unreadable:
            show.text(naming.sentence(note))
        kappas = _kappas(selection, cut, label_map)
        kappa(result, cut, naming.name(str(choice.grading.series)), kappas)
    with matrices_at:
        both_matrices(result)
    with cell_at:
        cell(result, choice, selection, same=not (cut or label_map))
    if choice.labelling.label_map:
        labels = partial(labels_text, selection.snapshot, choice.labelling)
        share_and_export.save("Save mapped labels as qrels", labels, "mapped.qrels", "text/plain")
    drawn = {
        "All coefficients": partial(coefficients, result),
        "Kappa at every tau and threshold": partial(all_cuts, result, choice, selection),
        "Query by query": partial(by_query, result),
        "Counts as tables": partial(counts, result),
    }
    show.notes([*notes, *result.scale_notes], expanded=math.isnan(result.kappa))
    show.tabs(wings.with_tabs("Agreement", drawn, selection), key="agreement_tab")


def _kappas(selection: Selection, cut: Cut | None, label_map: str | None) -> dict[str, float]:
    """Kappa of each of several grading modes, in a table; by their names."""
    if len(selection.series) < 2:
        return {}
    agreements = {}
    for mode in selection.series:
        choice = selection.of(mode, label_map=label_map, **_instead(cut))
        agreements[mode] = _agreement(selection, choice, cut)
    frame = agreement_matrices.kappas_by_mode(agreements)
    st.html(static(naming.named(frame), agreement_matrices.BY_MODE, "Kappa of each grading mode", titled=False))
    return {naming.name(mode): item.kappa for mode, item in agreements.items()}


def as_printed(figures: Printed, selection: Selection) -> None:
    """A printed agreement table at the chosen cuts, or at the nearest that it is printed for."""
    left, right = st.columns([2, 3])
    with left:
        banks = figures.banks()
        usual = banks.index(figures.table_of(selection.series))
        called = {bank: QUESTIONS.get(bank, bank) for bank in banks}
        bank = naming.box(
            st.selectbox, "Printed table", banks, key="agreement_table", help="", called=called, index=usual
        )
    cuts = data.ask(figures.agreement_grid, Request(bank=bank))
    with right:
        cut = _cut(selection, agreement_matrices.cuts_in(cuts.rows))
    wanted = (cut.tau, cut.relevant_from) if cut else (selection.tau, selection.request.relevant_from)
    result = data.ask(figures.nearest_agreement, Request(bank=bank, tau=wanted[0], relevant_from=wanted[1]))
    tau, relevant_from = at = result.tau, result.relevant_from
    if at != wanted:
        printed = list(map(_in_words, cuts.rows["tau"], cuts.rows["relevant_from"]))
        if len(printed) > 1:
            none = f"The papers print no table for {_in_words(*wanted)}. Printed: {', '.join(printed)}."
            show.text(f"{none} Shown: {_in_words(*at)}.")
        else:
            show.text(f"The papers print this table only for tau {tau:g} and judgments of at least {relevant_from:g}.")
    kappa(result, cut, f"The grader of {called[bank]}", {})
    both_matrices(result)
    drawn = {
        "All coefficients": partial(coefficients, result),
        "Kappa at every tau and threshold": partial(_grid, cuts.rows, cuts.notes, tau=tau, relevant_from=relevant_from),
        "Counts as tables": partial(counts, result),
    }
    show.tabs(drawn, key="agreement_tab")
    show.notes(result.scale_notes, expanded=False)


def _in_words(tau: float, relevant_from: int) -> str:
    return f"tau {tau} / judged ≥ {relevant_from}"


def kappa(result: Agreement, cut: Cut | None, grader: str, kappas: dict[str, float]) -> None:
    """Kappa with its interval, and the sentence of the page's slide; `kappas` are of several modes."""
    column = agreement.PER_QUERY["kappa"]
    left, right = st.columns([1, 4], vertical_alignment="center")
    with left:
        show.headlines([show.Headline(column.label, result.kappa, show.ends(result.kappa_interval), column.explained)])
    with right:
        show.text(agreement_matrices.agreed_with_judges(result, grader, kappas))
        if cut:
            st.caption(cut.source)


def coefficients(result: Agreement) -> None:
    """Further coefficients of the same counts."""
    columns = [*agreement.AGREEING, *(agreement.PER_QUERY[text] for text in agreement.RETRIEVAL)]
    columns += [agreement_matrices.ROW[name] for name in OF_MATRIX] if agreement_matrices.is_graded(result) else []
    numbers = ((column, getattr(result, column.name)) for column in columns)
    show.headlines([show.Headline(column.label, value, None, column.explained) for column, value in numbers])


def both_matrices(result: Agreement) -> None:
    """The graded matrix and the 2 x 2 table side by side; a click on a cell chooses it."""
    of_passages = result.label_rank is not None  # the passages behind a printed table are not known
    binary = agreement_matrices.binary_cells(result)
    graded = agreement_matrices.graded_cells(result) if agreement_matrices.is_graded(result) else None
    for key, cells in ((GRADED, graded), (BINARY, binary)):
        if clicked := charting.clicked(key):
            _take_cell(clicked[0], cells)
    left, right = st.columns([3, 2], gap="medium") if graded is not None else (None, st.container())
    if left:
        with left:
            st.header("Graded")
            _matrix(graded, GRADED, of_passages, agreement_matrices.relevant_counts(result))
    with right:
        st.header("At the chosen thresholds")
        _matrix(binary, BINARY, of_passages)
    st.caption("Rows are labels, columns judgments; numbers count passages. Colour: share of the label's passages.")


def _matrix(cells: Any, key: str, of_passages: bool, cuts: tuple[int, int] | None = None) -> None:
    cell = st.session_state.get(CELL) or st.query_params.get(CELL)
    figure = agreement_matrices.counts_figure(cells, cuts=cuts, choice=cell)
    show.chart(figure, key=key, select=of_passages)


def counts(result: Agreement) -> None:
    """Both matrices as tables."""
    matrices = {GRADED: agreement_matrices.graded_cells(result)} if agreement_matrices.is_graded(result) else {}
    for key, cells in (matrices | {BINARY: agreement_matrices.binary_cells(result)}).items():
        rows, of = agreement_matrices.with_sums(cells), agreement_matrices.sums_of(cells)
        show.table(rows, of, key=f"{key}_counts", alt=agreement_matrices.counts_alternative(cells))


def _take_cell(clicked: str, cells: Any) -> None:
    """Choose the cell that was clicked, if there are passages in it; a click on the chosen one takes it back."""
    if not cells.loc[cells["name"] == clicked, "n"].sum():
        return
    again = st.session_state.get(CELL) == clicked
    st.session_state[CELL] = None if again else clicked
    _from_the_start()
    if not again:
        scrolling.to(CELL)


def cell(result: Agreement, choice: Evaluation, selection: Selection, *, same: bool) -> None:
    """The passages of the chosen cell.

    Parameters
    ----------
    same : whether the page Passages, which knows the bar alone, has the same labels and cuts
    """
    named = agreement_matrices.picks(result)
    more: Any = {"help": PICK, "placeholder": "Choose a cell", "on_change": _from_the_start}
    picked = boxes.select("Passages in a cell", named, None, key=CELL, **more)
    if picked is None:
        return
    wanted: PassageSearch = agreement_matrices.passages_of_cell(named[picked], choice.tau, result.relevant_from)
    request = selection, wanted, choice.labelling
    show.text(f"{picked}: {counted({'passages': passage_texts.search(*request).total})}")
    elsewhere = {}
    if same:
        finds = {cells: name for name, cells in FINDS.items()}
        elsewhere = {
            "find": finds[wanted.cells],
            "labels": list(map(str, wanted.labels)),
            "relevances": list(map(str, wanted.relevances)),
        }
    passage_texts.listed(*request, PAGE, export="agreement_passages", elsewhere=elsewhere)


def _from_the_start() -> None:
    # Another cell was chosen.
    st.session_state[PAGE] = 1


def all_cuts(result: Agreement, choice: Evaluation, selection: Selection) -> None:
    """Kappa at every tau and judgment threshold."""
    ranks = tuple(sorted({*LABEL_RANKS, choice.labelling.label_rank}))
    grid = data.ask(agreement.agreement_grid, selection.snapshot, choice.labelling, label_ranks=ranks)
    notes = data.ask(agreement.grid_notes, selection.snapshot, choice.labelling, label_ranks=ranks)
    _grid(grid, notes, tau=result.tau, relevant_from=result.relevant_from, label_rank=result.label_rank)


def _grid(grid: Any, notes: list[str], **at: Any) -> None:
    if len(grid):
        st.caption(GRID)
        show.chart(agreement_matrices.kappa_figure(grid, **at), key="agreement_cuts")
        with st.expander("As a table", key="agreement_as_table"):
            show.table(grid, agreement.GRID, key="agreement_grid")
    show.notes(notes)


def by_query(result: Agreement) -> None:
    """Kappa of each query, those where grader and judges part first."""
    st.caption(BY_QUERY)
    figure = agreement_matrices.per_query_figure(result.per_query, result.kappa, result.kappa_interval, result.cut)
    show.chart(figure, key="agreement_queries")
    more: Any = {"select": True, "look": show.TableLook(320), "export": agreement_matrices.per_query_rows(result)}
    picked = show.table(result.per_query, agreement.PER_QUERY, key="agreement_per_query", **more)
    st.caption(help_texts.ROW)
    if picked is not None and not result.label_map:
        query = str(result.per_query["query_id"].iloc[picked])
        if picking.is_new("agreement_per_query", query):
            scrolling.to("agreement_per_query_export")
        label = f"Where grader and judge disagree on {show.escaped(query)}"
        passage_texts.link(label, icon=":material/find_in_page:", query=query, find="disagreement")
