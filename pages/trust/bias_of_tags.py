"""Whether the grader is biased towards some runs: their tags, and how far tagged ones are displaced."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from exam_core.actions import tagging
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.contents import LISTED, RUNS, listed_tags, tags_of_runs
from exam_core.analysis.outliers import Outliers
from exam_core.tags import OFFERED, tagged
from exam_core.wings.trust import circularity as charts
from exam_core.wings.trust.circularity import ROWS, Circularity, circularity
from exam_core.wings.trust.slides import circularity_sentences
from exam_core.wording import quoted
from pages.shared import boxes, data, doing, naming, show, visiting
from pages.shared.selection import Selection

TABLE, SAID, REFUSED = "run_tags", "tags: what was done", "tags: why not"
TITLE = "Is the grader biased towards some runs?"
ABOUT = (
    "A grader may favour runs that use an LLM of its family. Displacement: mean score of tagged runs above the "
    "regression line of the other runs, with a 95% jackknife interval (Tukey 1958)."
)
HOW = (
    "Click a cell to choose or write tags; all users of this store share them. A CSV with a row for each run and tag "
    "is imported by this command:"
)
NONE = "No run here has a tag. Give some below, for instance to the runs that use an LLM."


def view(selection: Selection, choices: dict[str, Evaluation], displaced: Outliers) -> None:
    """Displacement of tagged runs by the page's methods, and the tags; nothing of printed figures."""
    if not choices:
        return
    box = st.expander(TITLE, icon=":material/balance:", key="circularity_box", on_change="rerun")
    # What was done in the box is told in it, also where a link or a slide opened the page.
    if not (box.open or st.session_state.get(SAID) or st.session_state.get(REFUSED)):
        return
    with box:
        _opened(selection, choices, displaced)


def _opened(selection: Selection, choices: dict[str, Evaluation], displaced: Outliers) -> None:
    st.caption(ABOUT)
    snapshot = selection.snapshot
    if tagged(dict(snapshot.tags), displaced.rows["run_id"].unique()):
        result = data.ask_slowly("Leaving out queries", circularity, snapshot, tuple(choices.values()))
        _displacements(result)
    else:
        show.text(NONE)
    _tags(snapshot.collection)


def _displacements(result: Circularity) -> None:
    for sentence in circularity_sentences(result):
        show.text(naming.sentence(sentence))
    rows = naming.named(result.rows)
    show.chart(charts.circularity_figure(rows, result.reference), key="circularity_chart")
    show.table(result.rows, ROWS, key="circularity")
    show.notes(result.notes)


def _tags(collection: str) -> None:
    snapshot = data.snapshot(collection)
    text = st.session_state.get(SAID)
    if text and (text.collection != collection or dict(snapshot.tags) != text.tags):
        text = None
    opened = bool(REFUSED in st.session_state or text or not snapshot.tags)
    with boxes.options("Tags of runs", icon=":material/sell:", key="run_tags_box", opened=opened):
        refused = doing.refused(REFUSED)
        if text:
            _done(text)
        rows = tags_of_runs(snapshot)
        if data.store().is_file or not visiting.allowed("edit"):
            show.table(rows, RUNS, key=TABLE, export=listed_tags(snapshot))
            return
        st.caption(HOW)
        show.command(f"examboard tags {quoted(collection)} --file tags.csv")
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


def _done(tag: tagging.Tagged) -> None:
    """What was done, with a way back where one run got it."""
    if len(tag.changed) == 1:
        (run,) = tag.changed
        doing.way_back(tag.sentence, _tag, tag.collection, run, tag.before.get(run, ()), key="run_tags_undo")
    else:
        show.text(tag.sentence)


def _tag(collection: str, run: str, tags: Sequence[str] | None) -> None:
    with doing.refusing(REFUSED):
        st.session_state[SAID] = tagging.tag_run(data.store(), collection, run, list(tags or ()))
