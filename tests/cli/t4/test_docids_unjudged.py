"""Passages whose ids are those of the judgments with an ending: all that a run returned is unjudged."""

import pytest

LIKE = "Its ids look like d1.txt, ids of judged passages like d1. Ids look alike: d1.txt and d1 differ in '.txt'"


@pytest.fixture
def board(examboard, told, shared_data, tmp_path):
    """The board of a run that a measure makes."""
    folder, store = shared_data / "reports" / "t4" / "docids-unjudged", tmp_path / "store"
    for kind, file in (("qrels", "q.qrels"), ("run", "txt.run")):
        assert examboard(store, "import", kind, folder / file, "--collection", "c").status == 0
    return lambda *options: told("leaderboard", "c", *options, store=store)


def test_all_that_was_returned_is_unjudged_and_places_that_were_not_filled_are_counted_apart(board):
    counted = {"pairs": 15, "unreadable": 0, "slots_missing": 0, "slots_empty": 45, "share_at_depth": 1}
    assert board()["ungraded"] == counted
    assert board("--measure", "Judged@10")["rows"][0]["mean"] == 0


def test_the_board_repeats_what_the_import_said_of_ids_that_look_alike(board):
    (said,) = [note for note in board()["notes"] if note.startswith("None of the 15 passages of s is judged")]
    assert LIKE in said


@pytest.mark.usefixtures("board")
def test_the_board_says_the_share_of_filled_ranks_in_words(examboard, tmp_path):
    assert (
        "Unjudged: 100.0% of the filled ranks (0 missing from the imported files, 15 unjudged passages); "
        "45 more ranks were not filled\n"
    ) in examboard(tmp_path / "store", "leaderboard", "c").out
