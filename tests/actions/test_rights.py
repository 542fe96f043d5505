"""Rights at the door: every verb needs one, and refuses whoever has it not, before it does anything."""

import importlib
from pathlib import Path

import pytest

from exam_core import actions, rights
from exam_core.actions import importing, undoing
from exam_core.actions.verbs import verb
from exam_core.errors import Refused
from exam_core.rights import ROLES, Visitor

SOURCE = Path(actions.__file__).parents[2]
FILES = [path for path in (SOURCE / "exam_core").rglob("*.py") if "\n@verb(" in path.read_text(encoding="utf-8")]
MODULES = [importlib.import_module(".".join(path.relative_to(SOURCE).with_suffix("").parts)) for path in FILES]
FUNCTIONS = {name: found for module in MODULES for name, found in vars(module).items() if hasattr(found, "needs")}
VERBS = list(FUNCTIONS)


def right_of(name):
    return FUNCTIONS[name].needs


def test_verbs_need_each_right_that_there_is():
    assert {right_of(name) for name in VERBS} == set(ROLES["editor"])


def test_a_verb_that_another_one_calls_is_not_asked_again(acts):
    acts("ann@example.org", "viewer")

    @verb("read")
    def reading():
        return FUNCTIONS["undo_import"](None, "demo")

    with pytest.raises(AttributeError):  # it got as far as its own work
        reading()


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_refuses_whoever_has_not_its_right(name, acts):
    ladder = ["", *ROLES]
    enough = next(place for place, role in enumerate(ladder) if right_of(name) in ROLES.get(role, ()))
    for role in ladder[:enough]:
        acts("ann@example.org", role)
        with pytest.raises(Refused):
            FUNCTIONS[name]()
    for role in ladder[enough:]:
        acts("ann@example.org", role)
        # It gets as far as its own arguments.
        with pytest.raises(TypeError, match="argument"):
            FUNCTIONS[name]()


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.usefixtures("acts")
def test_nobody_changes_anything_where_the_store_is_read_only(name, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_READ_ONLY", "1")
    for who in (lambda: None, lambda: Visitor("ann@example.org", "editor")):
        rights.known_by(who)
        kind, words = (TypeError, "argument") if right_of(name) == "read" else (Refused, "EXAMBOARD_READ_ONLY")
        with pytest.raises(kind, match=words):
            FUNCTIONS[name]()


def test_a_refusal_says_who_has_which_role_and_which_it_takes(acts):
    acts("ann@example.org", "viewer")
    with pytest.raises(Refused) as refused:
        undoing.undo_import(None, "demo")
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
    importing.import_topics(store, "c", path)
    return store


def test_what_is_imported_names_who_signed_in(banked, acts, tmp_path):
    acts("ann@example.org", "editor")
    path = tmp_path / "more.tsv"
    path.write_text("q1\twhat is a bank\nq2\twhat else\n")
    importing.import_topics(banked, "c", path)
    assert [source["by"] for source in banked.snapshot("c").sources if source["file"] == "more.tsv"] == [
        "ann@example.org"
    ]
