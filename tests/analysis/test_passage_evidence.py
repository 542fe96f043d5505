"""Passages searched: the cells of agreement, words, runs, pages; and all that is known of one."""

import pytest
from thoroughly import thoroughly

from exam_core.analysis.agreement import CELLS
from exam_core.analysis.choosing import choose
from exam_core.analysis.passage_evidence import cell_of, in_cells, offered, passage, search
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.store.evidence import SNIPPET, PassageSearch
from exam_core.wording import texts_come
from tests.analysis.twins import agreement_of

from .worlds import held, store_of

ALL = 10_000
CHOICES = {
    "rank 1": {"bank": "genq", "grader": "rater"},
    "rank 2": {"bank": "genq", "grader": "rater", "label_rank": 2},
    "mapped": {"bank": "genq", "grader": "rater", "label_map": "5=2,4=1"},
    "labels": {"grader": "labels"},
}
TEXTS = {
    "d1": "The epidermis is the outer layer of the skin.",
    "d2": "Blood vessels lie in the dermis; the EPIDERMIS has none.",
    "d3": "x" * 500 + " epidermis here " + "y" * 500,
    "d4": None,
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Four passages of two queries; the second query is judged only."""
    frames = {
        "queries": [("q", "what is skin", None, None), ("r", None, "Title", "Part")],
        "passages": list(TEXTS.items()),
        "questions": [
            ("bank", 1, "k1", "q", None, None, "Which layer lies outermost?", ["epidermis"], 1.0, True),
            ("bank", 1, "k2", "q", None, None, "What lies below?", None, 1.0, True),
            ("other", 1, "k3", "q", None, None, "Another bank's?", None, 1.0, True),
        ],
        "grades": [
            ("rater", "k1", "q", "d1", 5, "outer", True),
            ("rater", "k2", "q", "d1", None, "no idea", None),
            ("rater", "k1", "q", "d2", 2, "2", False),
            ("rater", "k3", "q", "d1", 1, "1", None),
            ("labels", None, "q", "d1", 2, "highly", None),
        ],
        "rankings": [("one", "q", doc, rank, rank, -rank, False) for rank, doc in enumerate(("d2", "d1", "d3"), 1)]
        + [("two", "q", "d1", 1, 0, 3.5, False)],
        "judgments": [
            ("official", "q", "d1", 0),
            ("official", "q", "d2", 3),
            ("official", "r", "d4", 1),
            ("mine", "q", "d1", 2),
        ],
    }
    yield from held(tmp_path_factory.mktemp("small"), frames)


@pytest.fixture(scope="module")
def rater(small):
    return choose(small, Request(measure="P@1", bank="bank", grader="rater"))


def names(page):
    return list(zip(page.rows["query_id"], page.rows["doc_id"], strict=True))


def docs(small, rater, **wanted):
    return search(small, PassageSearch(**wanted), rater.labelling).rows["doc_id"].tolist()


@pytest.mark.parametrize("options", CHOICES.values(), ids=CHOICES)
def test_each_cell_of_the_2x2_table_holds_as_many_passages_as_agreement_counts(random_world, options):
    choice = choose(random_world, Request(measure="P@1", tau=1, **options))
    counts = agreement_of(random_world, choice, relevant_from=2).confusion.ravel().tolist()
    assert sum(counts)
    actual = [search(random_world, in_cells((cell,), choice.tau, 2), choice.labelling).total for cell in CELLS]
    assert actual == counts


@pytest.mark.parametrize("name", ["rank 2", *thoroughly("rank 1", "mapped", "labels")])
def test_each_cell_of_the_graded_matrix_holds_as_many_passages_as_agreement_counts(random_world, name):
    choice = choose(random_world, Request(measure="P@1", **CHOICES[name]))
    for label, row in agreement_of(random_world, choice, relevant_from=2).graded.items():
        for relevance, n in row.items():
            assert search(random_world, cell_of(int(label), int(relevance)), choice.labelling).total == n


def test_words_find_the_passages_that_have_all_of_them(small, rater):
    expected = {"epidermis": ["d1", "d2", "d3"], "Epidermis SKIN": ["d1"], '"outer layer"': ["d1"], '"layer outer"': []}
    expected |= {"d4": ["d4"], "'; DROP TABLE passages; --": [], "%": [], "  ": ["d1", "d2", "d3", "d4"]}
    assert {text: sorted(docs(small, rater, text=text)) for text in expected} == expected


def test_a_run_finds_what_it_ranks_within_depth_in_its_order(small, rater):
    assert docs(small, rater, run_id="one", depth=2) == ["d2", "d1"]


def test_a_query_finds_what_is_graded_judged_or_ranked_for_it(small, rater):
    assert docs(small, rater, query_id="r") == ["d4"]


@pytest.mark.parametrize("wanted", ["d1", "q d1", " q d1 "])
def test_a_passage_is_found_by_its_id_with_or_without_its_query(small, rater, wanted):
    assert names(search(small, PassageSearch(passage=wanted), rater.labelling)) == [("q", "d1")]


def test_a_passage_of_another_query_is_not_found(small, rater):
    assert search(small, PassageSearch(passage="r d1"), rater.labelling).total == 0


@pytest.mark.parametrize(
    ("order", "first"), [("query", "d1"), ("label", "d1"), ("relevance", "d2"), ("disagreement", "d1")]
)
def test_results_are_sorted(small, rater, order, first):
    # d1 has label 5 and is judged 0, d2 has label 2 and is judged 3
    assert docs(small, rater, order=order)[0] == first


def test_pages_hold_every_passage_once(random_world):
    choice = choose(random_world, Request(measure="P@1", bank="genq", grader="rater"))
    whole = search(random_world, PassageSearch(), choice.labelling, size=ALL)
    first = search(random_world, PassageSearch(), choice.labelling, size=7)
    pages = [
        search(random_world, PassageSearch(), choice.labelling, page=page, size=7) for page in range(1, first.pages + 1)
    ]
    assert [name for page in pages for name in names(page)] == names(whole)
    assert first.total == whole.total == len(whole.rows)


def test_what_there_is_not_is_refused(small, rater):
    with pytest.raises(UsageError, match="There is no cell xx"):
        in_cells(("xx",), rater.tau, 2)
    with pytest.raises(UsageError, match="There is no order"):
        search(small, PassageSearch(order="random"), rater.labelling)
    with pytest.raises(UsageError, match="pages count from 1"):
        search(small, PassageSearch(), rater.labelling, page=0)


def test_without_grades_judgments_and_runs_are_searched(small):
    page = search(small, PassageSearch(query_id="q"))
    assert page.rows["label"].isna().all()
    assert dict(zip(page.rows["doc_id"], page.rows["relevance"].fillna(-9), strict=True)) == {
        "d1": 0,
        "d2": 3,
        "d3": -9,
    }


def test_other_judgments_can_be_asked_for(small, rater):
    page = search(small, PassageSearch(passage="d1"), rater.labelling, judgments="mine")
    assert page.rows["relevance"].tolist() == [2]


def test_a_result_counts_the_runs_and_names_the_best_rank(small, rater):
    row = search(small, PassageSearch(passage="d1", run_id="one"), rater.labelling).rows.iloc[0]
    assert (row["runs"], row["best_rank"], row["rank"], row["label"], row["cell"]) == (2, 1, 2, 5, "fp")


def test_a_long_passage_is_shown_from_a_little_before_the_word(small, rater):
    row = search(small, PassageSearch(passage="d3"), rater.labelling).rows.iloc[0]
    assert (row["text"], row["starts_inside"], row["goes_on"]) == (TEXTS["d3"][:SNIPPET], False, True)
    row = search(small, PassageSearch(text="here", passage="d3"), rater.labelling).rows.iloc[0]
    assert row["text"].startswith("x")
    assert "epidermis here" in row["text"]
    assert (row["starts_inside"], row["length"]) == (True, len(TEXTS["d3"]))


def test_a_passage_has_the_grades_of_one_bank_best_first(small):
    evidence = passage(small, "q", "d1", bank="bank", tau=4)
    assert evidence.grades["question_id"].tolist() == ["k1", "k2"]
    assert evidence.grades["answer"].tolist() == ["outer", "no idea"]
    assert evidence.grades["answered"].tolist() == [True, False]
    assert evidence.grades["grade"].isna().tolist() == [False, True]


@pytest.mark.parametrize(("tau", "answered"), [(2, True), (3, False)])
def test_a_question_is_answered_from_tau_on(small, tau, answered):
    assert passage(small, "q", "d2", bank="bank", tau=tau).grades["answered"].tolist() == [answered]


def test_a_passage_has_its_labels_judgments_and_runs(small):
    evidence = passage(small, "q", "d1", bank="bank", tau=4)
    [label] = evidence.labels.drop(columns="decimal").to_dict("records")
    assert label == {"grader_id": "labels", "grade": 2, "answer": "highly"}
    assert evidence.labels["decimal"].isna().all()
    assert list(evidence.judgments.itertuples(index=False, name=None)) == [("official", 0), ("mine", 2)]
    assert list(zip(evidence.runs["run_id"], evidence.runs["rank"], strict=True)) == [("two", 1), ("one", 2)]
    assert (evidence.n_runs, evidence.text, evidence.query_text) == (2, TEXTS["d1"], "what is skin")


def test_a_passage_without_a_text_says_so(small):
    evidence = passage(small, "r", "d4", bank="bank", tau=4)
    assert (evidence.text, evidence.query_text) == (None, "Title / Part")
    assert evidence.notes == [f"The passage's text is not known, only its id. {texts_come('world')}"]


def test_a_facets_passage_has_the_grades_and_judgments_of_its_page(tmp_path):
    frames = {
        "questions": [
            ("b", 1, name, "q", facet, None, "?", None, 1.0, True)
            for name, facet in (("k", None), ("x", "x"), ("y", "y"))
        ],
        "grades": [("g", name, "q", "d", grade) for name, grade in (("k", 1), ("x", 4), ("y", 5))],
        "rankings": [("run", f"q/{facet}", "d", 1, 1, 1.0, False) for facet in "xy"],
        "judgments": [("official", "q", "d", 1), ("official", "q/x", "d", 3)],
    }
    world = store_of(tmp_path, frames)
    evidence = passage(world, "q/x", "d", bank="b", tau=4)
    assert evidence.grades["question_id"].tolist() == ["x", "k"]
    assert evidence.judgments["relevance"].tolist() == [3]
    assert passage(world, "q/y", "d", bank="b", tau=4).judgments["relevance"].tolist() == [1]
    assert list(offered(world).queries) == ["q/x", "q/y"]


def test_a_search_can_be_narrowed_to_what_there_is(small, rater):
    actual = offered(small, rater.labelling)
    assert actual.queries == {"q": "what is skin", "r": "Title / Part"}
    assert (actual.runs, actual.labels, actual.relevances) == (["one", "two"], [5, 4, 3, 2, 1, 0], [3, 1, 0])
    assert offered(small).labels == []
