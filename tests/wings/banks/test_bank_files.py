"""`bank import` and `bank export`: files in, files out, and what a form leaves out."""

import json
from typing import get_args

import pytest

from exam_core.wings.banks.bank_files import FORMS, BankForm

BANK = [
    {"query_id": "q1", "query_text": "rain", "question_text": "Why?", "gold_answers": ["it is wet"], "weight": 2},
    {"query_id": "q1", "question_text": "It is wet.", "kind": "claim", "importance": "vital"},
]


@pytest.fixture
def imported(examboard, tmp_path):
    """Runs the command line on a store that has the bank."""
    (tmp_path / "bank.json").write_text(json.dumps(BANK), encoding="utf-8")

    def run(*words):
        return examboard(tmp_path / "store", *words)

    done = run("bank", "import", str(tmp_path / "bank.json"), "--bank", "mine", "--collection", "c")
    assert (done.status, done.out) == (0, "c: 1 query, 2 questions\n")
    return run


def test_the_forms_of_the_option_are_those_that_are_written():
    assert list(get_args(BankForm)) == list(FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_a_bank_is_exported_and_comes_back(imported, tmp_path, form):
    path = tmp_path / f"out.{form}.gz"
    done = imported("bank", "export", "c", str(path), "--bank", "mine@1", "--form", form)
    assert (done.status, done.err, done.out.splitlines()[0]) == (0, "", f"{path}: 2 questions of mine@1")
    back = imported("bank", "import", str(path), "--bank", "back", "--collection", "c")
    assert (back.status, back.err) == (0, "")
    assert back.out.startswith(f"c: 1 query, {1 if form == 'ragtime26' else 2} question")


def test_a_bank_of_claims_has_no_ragtime_file(examboard, tmp_path):
    (tmp_path / "n.jsonl").write_text('{"qid": "q1", "query": "rain", "nuggets": [{"text": "It is wet."}]}\n')
    store = tmp_path / "store"
    examboard(store, "bank", "import", str(tmp_path / "n.jsonl"), "--bank", "n", "--collection", "c")
    done = examboard(store, "bank", "export", "c", str(tmp_path / "o"), "--bank", "n", "--form", "ragtime26")
    assert (done.status, "n@1 has no questions to write as ragtime26" in done.err) == (2, True)
    assert not (tmp_path / "o").exists()
