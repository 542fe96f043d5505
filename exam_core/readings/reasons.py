"""Why an answer can't be read: a closed list, each reason with what helps."""

from __future__ import annotations

from collections.abc import Mapping

UNREADABLE_ANSWERS = (
    "Answers from which no grade can be read. They count as no answer; a value that rests on them alone is undefined "
    "(0 in nugget scores and Judged)."
)

EMPTY = "empty"
THOUGHTS = "thoughts without an answer"
REFUSAL = "refusal"
SEVERAL = "several grades"
BETWEEN = "between two grades"
OFF_SCALE = "off the scale"
ANOTHER_SCALE = "on another scale"
NO_GRADE = "no grade in it"
IN_WORDS = "grade among other words"
UNVERIFIED = "verdict of the verifying model"

HELP: Mapping[str, str] = {
    EMPTY: "Allow longer answers, or ask another model.",
    THOUGHTS: "Allow longer answers, or ask for less thinking.",
    REFUSAL: "Ask another model.",
    SEVERAL: "The prompt should ask for one grade and nothing else; a mode of your own can say so.",
    BETWEEN: "The prompt should ask for whole grades; a mode of your own can say so.",
    OFF_SCALE: "The prompt should name the scale; a mode of your own can say so.",
    ANOTHER_SCALE: "The prompt should name the scale; a mode of your own can say so.",
    NO_GRADE: "The prompt should ask for the grade alone; a mode of your own can say so.",
    IN_WORDS: "--reading chat reads it, without asking the model again.",
    UNVERIFIED: "Name another model with --verifier.",
}
"""What helps, by the reason; these are all reasons."""


def by_count(reasons: Mapping[str, int]) -> list[tuple[str, int]]:
    """Reasons with their counts, the most frequent first."""
    return sorted(((reason, count) for reason, count in reasons.items() if count), key=lambda pair: (-pair[1], pair[0]))


def in_words(reasons: Mapping[str, int]) -> str:
    """Reasons with their counts in one line; empty where nothing is unreadable."""
    return ", ".join(f"{reason} {count:,}" for reason, count in by_count(reasons))
