"""A store says how it is laid out: later ones are refused, earlier ones brought forward."""

from functools import partial

import pytest

from exam_core.actions import repair_layout
from exam_core.errors import StoreError
from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store import layout as layouts
from exam_core.store.answer_cache import KeptAnswer
from exam_core.store.checking import check_layout
from exam_core.store.layout import FEW, FILE, LAYOUT, layout_of, meant, say_layout, settle, write_layout
from exam_core.tables import QUERIES
from tests.wings import added_to


def one_query(text="t"):
    return Reading({"queries": QUERIES.frame({"query_id": ["q1"], "query_text": [text]})})


def test_a_store_says_its_layout_from_the_first_import_on_and_one_that_says_none_is_the_first(store):
    assert (layout_of(store.path), (store.path / FILE).exists()) == (1, False)
    store.commit("c", one_query(), source="s")
    assert (layout_of(store.path), (store.path / FILE).exists()) == (LAYOUT, True)
    assert Store(store.path).collections() == ["c"]


def test_a_store_of_a_later_version_is_refused_and_left_as_it_is(store):
    store.commit("c", one_query(), source="s")
    say_layout(store.path, LAYOUT + 1)
    before = sorted(store.path.rglob("*"))
    with pytest.raises(StoreError, match=f"later version of Examboard .layout {LAYOUT + 1}; this one knows {LAYOUT}"):
        Store(store.path)
    with pytest.raises(StoreError, match="later version"):  # also by who had it open before
        store.commit("c", one_query("u"), source="other")
    assert [path for path in sorted(store.path.rglob("*.json")) if path not in before] == []


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"layout":"two"}', b'{"layout":1,"check":"0123456789abcdef"}', b"\xff"]
)
def test_a_layout_that_cant_be_read_is_named(store, content):
    store.path.mkdir()
    (store.path / FILE).write_bytes(content)
    with pytest.raises(StoreError, match="can't be read"):
        Store(store.path)


def test_steps_are_taken_in_order_once_each_and_go_on_where_they_were_killed(store):
    store.commit("c", one_query(), source="s")
    taken = []

    def second(_):
        taken.append(2)
        if taken.count(2) == 1:
            raise KeyboardInterrupt

    steps = {1: lambda _: taken.append(1), 2: second, 3: lambda _: taken.append(3)}
    with pytest.raises(KeyboardInterrupt):
        settle(store.path, steps=steps, wanted=4)
    assert (taken, layout_of(store.path)) == ([1, 2], 2)
    settle(store.path, steps=steps, wanted=4)
    settle(store.path, steps=steps, wanted=4)
    assert (taken, layout_of(store.path)) == ([1, 2, 2, 3], 4)


def test_nothing_is_written_by_whoever_had_the_store_open_when_a_later_version_took_it(store):
    store.commit("c", one_query(), source="s")
    answers = store.answers("m", {})
    say_layout(store.path, LAYOUT + 1)
    before = {path: path.read_bytes() for path in store.path.rglob("*") if path.is_file()}

    for write in (
        *(partial(record.change, store) for record in added_to({}, "RECORDS").values()),
        lambda: store.add_grades("c", "g", None),
        lambda: answers.add({bytes(16): KeptAnswer("5")}),
    ):
        with pytest.raises(StoreError, match="later version"):
            write()
    assert {path: path.read_bytes() for path in before} == before


def damaged(store, change):
    """What is said of a layout's file after a change of its bytes: what is wrong, and how it is repaired."""
    path = store.path / FILE
    path.write_bytes(change(bytearray(path.read_bytes())))
    return [problem.kind for one in check_layout(store.path) for problem in one.problems]


@pytest.mark.parametrize("bit", range(0, 8 * 40, 7))
def test_a_layout_of_which_one_bit_is_turned_over_is_named_and_written_anew_as_it_was(store, bit):
    store.commit("c", one_query(), source="s")
    whole = (store.path / FILE).read_bytes()
    turned = bytearray(whole)
    turned[bit // 8 % len(whole)] ^= 1 << bit % 8
    assert damaged(store, lambda _: turned) == ["layout"]
    done = repair_layout(store.path)
    assert [path.read_bytes() for path in done.aside] == [turned]
    assert ((store.path / FILE).read_bytes(), check_layout(store.path)) == (whole, [])
    assert Store(store.path).collections() == ["c"]


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"",
        lambda said: said[:-3],
        lambda said: said[:10] + b"2" + said[11:20] + bytes(10) + said[30:],
        lambda said: bytes(len(said)),
    ],
    ids=["empty", "cut", "much of it changed", "zeros"],
)
def test_a_layout_that_may_have_been_another_is_named_and_left_as_it_is(store, change):
    store.commit("c", one_query(), source="s")
    assert damaged(store, change) == ["unreadable"]
    before = (store.path / FILE).read_bytes()
    assert repair_layout(store.path).aside == []
    assert (store.path / FILE).read_bytes() == before


def test_what_a_later_version_says_is_never_taken_for_one_of_ours():
    ours, *later = map(layouts._content, range(LAYOUT, 500))
    assert meant(ours) == LAYOUT
    assert [theirs for theirs in later if meant(theirs) is not None] == []
    alike = [theirs for theirs in later if len(theirs) == len(ours)]
    assert min(sum((a ^ b).bit_count() for a, b in zip(ours, theirs, strict=True)) for theirs in alike) > 2 * FEW


def test_a_layout_that_is_sound_or_of_a_later_version_is_not_repaired(store):
    store.path.mkdir()
    for layout in (LAYOUT, LAYOUT + 1):
        write_layout(store.path, layout)
        assert (check_layout(store.path), repair_layout(store.path).aside) == ([], [])
        assert layout_of(store.path) == layout
