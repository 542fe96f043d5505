"""Addresses that ask for what is not there, for a version that is not the newest, or for a page that has moved."""

from __future__ import annotations

import ast
import re
import shutil
from functools import partial

import pytest
from dashboards import ROOT, opened, sentences
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import local_script_runner
from thoroughly import thoroughly

from exam_core.actions.importing import import_bank
from exam_core.analysis.unlabelled import measures_of
from exam_core.declared import declared
from exam_core.measures import MEASURES
from exam_core.store import Store
from pages.shared.menu import PAGES, filled
from pages.shared.moved import MOVED, moved
from tests.wings import rows_added

PAGE = "pages/leaderboard/leaderboard.py"
OTHER = '{"query_id": "demo-01", "items": [{"query_id": "demo-01", "question_id": "new/1", "question_text": "Why?"}]}\n'


def with_another_open_bank(demo_store, folder):
    """The demo with a second version of the bank `open`."""
    store = shutil.copytree(demo_store, folder / "store")
    bank = folder / "open.jsonl"
    bank.write_text(OTHER, encoding="utf-8")
    import_bank(Store(store), "demo", bank, bank="open")
    return store


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"collection": "gone"}, "There is no collection gone; shown is demo."),
        ({"collection": "demo", "bank": "none"}, "There is no bank none in demo; shown is open."),
        ({"collection": "demo", "bank": "open@7"}, "There is no bank open@7 in demo; shown is open."),
        ({"collection": "demo", "modes": "T5"}, "There is no grading mode T5 in demo; shown is Lexical match."),
        ({"collection": "demo", "measure": "Cure"}, "There is no measure Cure; shown is Cover."),
        ({"collection": "demo", "depth": "1e999"}, "There is no depth 1e999; shown is 20."),
        ({"collection": "demo", "label_rank": "0"}, "There is no label rank 0; shown is 1."),
        ({"collection": "demo", "measure": "RBP", "option_p": "2"}, "There is no persistence 2; shown is 0.8."),
        ({"collection": "\u202e" + "x" * 900}, f"There is no collection u202e{'x' * 34}…{'x' * 39}; shown is demo."),
    ],
    ids=["collection", "bank", "version of a bank", "mode", "measure", "depth", "label rank", "option", "long"],
)
def test_what_a_link_asks_for_and_is_not_there_is_named(demo_store, monkeypatch, query, sentence):
    test = opened(PAGE, demo_store, monkeypatch, **query)
    assert sentence in sentences(test).replace("\\", "")
    test.slider(key="tau").set_value(2).run()
    assert sentence in sentences(test).replace("\\", ""), "it stays until something else is chosen"


def test_the_sentence_goes_when_another_measure_is_chosen(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", measure="Cure")
    test.selectbox(key="measure").select("P").run()
    assert "There is no measure" not in sentences(test)


def test_a_good_link_is_no_reason_to_warn(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open@1", measure="P", modes="lexical")
    assert [warning.value for warning in test.warning] == []
    test.selectbox(key="collection").select("car-y3-published").run()
    assert "There is no" not in sentences(test), "another collection without such a bank was chosen, not linked to"


def test_a_link_opens_the_version_that_it_names_after_another_one_came(demo_store, monkeypatch, tmp_path):
    query = {"collection": "demo", "bank": "open@1", "tau": "3", "data": "0123456789abcdef"}
    before = opened(PAGE, demo_store, monkeypatch, **query)
    store = with_another_open_bank(demo_store, tmp_path)
    after = opened(PAGE, store, monkeypatch, **query)
    boards = [next(table.value for table in test.dataframe if "rank" in table.value) for test in (before, after)]
    assert boards[0]["mean"].tolist() == boards[1]["mean"].tolist()
    assert "The collection has changed since this link was made" in sentences(after)


COLLECTIONS = ("demo-answers", "demo", "demo-nuggets")
"""Of the embedded ones, those that have all measures together."""
KINDS = {one.of: name for name, one in MEASURES.items()}
"""A measure of each kind that a page may have to treat otherwise: of questions, labels, texts and scores."""


def unusual_options(measure):
    """For each option of a measure that the bar has, its parameter of an address and a value that is not the usual."""
    fields = declared(MEASURES[measure].options) if MEASURES[measure].options else {}
    for name, field in fields.items():
        known = field.choices or ((not field.default,) if field.is_switch else (field.about.most, field.about.least))
        if name not in ("rel", "ranker"):  # tau has a slider; rankers are a collection's own
            yield f"option_{name}", next(value for value in known if value not in (None, field.default))


def opened_with(measure, page, store, monkeypatch):
    """Open a page whose address asks for a measure with unusual options; the bar then has these."""
    options = dict(unusual_options(measure))
    collection = next(one for one in COLLECTIONS if measure in measures_of(Store(store).snapshot(one)))
    address = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
    test = opened(page, store, monkeypatch, collection=collection, measure=measure, **address)
    assert "; shown is" not in sentences(test)
    boxes = (*test.number_input, *test.checkbox, *test.selectbox)
    assert {box.key: box.value for box in boxes if str(box.key).startswith("option_")}.items() >= options.items()


@pytest.mark.parametrize("measure", MEASURES)
def test_an_address_may_ask_for_each_measure_and_each_of_its_options(measure, demo_store, monkeypatch):
    opened_with(measure, "pages/search/search.py", demo_store, monkeypatch)


@pytest.mark.parametrize(
    ("page", "measure"),
    [
        pytest.param(page.path, measure, marks=() if (place + number) % 2 == 0 else pytest.mark.thorough)
        for place, page in enumerate(PAGES)
        for number, measure in enumerate(KINDS.values())
    ],
)
def test_each_page_opens_with_a_measure_of_each_kind(page, measure, demo_store, monkeypatch):
    opened_with(measure, page, demo_store, monkeypatch)


def names_of_choices():
    """What pages may read of an address: the keys of their widgets, and constants that look like keys."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "pages").rglob("*.py")))
    found = re.findall(r'key="([a-z_]+)"', source) + re.findall(r'^[A-Z_]+ = "([a-z_]+)"', source, re.MULTILINE)
    own = (
        "bank",
        "modes",
        "columns",
        "measure",
        "reference",
        "without",
        "scores",
        "order",
        *rows_added("PARAMETERS"),
        *(option for measure in MEASURES for option, _ in unusual_options(measure)),
        "tau_lexical",
        "v",
        "data",
    )
    return sorted({*found, *own} - {"present", "collection"})


HOSTILE = [
    "²",
    "",
    ["1e999", "1"],
    *thoroughly("1e999", "1" * 350, "-1", "nan", "a\0b", "majority(a,b", "<b>&amp;*x*", "\u202e", "[]", "b@1"),
]


@pytest.mark.parametrize("value", HOSTILE, ids=ascii)
@pytest.mark.parametrize("page", [PAGE, *thoroughly(*(one.path for one in PAGES if one.path != PAGE))])
def test_no_damaged_address_brings_a_page_down(demo_store, monkeypatch, page, value):
    hostile = {"collection": "demo"} | dict.fromkeys(names_of_choices(), value)
    for measure in (value, "ERR"):  # of which the bar has other options than of the first one
        opened(page, demo_store, monkeypatch, **hostile | {"measure": measure})


@pytest.mark.parametrize("value", HOSTILE, ids=ascii)
@pytest.mark.parametrize("page", [PAGE, *thoroughly(*(one.path for one in PAGES if one.path != PAGE))])
def test_no_damaged_address_stays_with_a_session_that_is_open(demo_store, monkeypatch, page, value):
    other = next(one.path for one in PAGES if one.path not in (page, PAGES[0].path))
    test = opened(other, demo_store, monkeypatch, "from app.py", collection="demo", depth="7")
    hostile = {"collection": "demo"} | dict.fromkeys(names_of_choices(), value)
    for turns, back in ((False, False), (True, False), (False, True), (False, False)):
        test.query_params.update(hostile)
        # Back and Forward of a browser, which AppTest does not know: what widgets hold gives way to the address.
        monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=back))
        (test.switch_page(page) if turns else test).run()
    test.query_params.update({"present": "1"})
    test.run()


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e300, -1.0], ids=str)
def test_a_number_that_none_can_be_in_a_box_leaves_it_at_its_default(demo_store, monkeypatch, value):
    """A browser sends what it reads in an address that an open page moves to."""
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", depth="7", label_rank="2")
    for box in (test.number_input(key="depth"), test.number_input(key="label_rank"), test.slider(key="tau")):
        box.set_value(value)
    for _ in range(2):
        test.run()
        assert (test.number_input(key="depth").value, test.slider(key="tau").value) == (20, 4)


def test_what_is_bound_to_the_address_is_written_there_as_slides_read_it():
    """Streamlit writes what it shows: a box with `format_func` would write words where slides look for values."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "pages").rglob("*.py")}
    calls = [(path, node) for path, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [(path, {word.arg: word.value for word in call.keywords}) for path, call in calls]
    bound = [(path, words) for path, words in given if {"format_func", "bind"} <= words.keys() and _is_bound(words)]
    assert [(path, ast.unparse(words["key"])) for path, words in bound] == []
    picked = [(path, call) for path, call in calls if ast.unparse(call.func) == "picking.pick" and _words_of(call)]
    assert [(path, call.lineno) for path, call in picked] == []


def _is_bound(given):
    return ast.unparse(given["bind"]) != "None"


def _words_of(call):
    given = {word.arg: word.value for word in call.keywords}
    return "format_func" in given and ("bind" not in given or _is_bound(given))


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("/cutoffs?tau=3&cutoffs_measures=P&x=A", "methods?tau=3&cutoffs_measures=P&x=A"),
        ("/cutoffs", "methods"),
        ("/correlation?correlation_method=a%2C+tau+2", "methods?correlation_method=a%2C+tau+2&methods_part=Run+by+run"),
        ("/base/correlation/?tau=", "../methods?tau=&methods_part=Run+by+run"),
        ("/stability?stability_view=Rank+swaps&tau=2", "reliability?stability_view=Rank+swaps&tau=2"),
        ("/stability?stability_view=Ranks&tau=3", "reliability?tau=3"),
        (
            "/compare?compare_what=All+pairs+of+runs&compare_baseline=bm25",
            "reliability?compare_baseline=bm25&stability_view=Pairs+of+runs",
        ),
        ("/evidence?collection=demo&evidence_passage=q+d%2B1", "passages?collection=demo&evidence_passage=q+d%2B1"),
        ("/difficulty?difficulty_kind=hard&v=1", "questions?difficulty_kind=hard&v=1"),
        ("/holdings", "collections"),
        ("/order?stability_view=Rank+swaps", "reliability?stability_view=Rank+swaps"),
        ("/how_sure?stability_view=Rank+swaps&tau=2", "reliability?stability_view=Rank+swaps&tau=2"),
        ("/banks?collection=demo&bank=open", "questions?collection=demo&bank=open&bank_view=Edit"),
        ("/base/banks/?bank_view=Versions&bank_old=1", "../questions?bank_view=Versions&bank_old=1"),
        ("/reproduce?reproduce_part=By+table", "reliability?reproduce_part=By+table&reliability_part=Reproduce"),
        ("/overview?collection=demo", "./?collection=demo"),
        ("/base/overview/?collection=demo", ".././?collection=demo"),
        ("/home", "./"),
        ("/compare?compare_what=Two+runs", None),
        ("/search?search_text=skin", None),
        ("/", None),
        ("/_stcore/health", None),
    ],
)
def test_an_old_address_leads_to_the_new_one_with_its_choices(address, leads_to):
    path, _, query = address.partition("?")
    assert moved(path, query) == leads_to


def test_old_addresses_lead_to_pages_and_no_page_has_one():
    first, *others = [page.name for page in PAGES]
    lead_to = {"./", "collections", "passages", *rows_added("MOVED_TO")}
    assert lead_to <= {new for new, _ in MOVED.values()}
    assert lead_to <= {"./", *others}
    assert set(MOVED) & {first, *others} == {first}, "the first page is at the address without a name"


NO_GRADES = {"Nuggets", "Generated answers"}
OF_PRINT = {"Passages", "Questions", "Reviews", "Grading"}


@pytest.mark.parametrize(
    ("collection", "missing"),
    [("demo", NO_GRADES), ("car-y3-published", OF_PRINT | {"Nuggets", "Generated answers"}), *rows_added("UNFILLED")],
)
def test_the_menu_has_the_pages_that_a_collection_can_fill(collection, missing, demo_store):
    every = {page.title for page in PAGES if not page.of_store}
    assert every - filled(Store(demo_store).snapshot(collection)) == (missing | {"Search"}) & every


def test_a_collection_of_a_track_with_all_its_parts_has_at_most_twelve_pages_in_order(full_dl19_store):
    shown = filled(Store(full_dl19_store).snapshot("dl19"))
    assert len(shown) <= 12
    titles = [page.title for page in PAGES if page.title in shown and page.group == "Reliability"]
    assert titles in (["Choose method and tau", "Reliability", "Agreement"], ["Agreement"]), "without comparing"
