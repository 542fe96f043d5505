"""Addresses of pages that earlier versions had lead to where these are now, with their choices."""

import pytest

from exam_core.store import Store
from pages.shared.menu import PAGES, filled
from pages.shared.moved import MOVED, moved
from tests.wings import rows_added


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("/cutoffs?tau=3&cutoffs_measures=P&x=A", "methods?tau=3&cutoffs_measures=P&x=A"),
        ("/cutoffs", "methods"),
        ("/correlation?correlation_method=a%2C+tau+2", "methods?correlation_method=a%2C+tau+2&methods_part=Run+by+run"),
        ("/base/correlation/?tau=", "../methods?tau=&methods_part=Run+by+run"),
        ("/stability?stability_view=Rank+swaps&tau=2", "reliability?stability_view=Rank+swaps&tau=2"),
        ("/stability?stability_view=Ranks&stability_of=both", "reliability?stability_of=both"),
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
    every = {page.title for page in PAGES}
    assert every - filled(Store(demo_store).snapshot(collection)) == (missing | {"Search"}) & every


def test_a_collection_of_a_track_with_all_its_parts_has_at_most_twelve_pages_in_order(full_dl19_store):
    shown = filled(Store(full_dl19_store).snapshot("dl19"))
    assert len(shown) <= 12
    titles = [page.title for page in PAGES if page.title in shown and page.group == "Reliability"]
    assert titles in (["Choose method and tau", "Reliability", "Agreement"], ["Agreement"]), "without comparing"
