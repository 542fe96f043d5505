"""Passages on the pages: lists of them, and their texts letter for letter with words marked."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import streamlit as st

from exam_core.analysis import passage_evidence
from exam_core.analysis.choice import Evaluation, LabelRule
from exam_core.analysis.passage_evidence import ResultPage
from exam_core.store.evidence import MANY, PassageSearch
from exam_core.table_text import Frame, plain
from exam_core.texts.marking import mark_words
from exam_core.wording import counted
from pages.shared import data, doing, show
from pages.shared.boxes import escaped
from pages.shared.selection import Selection

PAGE = "pages/passages/passages.py"
OWN = "Its scale ends below the tau on the left, or it labels whole passages, which have no questions to rank."
OPEN = ":material/article:"
SIZE = 10
"""Passages on a page of results."""
NEAR = 80
"""Characters within which a part of a text looks for a blank to begin or end at."""
SHOWN = 3000
"""Characters of a passage that are shown at once."""
_MARK = '<mark style="background: #ffe08a; color: #1a1a1a; text-decoration: underline; border-radius: 0.2em">'
# A passage may run from right to left, or have no blank in 100 kB.
_TEXT = 'dir="auto" style="white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; line-height: 1.55'
_LONG = f'tabindex="0" role="region" {_TEXT}; max-height: 28rem; overflow-y: auto; padding: 0.25rem"'
_HEAD = "display: flex; flex-wrap: wrap; gap: 0 1rem"
_THREE = "margin: 0; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden"
_FACT = (
    '<li style="display: inline-block; margin: 0 0.4rem 0.3rem 0; padding: 0 0.5rem; '
    'border: 1px solid currentColor; border-radius: 1rem; font-size: 0.85rem">'
)


def graded(selection: Selection, **changes: Any) -> Evaluation:
    """What is evaluated of the grading mode that the visitor chooses; says where it differs from the bar.

    Parameters
    ----------
    changes : as in `Selection.of`
    """
    choice = selection.of(show.mode(selection), **changes)
    if choice.grading.judgments:
        return choice
    request = selection.request.of(choice.grading.grader).but(**changes)
    if (choice.tau, choice.labelling.label_rank) != (request.tau or selection.tau, request.label_rank):
        show.text(f"This grading mode is read at tau {choice.tau} and label rank {choice.labelling.label_rank}. {OWN}")
    return choice


def marked(text: str, places: Sequence[tuple[int, int]]) -> str:
    """A text as HTML that shows it letter for letter, with some places marked."""
    bounds = [0, *(bound for place in places for bound in place), len(text)]
    parts = [html.escape(text[start:end]) for start, end in pairwise(bounds)]
    return "".join(f"{_MARK}{part}</mark>" if number % 2 else part for number, part in enumerate(parts))


def excerpt(text: str, places: Sequence[tuple[int, int]], size: int) -> tuple[tuple[str, list[tuple[int, int]]], bool]:
    """About `size` characters of a text with the places in them, from a little before the first one.

    Returns
    -------
    the part with its own places, and whether there is more of the text
    """
    if len(text) <= size:
        return (text, list(places)), False
    start = max(0, min(places[0][0] - size // 4, len(text) - size)) if places else 0
    # at a blank, if one is near: there are scripts without
    start = text.rfind(" ", max(0, start - NEAR), start) + 1 or start
    end = text.find(" ", start + size, start + size + NEAR)
    if end < 0:
        end = start + size if start + size + NEAR < len(text) else len(text)
    before, after = ("… " if start else ""), (" …" if end < len(text) else "")
    moved = len(before) - start
    pairs = [(first + moved, last + moved) for first, last in places if first >= start and last <= end]
    return (before + text[start:end] + after, pairs), bool(before or after)


def facts(items: Sequence[str]) -> str:
    """Short facts as a list of badges, in HTML."""
    badges = "".join(f"{_FACT}<bdi>{html.escape(item)}</bdi></li>" for item in items)
    return f'<ul style="list-style: none; margin: 0; padding: 0">{badges}</ul>'


def body(text: str, places: Sequence[tuple[int, int]], *, name: str) -> None:
    """A whole passage with places marked; a long one is abridged until it is opened."""
    label = f'aria-label="{html.escape(name)}"'
    first = [(start, end) for start, end in places if end <= SHOWN]
    if len(text) <= SHOWN:
        st.html(f"<div {_LONG} {label}>{marked(text, places)}</div>")
        return
    st.html(f"<div {_LONG} {label}>{marked(text[:SHOWN], first)} …</div>")
    with st.expander(f"The whole passage: {len(text):,} characters"):
        st.html(f"<div {_LONG} {label}>{marked(text, places)}</div>")


def link(label: str, *, icon: str | None = None, **wanted: Any) -> None:
    """A link to the page Passages; the choices on the left stay as they are.

    Parameters
    ----------
    label : Markdown; names in it must be escaped
    wanted : what to look for, by the names of that page's widgets without `evidence_`
    """
    show.link(PAGE, label, icon, **{f"evidence_{name}": value for name, value in wanted.items() if value})


def of_row(rows: Frame, row: int | None) -> None:
    """A link to the passage in the row of a table that is clicked; nothing where none is."""
    if row is not None and row < len(rows):
        query, doc = rows.loc[row, ["query_id", "doc_id"]]
        link(f"{escaped(doc)} for {escaped(query)}", icon=OPEN, passage=f"{query} {doc}")


def back() -> None:
    """A button that leads from a passage back to the list: a link would leave the passage's id where it stands."""
    doing.choose("Back to the list", key="evidence_back", icon="arrow_back", evidence_passage="")


def search(selection: Selection, wanted: PassageSearch, labelling: LabelRule | None, page: int = 1) -> ResultPage:
    """A page of the passages that match."""
    ask = partial(data.ask_slowly, "Searching passages") if is_large(selection) else data.ask
    return ask(passage_evidence.search, selection.snapshot, wanted, labelling, page=page, size=SIZE)


def is_large(selection: Selection) -> bool:
    """Whether a search of all passages takes more than seconds."""
    return bool(data.about(selection.snapshot)["passages"] >= MANY)


def listed(
    selection: Selection, wanted: PassageSearch, labelling: LabelRule | None, key: str, *, export: str, **shown: Any
) -> None:
    """Passages that match, page by page (`key` is of the page's number), with exports; `shown` as in `results`."""
    result_page = search(selection, wanted, labelling)
    page = st.pagination(result_page.pages, key=key, bind="query-params") if result_page.pages > 1 else 1
    if page > 1:
        result_page = search(selection, wanted, labelling, page)
    results(result_page.rows, data.ask(passage_evidence.offered, selection.snapshot, labelling).queries, **shown)
    show.exports(result_page.rows.drop(columns=["starts_inside", "goes_on"]), export, passage_evidence.ROWS)


def results(
    rows: Any, queries: Mapping[str, str], *, words: Sequence[str] = (), elsewhere: dict[str, Any] | None = None
) -> None:
    """Passages that were found, each with its beginning and a way to all that is known of it.

    Parameters
    ----------
    rows : of `exam_core.analysis.passage_evidence.ResultPage`
    queries : what they ask, by query_id
    words : what is marked
    elsewhere : for another page than Passages: what that page shall look for beside the passage
    """
    for place, row in enumerate(plain(rows)):
        passage = f"{row['query_id']} {row['doc_id']}"
        with st.container(border=True):
            text, way = st.columns([8, 1])
        with text:
            st.html(_result(row, queries.get(row["query_id"], ""), words))
        with way:
            if elsewhere is None:
                doing.choose("Open", key=f"evidence_open_{place}", icon="article", evidence_passage=passage)
            else:
                link("Open", icon=OPEN, **elsewhere | {"passage": passage})


def _result(row: dict[str, Any], query: str, words: Sequence[str]) -> str:
    known = isinstance(row["text"], str)
    text = row["text"] if known else "The text is not known, only the id."
    before, after = ("… " if row["starts_inside"] else ""), (" …" if row["goes_on"] else "")
    if before:
        text = text.partition(" ")[2] or text
    if after:
        text = text.rpartition(" ")[0] or text
    shown = marked(text, mark_words(text, words) if known else [])
    name = f"<bdi>{html.escape(row['query_id'])}</bdi>" + (f": <bdi>{html.escape(query)}</bdi>" if query else "")
    names = f"<strong><bdi>{html.escape(row['doc_id'])}</bdi></strong> for query {name}"
    head = f'<div style="{_HEAD}"><span>{names}</span>{facts(facts_of(row))}</div>'
    return f'{head}<p {_TEXT}; {_THREE}">{before}{shown}{after}</p>'


def facts_of(row: dict[str, Any]) -> list[str]:
    """Label, judgment and runs of a passage, in short; null is None."""
    runs = counted({"runs": row["runs"]})
    ranked = f"ranked by {runs}, best at {row['best_rank']}" if row["runs"] else "in no run"
    return [
        "no label" if row["label"] is None else f"label {row['label']}",
        "not judged" if row["relevance"] is None else f"judged {row['relevance']}",
        *([] if row["rank"] is None else [f"rank {row['rank']}"]),
        ranked,
    ]
