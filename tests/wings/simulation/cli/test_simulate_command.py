"""`examboard simulate`."""

import json


def test_simulate_prints_what_it_made(examboard, tmp_path):
    done = examboard(tmp_path, "simulate", "s", "--queries", 5, "--passages", 50, "--runs", 3, "--questions", 4)
    counts = "s: 5 queries, 50 passages, 20 questions, 200 grades, 150 rankings, "
    assert (done.status, done.out[: len(counts)]) == (0, counts)


def test_what_is_simulated_can_be_evaluated_at_once(examboard, tmp_path):
    examboard(tmp_path, "simulate", "s", "--queries", 5, "--passages", 150, "--seed", 7)
    done = examboard(tmp_path, "leaderboard", "s", "--measure", "Cover@20", "--format", "json")
    answer = json.loads(done.out)
    assert (answer["bank"], answer["grader"]) == ("simulated", "simulated.latent-quality")
    assert len(answer["rows"]) == 22
    assert answer["correlation"]["official"]["n"] == 16


def test_a_size_out_of_range_is_one_sentence(examboard, tmp_path):
    done = examboard(tmp_path, "simulate", "s", "--judged", 2)
    assert (done.status, done.err) == (2, "--judged 2.0: give a share above 0 and up to 1.\n")
