"""The page Agreement: its numbers are those of the analysis, and each cell leads to its passages."""

import html

import pytest
from dashboards import at_tab, charts, opened, saves, sentences, table, unfolded
from thoroughly import thoroughly

from exam_core.analysis.agreement_matrices import CUTS, agreed_with_judges, graded_cells, picks
from exam_core.analysis.choosing import choose
from exam_core.formats.labels import read_labels
from exam_core.formats.trec import read_qrels
from exam_core.request import Request
from exam_core.store import Store
from tests.analysis.twins import agreement_of

PAGE = "pages/agreement/agreement.py"


def measured(store, *, relevant_from=2, **options):
    snapshot = Store(store).snapshot("demo")
    return agreement_of(
        snapshot, choose(snapshot, Request(measure="Cover@20", bank="open", **options)), relevant_from=relevant_from
    )


def metrics(test):
    return {metric.label: metric.value for metric in test.metric}


def three(value):
    return f"{value:.3f}"


def test_the_coefficients_are_those_of_the_analysis(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", tau="3", relevant_from="1")
    found = measured(store, tau=3, relevant_from=1)
    assert agreed_with_judges(found, "Lexical match", {}) in html.unescape(sentences(test)), "as the slide says it"
    assert metrics(test) == {
        "Cohen's kappa": three(found.kappa),
        "Raw agreement": three(found.observed_agreement),
        "Gwet's AC1": three(found.gwet_ac1),
        "PABAK": three(found.pabak),
        "Precision": three(found.precision),
        "Recall": three(found.recall),
        "F1": three(found.f1),
        "Kappa, all classes": three(found.multiclass_kappa),
        "Linear kappa": three(found.linear_kappa),
        "Quadratic kappa": three(found.quadratic_kappa),
        "Alpha, ordinal": three(found.krippendorff_alpha),
    }
    low, high = found.kappa_interval
    assert test.metric[0].delta == f"95% [{low:.3f}, {high:.3f}]"


def test_matrices_cells_and_queries_are_those_of_the_analysis(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open")
    found = measured(store)
    graded = charts(test)[0].figure
    assert [n for row in graded["data"][0]["text"] for n in row] == [f"{n:,}" for n in graded_cells(found)["n"]]
    assert test.selectbox("agreement_cell").options == list(picks(found))
    at_tab(test, "agreement_tab", "Query by query")
    assert table(test, "query_id")["kappa"].round(12).tolist() == found.per_query["kappa"].round(12).tolist()


def test_a_label_map_is_typed_explained_where_it_is_mistyped_and_taken_back(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", label_map="five")
    assert "write each grade once with its label, for instance 5=3,4=1" in sentences(test)
    assert test.text_input("label_map").value == "five"
    test.text_input("label_map").input("5=3,4=1").run()
    # The slider stands at 4, which no mapped label reaches.
    assert (metrics(test)["Cohen's kappa"], "none can reach tau 4" in sentences(test)) == ("undefined", True)
    test.text_input("label_map").input("").run()
    assert metrics(test)["Cohen's kappa"] == three(measured(store).kappa)


def test_a_label_map_in_the_address_maps_all_labels_and_lists_their_passages(store, monkeypatch):
    cell = "label 3, judged 3"
    asked = {"collection": "demo", "bank": "open", "tau": "2", "label_map": "5=3,4=1", "agreement_cell": cell}
    test = opened(PAGE, store, monkeypatch, **asked)
    found = measured(store, tau=2, label_map="5=3,4=1")
    assert metrics(test)["Cohen's kappa"] == three(found.kappa)
    assert metrics(test)["Kappa, all classes"] == three(found.multiclass_kappa)
    assert test.selectbox("agreement_cell").options == list(picks(found))
    assert f"{cell}: {found.graded['3']['3']:,} passages" in sentences(test)
    assert "Labels are mapped: 4=1,5=3" in sentences(test)
    assert "Save mapped labels as qrels" in saves(test)


@pytest.mark.parametrize("cut", [CUTS[0], *thoroughly(*CUTS[1:])], ids=lambda cut: cut.name)
def test_a_cut_of_the_papers_is_the_pages_alone_and_goes_when_the_bars_changes(store, monkeypatch, cut):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", agreement_cut=cut.name)
    found = measured(store, tau=cut.tau, label_rank=cut.label_rank, relevant_from=cut.relevant_from)
    assert metrics(test)["Cohen's kappa"] == three(found.kappa)
    assert (test.slider("tau").value, test.session_state["label_rank"], test.session_state["relevant_from"]) == (
        4,
        1,
        2,
    )
    test.slider("tau").set_value(3).run()
    assert test.session_state["agreement_cut"] == "as in the bar"
    assert metrics(test)["Cohen's kappa"] == three(measured(store, tau=3).kappa)


@pytest.mark.parametrize("name", ["only judged", *thoroughly("label 5, judged 3")])
def test_a_cell_lists_its_passages(store, monkeypatch, name):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", agreement_cell=name)
    found = measured(store)
    counts = dict(zip(graded_cells(found)["name"], graded_cells(found)["n"], strict=True))
    counts["only judged"] = found.confusion[1, 0]
    assert f"{name}: {counts[name]:,} passages" in sentences(test)
    assert sentences(test).count(" for query ") == min(10, counts[name])


def test_another_cell_begins_with_its_first_page(store, monkeypatch):
    test = opened(
        PAGE, store, monkeypatch, collection="demo", bank="open", agreement_cell="neither", agreement_page="3"
    )
    assert test.get("pagination")[0].value == 3
    test.selectbox("agreement_cell").select("only judged").run()
    assert test.get("pagination")[0].value == 1


@pytest.mark.parametrize(
    ("collection", "bank", "kappa"),
    [
        ("car-y3-published", "genq", 0.337),
        *(
            pytest.param(*case, marks=pytest.mark.thorough)
            for case in (("dl19-published", "genq", 0.361), ("dl20-published", "genq", 0.253))
        ),
    ],
)
def test_printed_tables_are_shown_at_the_strict_cut(store, monkeypatch, collection, bank, kappa):
    # published/README.md, D13, and the strict tables of DL19 and DL20, whose kappas print as .36 and .25
    cut = {"relevant_from": "1"} if collection.startswith("car") else {}
    test = opened(PAGE, store, monkeypatch, collection=collection, agreement_table=bank, **cut)
    assert metrics(test)["Cohen's kappa"] == three(kappa)


def test_print_opens_on_the_nearest_cut_that_is_printed_and_says_so(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="car-y3-published", agreement_table="tqa")
    assert "The papers print this table only for tau 1 and judgments of at least 1." in sentences(test)
    # README, D13: recomputed 0.0766
    assert metrics(test)["Cohen's kappa"] == "0.077"
    test.session_state["agreement_cut"] = "CAR binary"
    test.run()
    assert metrics(test)["Cohen's kappa"] == "0.077"
    assert "The papers print no table" not in sentences(test)


def test_labels_that_end_below_tau_are_read_at_their_own(monkeypatch, tmp_path):
    # one passage labelled and judged 1, one 0: perfect agreement at tau 1
    (tmp_path / "x.qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    own = Store(tmp_path / "store")
    own.commit("own", read_qrels(tmp_path / "x.qrels", qrels_id="official"), source="qrels")
    own.commit("own", read_labels(tmp_path / "x.qrels", grader_id="Sun"), source="labels")
    test = opened(PAGE, tmp_path / "store", monkeypatch, measure="P", tau="5", relevant_from="1")
    assert metrics(test)["Cohen's kappa"] == "1.000"


def test_labels_that_there_are_none_of_are_not_offered(store, monkeypatch):
    test = unfolded(opened(PAGE, store, monkeypatch, collection="demo", bank="open", label_rank="20"), "share")
    assert "No passage has 20 readable grades of lexical" in sentences(test)
    assert "Save labels as qrels" not in saves(test)
