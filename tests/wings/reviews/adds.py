"""What reviews add to tests of the whole."""

from __future__ import annotations

from typing import Any

from exam_core.asked import Asked
from exam_core.store import Store
from exam_core.wings.reviews import actions
from exam_core.wings.reviews.draw import Draw

AUTHOR = "Ann"
READING = {"review list": ["review list demo"]}
ELSEWHERE = {
    "import reviews": "wings/reviews/cli/test_review_commands.py",
    "review queue": "wings/reviews/cli/test_review_commands.py",
    "review import": "wings/reviews/cli/test_review_commands.py",
    "review export": "wings/reviews/cli/test_review_commands.py",
    "review agreement": "wings/reviews/cli/test_review_agreement.py",
    "review cost": "wings/reviews/cli/test_corrected.py",
}
WITHOUT_ROWS = ("review list demo",)
GOLDEN_ASKED = ("review list demo",)
# Of test_every_page.py and test_visiting.py.
CHARTS = {"pages/reviews/reviews.py": (0, 0, 0, 0)}
OF_PRINT = {"pages/reviews/reviews.py": "without passages to review"}
OF_DEMO = {"pages/reviews/reviews.py": "demo has no queue yet. Draw one"}
TAKES_GRADES: tuple[str, dict[str, str]] = ("pages/reviews/reviews.py", {})
PAGES_THAT_WRITE = {"pages/reviews/reviews.py": "reviewer"}
MORE_VIEWS = {"pages/reviews/reviews.py": ({"review_view": "Queues"}, {"review_view": "Agreement"})}


def golden_made(store: Store) -> None:
    """Review a part of a queue in a golden store."""
    queue = actions.draw_queue(store, "demo", Asked(bank="open", tau=3), Draw(n=4), author=AUTHOR)
    sent: list[dict[str, Any]] = [
        {"id": f"{number:032x}", "item": number, "kind": "answer", "answer": number} for number in range(3)
    ]
    actions.record_answers(store, "demo", queue, AUTHOR, sent)
