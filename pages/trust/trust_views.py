"""How far a grader can be trusted: significant pairs of runs, independent graders, and bias towards tagged runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from exam_core.actions import tagging
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.contents import LISTED, RUNS, listed_tags, tags_of_runs
from exam_core.analysis.outliers import Outliers
from exam_core.analysis.references import reference_by_query
from exam_core.defaults import DRAWS, SEED
from exam_core.tags import OFFERED, tagged
from exam_core.wings.trust import circularity, fidelity, taste, votes
from exam_core.wings.trust.slides import WORDS, circularity_sentences, fidelity_lines, votes_lines
from exam_core.wording import quoted
from pages.shared import boxes, data, doing, naming, show, steps, visiting
from pages.shared.selection import Selection

ABOUT_PAIRS = (
    "Paired t-tests of all pairs of runs over the queries, by the judgments and by the grader, each after Holm's "
    "adjustment (Holm 1979; Moffat, Scholer & Thomas 2012)."
)
JUDGED = "qrels:nDCG@10"
"""What can be computed where there are official judgments."""


def draw_pairs(mode: str, selection: Selection) -> None:
    """Which pairs of runs differ significantly by the grades, beside those by the judgments."""
    reference = reference_by_query(
        selection.snapshot, selection.request, judged=JUDGED in selection.about["references"]
    )
    if reference is None:
        show.text("This needs human judgments, or a reference with values by query.")
        steps.brings("judgments", selection, "fidelity")
        return
    result = data.ask(fidelity.fidelity, selection.snapshot, selection.of(mode, reference=reference))
    st.caption(ABOUT_PAIRS)
    for line in fidelity_lines(result):
        show.text(naming.sentence(line))
    show.chart(fidelity.fidelity_figure(result.rows, WORDS), key="fidelity_chart")
    show.table(result.rows, fidelity.ROWS, key="fidelity")
    st.markdown("**Pairs of runs, disagreements first**")
    show.table(
        result.pairs.assign(verdict=result.pairs["verdict"].map(WORDS)),
        fidelity.PAIRS,
        key="fidelity_pairs",
        export=result.pairs,
    )
    show.notes(result.notes)


VOTERS = (
    "Grading modes that vote, each at its default tau (one below the largest grade). Empty: the modes over the bank's "
    "questions, or the modes over whole passages where these are more."
)
ABOUT_VOTES = (
    "Modes that err on the same passages count as fewer votes; copies of one mode count as one. Correlation of "
    "errors: phi coefficient of right and wrong (Kuncheva & Whitaker 2003)."
)
ADD = (
    "Adds the majority vote to the grading modes of the bar: 1 where more than half of the modes find a passage "
    "relevant, else 0. Passages that a mode has not graded stay ungraded."
)


def draw_votes(selection: Selection) -> None:
    """What the grading modes are worth together."""
    modes = list(selection.about.get("graded_banks", {}))
    if not modes:
        return
    first = data.ask(votes.voters, selection.snapshot, selection.request.bank)
    picked = naming.box(st.multiselect, "Grading modes that vote", modes, default=first, key="voters", help=VOTERS)
    voters = tuple(picked or first)
    result = data.ask_slowly("Reading grades", votes.votes, selection.snapshot, voters, selection.request)
    st.caption(ABOUT_VOTES)
    for line in votes_lines(result):
        show.text(naming.sentence(line))
    if len(result.graders) > 1:
        _together(result)
    show.notes(result.notes)


def _together(result: votes.Votes) -> None:
    if result.judged:
        rows = naming.named(result.rows)
        show.chart(votes.accuracy_figure(rows), key="votes_accuracy")
    show.table(result.rows, votes.ROWS, key="votes")
    bar = st.session_state.get("modes", [])
    look: dict[str, Any] = {"key": "votes_add", "icon": "how_to_vote", "help": ADD, "disabled": result.majority in bar}
    wanted = {"modes": [*bar, result.majority]}
    doing.button("Majority as a grading mode", st.session_state.update, wanted, **look)
    st.markdown("**Every pair**")
    show.table(result.pairs, votes.PAIRS, key="votes_pairs")


def draw_taste(selection: Selection) -> None:
    """What twice the length or place does to a grade at equal judgment, and how runs of the grader's family fare."""
    with st.container(horizontal=True):
        mode = show.mode(selection, of_one=False)
        by = taste.BY[boxes.one_of("Grades by", taste.BY, key="taste_by")]
    snapshot, choice = selection.snapshot, selection.of(mode)
    result = data.ask(taste.taste, snapshot, choice, by, draws=DRAWS, seed=SEED)
    for sentence in taste.taste_sentences(result, snapshot):
        show.text(naming.sentence(sentence))
    show.chart(taste.taste_figure(result, snapshot), key="taste_chart")
    show.table(result.rows, taste.ROWS, key="taste_rows")
    show.notes(result.notes)
    if family := data.ask(taste.own_family, snapshot, choice, draws=DRAWS, seed=SEED):
        st.header("Runs of its own family")
        _displacements(family)


TABLE, SAID, REFUSED = "run_tags", "tags: what was done", "tags: why not"
TITLE = "Is the grader biased towards some runs?"
ABOUT = (
    "A grader may favour runs that use an LLM of its family. Displacement: mean score of tagged runs above the "
    "regression line of the other runs, with a 95% jackknife interval (Tukey 1958)."
)
HOW = "Click a cell to choose or write tags; all users of this store share them. A command does the same for each run:"
NONE = "No run here has a tag. Give some below, for instance to the runs that use an LLM."


def draw_bias(selection: Selection, choices: dict[str, Evaluation], displaced: Outliers) -> None:
    """Displacement of tagged runs by the page's methods, and the tags; nothing of printed figures."""
    if not choices:
        return
    box = st.expander(TITLE, icon=":material/balance:", key="circularity_box", on_change="rerun")
    # What was done in the box is told in it, also where a link or a slide opened the page.
    if not (box.open or st.session_state.get(SAID) or st.session_state.get(REFUSED)):
        return
    with box:
        st.caption(ABOUT)
        snapshot = selection.snapshot
        if tagged(dict(snapshot.tags), displaced.rows["run_id"].unique()):
            evaluations = tuple(choices.values())
            _displacements(data.ask_slowly("Leaving out queries", circularity.circularity, snapshot, evaluations))
        else:
            show.text(NONE)
        _tags(snapshot.collection)


def _displacements(result: circularity.Circularity) -> None:
    for sentence in circularity_sentences(result):
        show.text(naming.sentence(sentence))
    rows = naming.named(result.rows)
    show.chart(circularity.circularity_figure(rows, result.reference), key="circularity_chart")
    show.table(result.rows, circularity.ROWS, key="circularity")
    show.notes(result.notes)


def _tags(collection: str) -> None:
    snapshot = data.snapshot(collection)
    done = st.session_state.get(SAID)
    if done and (done.collection != collection or dict(snapshot.tags) != done.tags):
        done = None
    opened = bool(REFUSED in st.session_state or done or not snapshot.tags)
    with boxes.options("Tags of runs", icon=":material/sell:", key="run_tags_box", opened=opened):
        refused = doing.refused(REFUSED)
        if done and len(done.changed) == 1:
            (run,) = done.changed
            doing.way_back(done.sentence, _tag, done.collection, run, done.before.get(run, ()), key="run_tags_undo")
        elif done:
            show.text(done.sentence)
        rows = tags_of_runs(snapshot)
        if data.store().is_file or not visiting.allowed("edit"):
            show.table(rows, RUNS, key=TABLE, export=listed_tags(snapshot))
            return
        st.caption(HOW)
        show.command(f"examboard tags {quoted(collection)} RUN TAG")
        known = sorted({*OFFERED, *(tag for _, own in snapshot.tags for tag in own)})
        shown = {
            "run_id": st.column_config.TextColumn(RUNS["run_id"].label, width="medium"),
            "tags": st.column_config.MultiselectColumn(
                RUNS["tags"].label,
                help=RUNS["tags"].help,
                options=known,
                accept_new_options=True,
                color="auto",
                width="large",
            ),
        }
        key = f"{TABLE}_{hash(snapshot.tags)}_{refused}"
        doing.write_over(rows, "run_id", "tags", partial(_tag, collection), shown, key=key)
        if snapshot.tags:
            show.exports(LISTED.of(listed_tags(snapshot)), TABLE, LISTED)


def _tag(collection: str, run: str, tags: Sequence[str] | None) -> None:
    with doing.refusing(REFUSED):
        st.session_state[SAID] = tagging.tag_run(data.store(), collection, run, list(tags or ()))
