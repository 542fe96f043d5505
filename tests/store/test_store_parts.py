"""Commits of several parts: written one by one, and seen all at once."""

import pytest

from exam_core.errors import BadInput, UsageError

from .store_samples import grades, reading, shown

PARTS = [reading(grades(("q1", "d1", 3))), reading(grades(("q2", "d1", 1)))]


def counted(query, grade):
    found = reading(grades((query, "d1", grade)))
    found.counts, found.notes, found.graders = {"grades": 1}, ["a note"], {query: {"scale": 5}}
    return found


def test_parts_show_as_if_they_had_come_as_one_and_change_nothing_when_they_come_again(store):
    store.commit("parts", PARTS, source="s")
    store.commit("whole", reading(grades(("q1", "d1", 3), ("q2", "d1", 1))), source="s")
    before = store.snapshot("parts")
    assert shown(before) == shown(store.snapshot("whole"))
    assert not store.commit("parts", iter(PARTS), source="s").changed
    assert store.snapshot("parts").fingerprint == before.fingerprint


def test_parts_are_one_import_with_summed_counts_each_note_once_and_all_graders(store):
    store.commit("c", [counted("q1", 3), counted("q2", 4)], source="s")
    snapshot = store.snapshot("c")
    (about,) = snapshot.sources
    assert (about["counts"], about["notes"]) == ({"grades": 2}, ["a note"])
    assert sorted(snapshot.graders) == ["q1", "q2"]


def test_nothing_shows_before_the_last_part_is_written(store):
    seen = []

    def parts():
        for part in PARTS:
            seen.append(store.collections())
            yield part

    store.commit("c", parts(), source="s")
    assert (seen, store.collections()) == ([[], []], ["c"])


def test_parts_that_break_off_leave_nothing_to_be_seen(store):
    def parts():
        yield PARTS[0]
        raise UsageError("broken off")

    with pytest.raises(UsageError, match="broken off"):
        store.commit("c", parts(), source="s")
    assert store.collections() == []


def test_a_contradiction_in_a_later_part_stores_nothing(store):
    store.commit("c", reading(grades(("q2", "d1", 5))), source="other")
    before = shown(store.snapshot("c"))
    with pytest.raises(BadInput, match="contradicts"):
        store.commit("c", PARTS, source="s")
    assert shown(store.snapshot("c")) == before


def test_an_import_that_came_while_parts_were_written_stays_older(store):
    def parts():
        yield PARTS[0]
        store.commit("c", reading(grades(("q3", "d1", 2))), source="meanwhile")
        yield PARTS[1]

    store.commit("c", parts(), source="s")
    assert [about["source"] for about in store.snapshot("c").sources] == ["meanwhile", "s"]
