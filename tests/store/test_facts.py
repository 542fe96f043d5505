"""What is known of a large collection without reading its grades: equal to what the store says, or made anew."""

import os
import re
import shutil
from dataclasses import replace

import pytest

from exam_core.actions.repairing import clean
from exam_core.analysis import caveats
from exam_core.analysis.agreement import relevances_of_pairs
from exam_core.analysis.choice import QuestionChoice
from exam_core.analysis.choosing import choose
from exam_core.analysis.values import gaps
from exam_core.request import Request
from exam_core.rights import READ_ONLY
from exam_core.store import Store, derived_files, scales
from exam_core.store.evidence import texts_of_named
from exam_core.store.question_texts import graded_questions
from exam_core.store.snapshot import Snapshot, let_go
from exam_core.store.summary import graded_banks, query_ids, summary
from tests.store.store_samples import drawn


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("facts"))
    for seed, name in enumerate("cd"):
        store.commit(name, drawn(queries=4, passages=200, runs=3, depth=30, seed=seed), source="s")
    return store.path


@pytest.fixture
def store(made, tmp_path, monkeypatch):
    """A copy of it, which counts as large."""
    shutil.copytree(made, tmp_path / "store")
    monkeypatch.setattr(derived_files, "LARGE", 0)
    return tmp_path / "store"


def facts(path, collection="c"):
    """As a new process finds them."""
    let_go()
    snapshot = Store(path).snapshot(collection)
    labelling = choose(snapshot, Request(measure="P@20", tau=3)).labelling
    return {
        "summary": summary(snapshot),
        "banks": graded_banks(snapshot),
        "queries": query_ids(snapshot),
        "grades": scales.given_grades(snapshot),
        "judged": scales._judged(snapshot),
        "deepest": caveats._deepest(snapshot, "score"),
        "evaluated": caveats._to_evaluate(snapshot),
        "against": caveats._against_scores(snapshot, 20),
        "gaps": gaps(snapshot, labelling),
        "texts": texts_of_named(snapshot),
        "relevances": relevances_of_pairs(snapshot, labelling, "official").tolist(),
        "questions": sorted(graded_questions(snapshot)),
    }


def of_the_store(path, monkeypatch, collection="c"):
    with monkeypatch.context() as patched:
        patched.setattr(derived_files, "LARGE", 1 << 60)
        return facts(path, collection)


def kept(path, collection="c"):
    return sorted((path / collection / "gradebooks").glob("*.fact"))


def test_facts_are_those_of_the_store_and_are_not_asked_again(store, monkeypatch):
    expected = of_the_store(store, monkeypatch)
    assert not kept(store)
    assert repr(facts(store)) == repr(expected)
    asked, with_tables = [], Snapshot.with_tables
    monkeypatch.setattr(Snapshot, "with_tables", lambda self, sql: asked.append(sql) or with_tables(self, sql))
    assert repr(facts(store)) == repr(expected)
    assert not [sql for sql in asked if re.search("grades|rankings|judgments|pool", sql)]


@pytest.mark.parametrize(
    "harm",
    [lambda _: b"", lambda said: said[:-1], lambda said: said[:-1] + bytes([said[-1] ^ 1]), lambda said: b"x" + said],
    ids=["empty", "cut", "flipped", "moved"],
)
def test_a_damaged_one_is_made_anew(store, harm):
    expected = facts(store)
    whole = {path: path.read_bytes() for path in kept(store)}
    for path, said in whole.items():
        path.write_bytes(harm(said))
    assert repr(facts(store)) == repr(expected)
    assert {path: path.read_bytes() for path in kept(store)} == whole


def test_another_choice_of_questions_leaves_no_file(store):
    snapshot = Store(store).snapshot("c")
    labelling = choose(snapshot, Request(measure="P@20", tau=3)).labelling
    gaps(snapshot, labelling)
    before = kept(store)
    gaps(snapshot, replace(labelling, asking=QuestionChoice(drop=frozenset({"q0/1"}))))
    assert kept(store) == before


def test_a_read_only_installation_writes_none_and_clean_removes_stale_ones(store, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setenv(READ_ONLY, "1")
        facts(store)
    assert not kept(store)
    facts(store)
    stale = [path.rename(path.with_name(f"0{path.name}")) for path in kept(store)]
    facts(store)
    for path in kept(store):
        os.utime(path, (0, 0))
    assert set(stale) <= {rest.path for rest in clean(Store(store))}
    assert len(kept(store)) == len(stale)
