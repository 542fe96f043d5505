"""`examboard grade` of generated responses."""

import json

from tests.cli.test_grade_commands import examboard
from tests.cli.test_grade_commands import store as store


def test_generated_responses_are_graded_once_and_never_again(store, model_folder, tmp_path):
    del store
    responses, topics = tmp_path / "responses.jsonl", tmp_path / "topics.tsv"
    lines = [{"query_id": f"q{n}", "run_id": run, "text": f"iron {run} {n}"} for n in range(3) for run in ("a", "b")]
    responses.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    topics.write_text("".join(f"q{n}\twhat is metal {n}\n" for n in range(3)), "utf-8")
    examboard("import", "responses", responses, "--collection", "c")
    examboard("import", "topics", topics, "--collection", "c")
    command = ("grade", "c", "--grader", "thomas", "--model", model_folder, "--device", "cpu")
    assert "6 grades, 6 prompts answered now" in examboard(*command)
    assert "nothing to grade; all 6 grades are there" in examboard(*command)
