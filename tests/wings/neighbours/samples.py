"""Sides made by hand and of real data, for the tests of measures of texts."""

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exam_core.wings.neighbours.sides import Nugget, Sides

WORDS = "alpha beta gamma delta running runs ran the of a".split()
MANY_SCRIPTS = [*WORDS[4:], "Мельница", "мельницы", "日本の", "月は", "ภาษาไทยไม่", "ไทย", "mühle", "mu\u0308hle", "هنا"]


def sides_of(
    answers: Sequence[Sequence[Sequence[str]]], nuggets: Sequence[Sequence[Nugget | str]], documents: Sequence[str] = ()
) -> Sides:
    """Sides from answer strings by run and query, and nuggets by query; texts alone are vital."""
    return Sides(
        run_ids=[f"run {run}" for run in range(len(answers))],
        query_ids=[f"q{query}" for query in range(len(nuggets))],
        strings={
            (run, query): strings for run, own in enumerate(answers) for query, strings in enumerate(own) if strings
        },
        nuggets=[
            [Nugget(str(place), one) if isinstance(one, str) else one for place, one in enumerate(own)]
            for own in nuggets
        ],
        documents=lambda: documents,
    )


def random_sides(seed: int, *, runs: int = 4, queries: int = 5, words: Sequence[str] = WORDS) -> Sides:
    """Random sentences of few words; with queries without nuggets, empty texts, and runs that returned nothing."""
    rng = random.Random(seed)

    def sentence(most: int) -> str:
        """Some words, with punctuation between."""
        return "".join(rng.choice(words) + rng.choice([" ", " ", ", ", "-"]) for _ in range(rng.randint(0, most))) + "."

    def passage() -> str:
        """Some sentences; the capital makes them end."""
        return " ".join(sentence(7).capitalize() for _ in range(rng.randint(1, 3)))

    answers = [[[passage() for _ in range(rng.randint(0, 3))] for _ in range(queries)] for _ in range(runs)]
    nuggets = [
        [Nugget(str(n), sentence(6), rng.random() < 0.6, rng.choice([0.0, 0.5, 1.0])) for n in range(rng.randint(0, 4))]
        for _ in range(queries)
    ]
    return sides_of(answers, nuggets, [passage() for _ in range(7)])


def rag24(folder: Path, every: int = 1) -> tuple[Sides, list[dict[str, Any]]]:
    """The RAG 2024 answers of one system against the nuggets, and what a model assigned each nugget, of some topics."""

    def rows(name: str) -> list[dict[str, Any]]:
        """The lines of a file."""
        with gzip.open(folder / "data/rag24_nuggets" / name, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    answers = {row["topic_id"]: row["answer"] for row in rows("answers_gpt-4o.jsonl.gz")}
    assigned = rows("assignments_gpt-4o.jsonl.gz")[::every]
    # a line is a sentence to the Perl script
    answered = [[" ".join(one["text"].split("\n")) for one in answers[row["qid"]]] for row in assigned]
    nuggets = [
        [Nugget(str(place), " ".join(one["text"].split("\n")), one["importance"] == "vital") for place, one in found]
        for found in (enumerate(row["nuggets"]) for row in assigned)
    ]
    return sides_of([answered], nuggets), assigned
