"""The page Passages: what it finds is what the analysis finds, and every text is shown letter for letter."""

import html

import pytest
from analysis.worlds import table as rows_of
from dashboards import opened, sentences, table
from thoroughly import thoroughly

from exam_core.analysis.choosing import choose
from exam_core.analysis.passage_evidence import FINDS, in_cells, passage, search
from exam_core.formats import Reading
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.evidence import PassageSearch
from exam_core.tables import GRADES, JUDGMENTS, PASSAGES, QUERIES, QUESTIONS, RANKINGS

PAGE = "pages/passages/passages.py"
ODD = {
    "html": "<script>alert(1)</script></p></div><img src=x onerror=alert(2)> &amp; **bold** [x](javascript:y) $x$",
    "right to left": "הנוסחה \u202eevil\u202c של העור، البشرة",
    "emoji": "skin 👩🏽‍⚕️🧬 İstanbul",
    "long": "epidermis " * 10_000,
    "without a blank": "x" * 100_000,
    "=cmd|' /C calc'!A0": "a formula for a name",
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A store of passages, names and answers that are not plain words."""
    path, query, run = tmp_path_factory.mktemp("odd"), "<i>q</i>", "=1+1 <b>run</b>"
    asked = ("b", 1, "k", query, None, None, "Which <u>layer</u> is **outermost**?", ["epidermis"], 1.0, True)
    graded = zip(ODD, (5, 4, None, 2, 1, 0), strict=True)
    judged = zip(ODD, (0, 1, 2, 3, -2, 0), strict=True)
    frames = {
        "queries": rows_of(QUERIES, [(query, "what is *skin* <b>made</b> of")]),
        "passages": rows_of(PASSAGES, list(ODD.items())),
        "questions": rows_of(QUESTIONS, [asked]),
        "grades": rows_of(GRADES, [("g*1*", "k", query, doc, grade, "<b>yes</b>") for doc, grade in graded]),
        "judgments": rows_of(JUDGMENTS, [("official", query, doc, relevance) for doc, relevance in judged]),
        "rankings": rows_of(RANKINGS, [(run, query, doc, at, at, -float(at), False) for at, doc in enumerate(ODD, 1)]),
    }
    Store(path).commit("odd", Reading(frames, {"g*1*": {"scale": 5}}), source="odd")
    return path


def on_demo(store):
    snapshot = Store(store).snapshot("demo")
    return snapshot, choose(snapshot, Request(measure="Cover@20", bank="open"))


@pytest.mark.parametrize("find", ["only predicted", *thoroughly(*sorted(FINDS.keys() - {"only predicted"}))])
def test_the_count_is_that_of_the_analysis(store, monkeypatch, find):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", evidence_find=find)
    snapshot, choice = on_demo(store)
    total = search(snapshot, in_cells(FINDS[find], choice.tau, 2), choice.labelling).total
    assert f">{total:,} query-passage pairs<" in sentences(test)


def test_a_large_collection_begins_with_its_first_query_and_is_searched_as_a_whole_when_that_is_asked(
    store, monkeypatch
):
    snapshot, choice = on_demo(store)
    total = search(snapshot, in_cells(("fp",), choice.tau, 2), choice.labelling).total
    for large in ("exam_core.store.evidence.MANY", "pages.shared.passage_texts.MANY"):
        monkeypatch.setattr(large, 1)
    said = [
        sentences(opened(PAGE, store, monkeypatch, collection="demo", bank="open", evidence_find=find))
        for find in ("all", "only predicted")
    ]
    assert ("passages of the first query, demo-01." in said[0], f">{total:,} query-passage pairs<" in said[1]) == (
        True,
        True,
    )


def test_what_is_asked_of_every_widget_narrows_the_search(store, monkeypatch):
    asked = {"text": "skin", "query": "demo-01", "run": "bm25", "labels": "5", "relevances": "3", "order": "label"}
    test = opened(
        PAGE, store, monkeypatch, collection="demo", bank="open", **{f"evidence_{k}": v for k, v in asked.items()}
    )
    snapshot, choice = on_demo(store)
    wanted = PassageSearch(text="skin", query_id="demo-01", run_id="bm25", depth=20, labels=(5,), relevances=(3,))
    found = search(snapshot, wanted, choice.labelling).rows["doc_id"].tolist()
    assert found
    assert [doc for doc in found if f"<bdi>{doc}</bdi>" in sentences(test)] == found
    assert sentences(test).count(" for query ") == len(found)
    assert ">skin</mark>" in sentences(test)


def test_pages_follow_one_another_and_a_new_search_begins_with_the_first(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", evidence_page="2")
    snapshot, choice = on_demo(store)
    second = search(snapshot, PassageSearch(), choice.labelling, page=2, size=10).rows["doc_id"].tolist()
    assert all(f"<bdi>{doc}</bdi>" in sentences(test) for doc in second)
    test.text_input("evidence_text").set_value("epidermis").run()
    assert test.get("pagination")[0].value == 1


def test_a_search_without_results_says_what_to_do(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", evidence_text="zzzzz")
    assert "No passage matches" in sentences(test)


def test_a_result_opens_its_passage_and_the_way_back_leads_to_the_list(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", evidence_text="epidermis")
    before = sentences(test)
    test.button("evidence_open_0").click().run()
    assert "Passage skin-01 for query demo-01" in sentences(test)
    test.button("evidence_back").click().run()
    assert sentences(test) == before


def test_a_passage_is_shown_with_all_that_is_known_of_it(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="manual", evidence_passage="demo-01 skin-01")
    known = passage(Store(store).snapshot("demo"), "demo-01", "skin-01", bank="manual", tau=4)
    grades = table(test, "question_text")
    assert grades[["question_text", "grade", "answer"]].equals(known.grades[["question_text", "grade", "answer"]])
    assert grades["answered"].tolist() == (known.grades["grade"] >= 4).tolist()
    assert table(test, "relevance")["relevance"].tolist() == [3]
    assert table(test, "source_rank")["run_id"].tolist() == known.runs["run_id"].tolist()
    assert f"{len(known.runs)} of 15 runs" in sentences(test)
    # its best question asks for the outermost layer; the key is the epidermis
    assert ">epidermis</mark>" in sentences(test)


def test_a_passage_under_several_queries_can_be_seen_under_each(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", evidence_passage="skin-01")
    test.selectbox("evidence_under").select("demo-04").run()
    assert "Passage skin-01 for query demo-04" in sentences(test)


def test_an_unknown_passage_is_named(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", evidence_passage="<b>nowhere</b>")
    assert "demo has no passage &lt;b&gt;nowhere&lt;/b&gt;." in sentences(test)


def test_a_printed_collection_says_why_there_are_no_passages(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="car-y3-published")
    assert "Printed figures come without passages" in sentences(test)
    assert "dangnt-nlp at rank 1 and judged 3" in sentences(test)


def test_the_worked_example_leads_to_the_query_of_the_demo(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", evidence_passage="tides-01")
    test.button("evidence_example_demo-01").click().run()
    assert test.selectbox("evidence_query").value == "demo-01"
    assert sentences(test).count(" for query <bdi>demo-01</bdi>") == 10


def test_a_collection_without_grades_is_searched_by_its_judgments(tmp_path, monkeypatch):
    judged = JUDGMENTS.frame({"qrels_id": ["official"], "query_id": ["q"], "doc_id": ["d"], "relevance": [2]})
    Store(tmp_path).commit("bare", Reading({"judgments": judged}), source="test")
    test = opened(PAGE, tmp_path, monkeypatch)
    assert "judged 2" in sentences(test)
    assert "The text is not known, only the id." in sentences(test)


# Texts that are not plain words


def test_a_list_shows_every_text_and_name_letter_for_letter(odd, monkeypatch):
    test = opened(PAGE, odd, monkeypatch)
    shown = sentences(test)
    assert all(f"<strong><bdi>{html.escape(doc)}</bdi></strong>" in shown for doc in ODD)
    assert html.escape(ODD["html"]) in shown
    assert "<script>" not in shown
    assert "<img" not in shown
    assert "<i>q</i>" not in shown
    assert html.escape("what is *skin* <b>made</b> of") in shown


@pytest.mark.parametrize("doc", ODD)
def test_a_passage_shows_its_text_letter_for_letter(odd, monkeypatch, doc):
    test = opened(PAGE, odd, monkeypatch, evidence_passage=doc)
    shown = sentences(test)
    assert "<script>" not in shown
    assert "<u>" not in shown
    bare = "".join(part.split(">", 1)[-1] for part in shown.replace("</mark>", "").split("<mark"))
    assert html.escape(ODD[doc]) in bare
    assert 'dir="auto"' in shown


def test_a_long_passage_is_abridged_until_it_is_opened(odd, monkeypatch):
    test = opened(PAGE, odd, monkeypatch, evidence_passage="without a blank")
    assert [expander.label for expander in test.expander if "whole" in expander.label] == [
        "The whole passage: 100,000 characters"
    ]
