"""Files for the tests of imports, made as the authors' workbench makes them, and what a store shows."""

import hashlib
import json
import random
from pathlib import Path
from typing import Any

from exam_core.store import Snapshot
from exam_core.tables import TABLES

MODEL, PROMPT = "flan-t5", "QuestionSelfRatedUnanswerablePromptWithChoices"
GRADER = f"{MODEL}.{PROMPT}"


def workbench(
    path: Path, *, seed: int = 0, queries: int = 2, docs: int = 3, questions: int = 2, first: int = 1
) -> Path:
    """Write a graded file: every query has its own passages and questions, and two runs rank them.

    Another seed gives other grades, scores, judgments and answers to the same questions.
    """
    dice = random.Random(seed)
    lines = [_line(f"q{number}", docs, questions, dice, seed) for number in range(first, first + queries)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return path


def _line(query_id: str, docs: int, questions: int, dice: random.Random, seed: int) -> list[Any]:
    passages = []
    for doc in range(docs):
        doc_id = f"{query_id}-d{doc}"
        ratings = {f"{query_id}/{number}": dice.randint(0, 5) for number in range(questions)}
        rankings = [
            {"method": run, "paragraphId": doc_id, "queryId": query_id, "rank": doc + 1, "score": dice.random() - doc}
            for run in ("bm25", "dense")
        ]
        judgment = {"paragraphId": doc_id, "query": query_id, "relevance": dice.randint(0, 3), "titleQuery": query_id}
        passages.append(
            {
                "paragraph_id": doc_id,
                "text": f"Passage {doc_id} in edition {seed}.",
                "exam_grades": [_grades(ratings)],
                "paragraph_data": {"judgments": [judgment], "rankings": rankings},
            }
        )
    return [query_id, passages]


def _grades(ratings: dict[str, int]) -> dict[str, Any]:
    right = [name for name, rating in ratings.items() if rating > 0]
    return {
        "correctAnswered": right,
        "wrongAnswered": [name for name in ratings if name not in right],
        "answers": [[name, str(rating)] for name, rating in ratings.items()],
        "llm": MODEL,
        "llm_options": {},
        "exam_ratio": len(right) / len(ratings),
        "self_ratings": [{"question_id": name, "self_rating": rating} for name, rating in ratings.items()],
        "prompt_info": {"prompt_class": PROMPT, "is_self_rated": True},
    }


def bank(path: Path, texts: dict[str, dict[str, str | None]], **fields: Any) -> Path:
    """Write a bank from query_id -> question_id -> text; `fields` go to every question."""
    lines = [
        {
            "query_id": query_id,
            "query_text": f"text of {query_id}",
            "items": [{"question_id": name, "question_text": text, **fields} for name, text in items.items()],
        }
        for query_id, items in texts.items()
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def written(path: Path, text: str) -> Path:
    """Write a text file."""
    path.write_text(text, encoding="utf-8")
    return path


def content(snapshot: Snapshot) -> dict[str, tuple[int, str]]:
    """Rows of every table and a checksum over all their values, in order."""
    sums = {}
    for name in TABLES:
        frame = snapshot.frame(name)
        text = frame.to_json(orient="values", double_precision=15)
        sums[name] = (len(frame), hashlib.sha256(text.encode()).hexdigest())
    return sums
