"""Prompts that ask a model for the questions of a query: as the papers print them, and a user's own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from exam_core.errors import UsageError

FIELDS = {"query": "the query", "subtopic": "a part of it", "n": "how many questions"}
"""What a template may name in braces."""
LONGEST = 20_000
_FIELD = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class QuestionPrompt:
    """A prompt for questions.

    Parameters
    ----------
    template : its words; `{query}`, `{subtopic}` and `{n}` are filled in, `{{n}}` is {n} itself
    source : where it is printed
    """

    name: str
    template: str
    source: str = ""

    @property
    def wants_subtopics(self) -> bool:
        """Whether it is asked for each subtopic of a query."""
        return "subtopic" in _named(self.template)

    def words(self, query: str, subtopic: str = "", n: int = 10) -> str:
        """The prompt for a query."""
        values = {"query": query, "subtopic": subtopic, "n": str(n)}
        # In one go: a query may hold braces itself.
        return _FIELD.sub(lambda field: f"{{{field[1]}}}" if field[1] else values[field[2]], self.template)


_ADVANCED = (
    "Explore the connection between '{query}' with a specific focus on the subtopic '{subtopic}'. Generate insightful "
    "questions that delve into advanced aspects of '{subtopic}', showcasing a deep understanding of the subject "
    "matter. Avoid basic or introductory-level inquiries. Give the question set in "
)
PROMPTS = {
    prompt.name: prompt
    for prompt in (
        QuestionPrompt(
            "trec-dl",
            "Break the query '{query}' into concise questions that must be answered. Generate {n} concise insightful "
            "questions that reveal whether information relevant for '{query}' was provided, showcasing a deep "
            "understanding of the subject matter. Avoid basic or introductory-level inquiries. Keep the questions "
            "short and in a Python list format.",
            "Farzi & Dietz 2024 (An Exam-based Evaluation Approach Beyond Traditional Relevance Judgments), table 1, "
            "TREC DL",
        ),
        QuestionPrompt(
            "car",
            f"{_ADVANCED}a Python list format.",
            "Farzi & Dietz 2024 (An Exam-based Evaluation Approach Beyond Traditional Relevance Judgments), table 1, "
            "TREC CAR Y3",
        ),
        QuestionPrompt(
            "car-json",
            f"{_ADVANCED}the following JSON format:\n"
            '```json\n{"questions":[question_text_1, question_text_2,...]}\n```',
            "Farzi & Dietz 2024 (EXAM++), table 1",
        ),
    )
}
"""The papers' prompts by name; where they print 10 for TREC DL, it is the default of {n}."""


def prompt_named(name: str, template: str = "") -> QuestionPrompt:
    """A prompt of the papers, or one's own words under a name.

    Raises UsageError where there is no such prompt, or its words can't be filled in.
    """
    if template:
        return own_prompt("own" if name in PROMPTS else name, template)
    if name not in PROMPTS:
        raise UsageError(f"There is no prompt {name}. There are: {', '.join(PROMPTS)}; or name a file with your own.")
    return PROMPTS[name]


def own_prompt(name: str, template: str) -> QuestionPrompt:
    """A user's own prompt, checked.

    Raises UsageError where it doesn't name the query, names what there is not, is too long, or holds control
    characters.
    """
    if len(template) > LONGEST:
        raise UsageError(f"Prompt {name}: has {len(template):,} characters; {LONGEST:,} are the most.")
    if found := _CONTROL.search(template):
        line = template.count("\n", 0, found.start()) + 1
        raise UsageError(f"Prompt {name}: line {line} holds the control character U+{ord(found[0]):04X}. Leave it out.")
    unknown = [field for field in _named(template) if field not in FIELDS]
    known = ", ".join(f"{{{field}}} ({meaning})" for field, meaning in FIELDS.items())
    if unknown:
        raise UsageError(
            f"Prompt {name}: {{{unknown[0]}}} is nothing that can be filled in. There are: {known}.\n"
            f"For the word in braces itself, write {{{{{unknown[0]}}}}}."
        )
    if "query" not in _named(template):
        raise UsageError(f"Prompt {name}: no place for the query: write {{query}} there. There are: {known}.")
    return QuestionPrompt(name, template)


def _named(template: str) -> Iterable[str]:
    return list(dict.fromkeys(field[2] for field in _FIELD.finditer(template) if field[2]))
