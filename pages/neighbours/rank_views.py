"""What the page Generated answers draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from exam_core.wings.neighbours import slides as charts
from exam_core.wings.neighbours.answer_files import SIDES
from exam_core.wings.neighbours.measures import CONVENTIONS, NrpOptions
from exam_core.wings.neighbours.nrp import (
    FLOWS,
    PLACES,
    SCORES,
    SIZES,
    SYSTEMS,
    TASKS,
    NrpResult,
    expert_agreement,
    nrp,
    options_in,
    sizes,
    stored_orders,
)
from exam_core.wings.neighbours.ranking import answers_with_texts, rankers_of
from exam_core.wings.neighbours.slides import highest
from exam_core.wording import counted, quoted
from pages.shared import data, show
from pages.shared.selection import Selection

CONVENTION = (
    "NRP = 1 - r/n. released: ranks r start at 0, and n counts the answer, too, as in the authors' released scores. "
    "one-based: ranks start at 1. documents: ranks start at 0, and n counts only the documents."
)
RANKER = "The ranker that placed each answer among the judged documents of its query."
ABOUT = (
    "Each answer is ranked with the judged documents of its query; NRP = 1 - r/n says how high it ranks (Heineking et "
    "al. 2024, section 2). 1 is above all documents."
)
EXPERT = (
    "Ranker and expert order the same items. RBO with p = 1: overlap of the first d items, averaged over d (Webber et "
    "al. 2010). Kendall's tau: pairs in the same order."
)
EXPERTS = "Does an expert agree?"
FLOW = (
    "Columns are ranks, the best first. Height of a box: number of tasks with an answer of that system at this rank. "
    "Bands lead to the next rank (Heineking et al. 2024, figure 3)."
)


def choose(selection: Selection) -> NrpOptions | None:
    """The ranker and the convention, those of the bar where NRP is chosen there; None where no answers are ranked."""
    known = data.ask(rankers_of, selection.snapshot)
    if not known:
        return None
    if options := options_in(selection.request.measure):
        st.caption("Ranker and convention are options of the measure in the bar on the left.")
        return replace(options, ranker=options.ranker or known[0])
    left, right = st.columns(2)
    ranker = left.selectbox("Ranker", known, key="generated_ranker", help=RANKER, bind="query-params")
    convention = right.selectbox(
        "Convention", CONVENTIONS, key="generated_convention", help=CONVENTION, bind="query-params"
    )
    return NrpOptions(convention or CONVENTIONS[0], ranker or known[0])


def without_ranks(selection: Selection) -> None:
    """What to do where no answers are ranked."""
    typed = quoted(selection.snapshot.collection)
    if len(data.ask(answers_with_texts, selection.snapshot)):
        st.info("The generated answers of this collection are not ranked yet. Rank them among the judged documents:")
        show.command(f"examboard nrp-rank {typed} --by bm25")
        return
    st.info(
        "There are no generated answers here. The demo has some in its collection demo-answers. Import ranks that were "
        "made elsewhere, or import answers and rank these among the judged documents:"
    )
    lines = (
        f"examboard import ranks ranks.csv --collection {typed}",
        f"examboard import answers answers.jsonl --collection {typed}",
        f"examboard nrp-rank {typed} --by bm25",
    )
    show.command("\n".join(lines))


def ranked(selection: Selection, options: NrpOptions) -> NrpResult:
    """NRP by the chosen ranker and convention, and the highest in a headline."""
    result = data.ask(nrp, selection.snapshot, ranker=options.ranker, convention=options.convention)
    show.text(f"{result.collection}, ranked by {result.ranker}", headline=highest(result))
    return result


def board(result: NrpResult) -> None:
    """Strips of queries with means, and the same as tables."""
    systems, prompts = result.systems["system"].tolist(), sorted(result.rows["prompt"].unique())
    show.chart(charts.strip_figure(result.queries, result.rows, systems, prompts), key="generated_strips")
    st.caption(f"A point is a query's mean over its answers; the large marks are means with 95% intervals. {ABOUT}")
    show.table(result.rows, SCORES, key="generated_rows")


def by_size(selection: Selection, result: NrpResult) -> None:
    """NRP against the size of the model, for one prompt."""
    names = tuple(result.systems["system"])
    known = data.ask(sizes, selection.snapshot, names)
    if known["parameters"].notna().any():
        prompts = sorted(result.rows["prompt"].unique())
        # The prompt that does best first: it is what figure 2 of the paper shows.
        best = result.rows.groupby("prompt")["mean"].mean().idxmax()
        prompt = st.selectbox("Prompt", prompts, prompts.index(best), key="generated_prompt", bind="query-params")
        rows = result.rows[result.rows["prompt"] == prompt].merge(known, on="system", how="left")
        show.chart(charts.size_figure(rows, str(prompt)), key="generated_sizes")
    unknown = known.loc[known["parameters"].isna(), "system"].tolist()
    if unknown:
        show.text(f"Unknown size: {', '.join(unknown)}. Add a column parameters, such as 7e9, to the imported file.")
    show.table(known, SIZES, key="generated_known_sizes")


def tabs(selection: Selection, result: NrpResult | None) -> None:
    """What comes after the board; without one, what an expert says."""
    drawn: dict[str, Callable[[], object]] = {}
    if result is not None:
        drawn |= {
            "Systems over all prompts": partial(show.table, result.systems, SYSTEMS, key="generated_systems"),
            "NRP and model size": partial(by_size, selection, result),
        }
    show.tabs(drawn | {EXPERTS: partial(experts, selection)}, key="generated_tab")


def experts(selection: Selection) -> None:
    """How well the ranker agrees with an expert."""
    if not data.ask(stored_orders, selection.snapshot):
        st.caption("There are no orders of an expert. Add some on the page Collections.")
        return
    result = data.ask(expert_agreement, selection.snapshot)
    show.text(
        f"{counted({'tasks': result.n_tasks})}: mean RBO {show.fraction(result.rbo)}, mean Kendall's tau "
        f"{show.fraction(result.kendall)}. {EXPERT}"
    )
    kinds = sorted(result.places["kind"].unique())
    for side in SIDES:
        places, flows = (frame[frame["side"] == side] for frame in (result.places, result.flows))
        st.markdown(f"**How the {side} orders**")
        show.chart(charts.flow_figure(places, flows, kinds, side), key=f"generated_flow_{side}")
    st.caption(FLOW)
    show.table(result.rows, TASKS, key="generated_tasks")
    with st.expander("Ranks and transitions as tables", key="generated_tables"):
        show.table(result.places, PLACES, key="generated_places")
        show.table(result.flows, FLOWS, key="generated_flows")
    show.notes(result.notes)
