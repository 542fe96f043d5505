"""Texts of the reports in other scripts and encodings, by POURPRE and ROUGE."""

import json

from tests.cli.test_reports import bring as bring
from tests.cli.test_reports import reports as reports


def test_rouge_of_other_scripts_has_no_value_or_reads_them_all(examboard, tmp_path, bring):
    def means(measure):
        """The two runs' means, and the notes."""
        board = examboard(tmp_path / "store", "leaderboard", "c", "--measure", measure, "--format", "json")
        found = json.loads(board.out)
        return {row["run_id"]: row["mean"] for row in found["rows"]}, found["notes"]

    bring("bank", "texts/nuggets.jsonl", "--bank", "b")
    bring("responses", "texts/resp.jsonl")
    _, notes = means("ROUGE1")
    assert any("6 queries with nuggets mostly in other letters" in note for note in notes)
    for measure in ("ROUGE1(words=unicode)", "ROUGE2(words=unicode)", "ROUGEL(words=unicode)", "POURPRE"):
        own, _ = means(measure)
        assert own["echo"] > 0.99
        assert own["off-topic"] < 0.25


def test_one_sentence_in_two_encodings_has_one_value(examboard, tmp_path, bring):
    bring("bank", "texts/nfd_nuggets.jsonl", "--bank", "b")
    bring("responses", "texts/nfd_responses.jsonl")
    for measure in ("POURPRE", "ROUGE1", "ROUGE2", "ROUGEL(words=unicode)"):
        board = examboard(tmp_path / "store", "leaderboard", "c", "--measure", measure, "--format", "json")
        one, other = (row["mean"] for row in json.loads(board.out)["rows"])
        assert one == other > 0
