"""A store says how it is laid out: later ones are refused, earlier ones brought forward."""

from __future__ import annotations

import pytest

from exam_core.errors import StoreError
from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store.layout import FILE, LAYOUT, layout_of, say_layout, settle
from exam_core.tables import QUERIES


def one_query(text: str = "t") -> Reading:
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
    taken: list[int] = []

    def second(_: object) -> None:
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
