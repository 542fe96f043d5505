"""Rights at the door: every verb needs one, and refuses whoever has it not, before it does anything."""

import importlib
from types import FunctionType

import pytest

from exam_core import actions, rights
from exam_core.errors import Refused
from exam_core.rights import ROLES, Visitor

FUNCTIONS = {
    name: found
    for name, module in actions.places().items()
    if isinstance(found := getattr(importlib.import_module(module), name), FunctionType)
}
VERBS = list(FUNCTIONS)


def right_of(verb):
    return FUNCTIONS[verb].needs[0]


def test_every_function_that_passes_the_door_declares_the_right_that_it_needs():
    assert [name for name, found in FUNCTIONS.items() if not hasattr(found, "needs")] == []
    assert {right_of(verb) for verb in VERBS} == set(ROLES["editor"])


@pytest.mark.parametrize("hidden", ["create_job", "write_progress", "banking", "no_verb"])
def test_what_is_no_verb_does_not_pass_the_door(hidden):
    assert hidden not in actions.places()
    with pytest.raises(AttributeError, match=f"no attribute '{hidden}'"):
        actions.__getattr__(hidden)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_refuses_whoever_has_not_its_right(verb, acts):
    ladder = ["", *ROLES]
    enough = next(place for place, role in enumerate(ladder) if right_of(verb) in ROLES.get(role, ()))
    for role in ladder[:enough]:
        acts("ann@example.org", role)
        with pytest.raises(Refused):
            getattr(actions, verb)()
    for role in ladder[enough:]:
        acts("ann@example.org", role)
        # It gets as far as its own arguments.
        with pytest.raises(TypeError, match="argument"):
            getattr(actions, verb)()


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.usefixtures("acts")
def test_nobody_changes_anything_where_the_store_is_read_only(verb, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_READ_ONLY", "1")
    for who in (lambda: None, lambda: Visitor("ann@example.org", "editor")):
        rights.known_by(who)
        kind, words = (TypeError, "argument") if right_of(verb) == "read" else (Refused, "EXAMBOARD_READ_ONLY")
        with pytest.raises(kind, match=words):
            getattr(actions, verb)()


def test_what_has_no_right_declared_is_refused_to_whoever_runs_it_too(monkeypatch):
    monkeypatch.delattr(FUNCTIONS["build_demo"], "needs")
    with pytest.raises(Refused, match="no right declared"):
        actions.build_demo()


def test_a_refusal_says_who_has_which_role_and_which_it_takes(acts):
    acts("ann@example.org", "viewer")
    with pytest.raises(Refused) as refused:
        actions.undo_import(None, "demo")
    assert str(refused.value) == (
        "ann@example.org has the role viewer; changing data and starting jobs needs the role editor. "
        "Whoever runs this dashboard gives roles."
    )


@pytest.mark.parametrize(("said", "is_so"), [("1", True), ("true", True), ("what", True), ("0", False), ("", False)])
def test_read_only_is_whatever_is_said_but_no(said, is_so, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_READ_ONLY", said)
    assert rights.read_only() == is_so


@pytest.fixture
def banked(store, tmp_path):
    """A collection with one query."""
    path = tmp_path / "topics.tsv"
    path.write_text("q1\twhat is a bank\n")
    actions.import_topics(store, "c", path)
    return store


def test_what_is_imported_names_who_signed_in(banked, acts, tmp_path):
    acts("ann@example.org", "editor")
    path = tmp_path / "more.tsv"
    path.write_text("q1\twhat is a bank\nq2\twhat else\n")
    actions.import_topics(banked, "c", path)
    assert [source["by"] for source in banked.snapshot("c").sources if source["file"] == "more.tsv"] == [
        "ann@example.org"
    ]
