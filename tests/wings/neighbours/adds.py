"""What the neighbour methods add to tests of the whole."""

from __future__ import annotations

from exam_core.request import Request
from tests.wings.neighbours.nuggets_twin import TWINS as TWINS

READING = {
    "nuggets": [
        "nuggets demo-nuggets --grader nuggetizer",
        "nuggets demo-nuggets --grader nuggetizer --per-query",
        "nuggets demo-nuggets --grader nuggetizer --variability --draws 20",
    ],
    "citations": [
        "citations demo-nuggets --grader lexical.pourpre-idf",
        "citations demo-nuggets --grader lexical.pourpre-idf --claims",
    ],
    "nrp": ["nrp demo-answers", "nrp demo-answers --systems", "nrp demo-answers --per-query"],
    "nrp-expert": ["nrp-expert demo-answers"],
    "nrp-rankers": ["nrp-rankers demo-answers"],
}
ELSEWHERE = {
    "bench texts": "wings/neighbours/test_bench.py",
    "nrp-rank": "wings/neighbours/test_nrp_commands.py",
    "import responses": "cli/test_grade_commands.py",
    "import assignments": "wings/neighbours/test_assignments.py",
    "import answers": "wings/neighbours/test_nrp_commands.py",
    "import ranks": "wings/neighbours/test_nrp_commands.py",
    "import orders": "wings/neighbours/test_nrp_commands.py",
}
WRITING = ("nrp-rank demo-answers --by bm25",)
# Of test_slides.py of the stage.
OF_OTHERS = {
    "Nuggets": ("demo-nuggets", "nuggetizer", Request(tau=4)),
    "Generated answers": ("demo-answers", "NRP", Request("NRP", tau=4)),
}

# Of test_addresses.py, test_bar.py, test_home.py and test_share_and_export.py.
POURPRE = {"collection": "demo-nuggets", "measure": "POURPRE"}
BARS = (
    ("pages/leaderboard/leaderboard.py", POURPRE, ("depth",), ("tau", "modes")),
    ("pages/agreement/agreement.py", POURPRE, ("measure",), ("scores",)),
)
WITHOUT_EXAMPLE = ("demo-answers",)
OWN_TAU = (("demo-nuggets", "nuggetizer", 2),)
UNFILLED = (("demo-answers", {"Nuggets", "Agreement", "Reviews"}), ("demo-nuggets", {"Generated answers", "Agreement"}))
# A mode with a scale of its own has a tau of its own.
STEMS = (({"collection": "demo-nuggets", "modes": "nuggetizer", "tau": "4"}, "demo-nuggets-Cover-20-tau1-Nuggetizer"),)
# Of test_every_page.py and test_judgments_alone.py.
CHARTS = {"pages/neighbours/nuggets.py": (0, 0, 0, 0), "pages/neighbours/generated.py": (0, 0, 0, 0)}
OF_PRINT = {
    "pages/neighbours/nuggets.py": "the papers print no nuggets",
    "pages/neighbours/generated.py": "There are no generated answers here",
}
OF_DEMO = {
    "pages/neighbours/nuggets.py": "no nuggets to score. Choose a collection with nuggets, such as demo-nuggets",
    "pages/neighbours/generated.py": "The demo has some in its collection demo-answers",
}
NEEDS_GRADES = {"pages/neighbours/nuggets.py": "This page counts nuggets by grades."}

BEGINNINGS = {
    "assigned.txt": ('{"qid": "q1", "nuggets": [{"text": "n", "assignment": "support"}]}\n', "assignments"),
    "a long answer.txt": (f'{{"qid": "q1", "answer_text": "{"word " * 2000}", "nuggets": []}}\n', "assignments"),
    "documents first.json": (
        '[{"documents": {"d1": {"id": "d1", "text": "t"}}, "metadata": {"topic_id": 1',
        "responses",
    ),
    "track.txt": ('{"run_id": "a", "topic_id": "q1", "references": [], "answer": []}\n', "responses"),
    "k.txt": ('{"query_id": "q1", "run_id": "a", "text": "Rain falls."}\n', "responses"),
    "answers.jsonl": (
        '{"model": "m", "prompt": "p", "qid": 1, "answer_number": 2, "answer": "Rain falls."}\n',
        "answers",
    ),
    "answers.csv": ('system,prompt,query_id,sample,answer\nm,p,q1,1,"Rain,\nit falls"\n', "answers"),
    "ranks.csv": ("model,prompt,qid,answer_number,rank_zero_based,documents_including_answer\n", "ranks"),
    "more ranks.csv": ("system,prompt,query_id,sample,rank,documents\n", "ranks"),
    "orders.csv": ("task_id,query,system_ranking_best_first,expert_ranking_best_first\n", "orders"),
}
SAMPLES = {
    "responses": '{"query_id": "q1", "text": "because", "run_id": "b"}\n',
    "answers": '{"system": "a", "prompt": "p", "query_id": "q1", "sample": 1, "answer": "because"}\n',
}
WITH_TEXTS = (
    ("answers", "system,prompt,answer", "m,p,a"),
    ("ranks", "system,prompt,sample,rank,documents", "m,p,1,1,2"),
)
FORMS = (
    ("tables/ans_semi.csv", "answers", "1 answer"),
    ("tables/ranks_semi.csv", "ranks", "1 rank"),
    ("responses/request_sentences.jsonl", "responses", "1 response, 1 passage, 3 citations"),
    ("responses/metadata_responses_scores.jsonl", "responses", "1 response, 1 passage, 2 citations"),
    ("responses/metadata_narrative_answer.jsonl", "responses", "1 response, 1 passage, 3 citations"),
    ("responses/metadata_responses_documents.jsonl", "responses", "1 response, 1 passage, 1 citation, 1 document"),
)
# Of test_pipes_and_names.py.
OPTIONS_WITH_NAMES = (("responses", "--run"), ("assignments", "--run"), ("assignments", "--grader"))
LOOKS_LIKE = [
    (
        "bank",
        ["--bank", "b"],
        '{"qid": "q", "run_id": "r", "answer_text": "a", "nuggets": []}\n',
        "It looks like nugget assignments; import it with: examboard import assignments ",
    )
]
CITED = ("demo-nuggets",)
