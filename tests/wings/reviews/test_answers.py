"""What a notebook answers on reviews is what the command line answers."""

import pytest

from exam_core.request import Request
from exam_core.wings.reviews.queue import Draw
from tests.notebook.test_answers import typed
from tests.wings.reviews.reviewing import reviewed


@pytest.mark.parametrize("tau", [3, "all"])
def test_a_corrected_board_is_that_of_the_command_line_and_says_what_its_columns_are(own_collection, monkeypatch, tau):
    reviewed(own_collection._store.path, "demo", Request(bank="open"), Draw(n=60))
    answer = own_collection.leaderboard(bank="open", measure="P@20", tau=tau, corrected=True)
    words = ("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", str(tau), "--corrected")
    assert answer.json() == typed(monkeypatch, own_collection._store.path, *words)
    assert {"corrected", "corrected_low", "corrected_high", "shrunk", "corrected_rank"} <= set(answer.rows)
    assert set(answer.rows) == set(answer.rows.attrs["headings"])
    assert any(note.startswith("As humans would grade: 60 passages reviewed by") for note in answer.notes)
