"""Prompts that ask a model for questions, as the papers print them or as a user writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated

from exam_core.declared import Field
from exam_core.errors import UsageError
from exam_core.grading.options import GradingOptions

FIELDS = {"query": "the query", "subtopic": "a part of it", "n": "how many questions"}
"""What a template may name in braces."""
LONGEST = 20_000
_FIELD = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class QuestionPrompt:
    """A prompt for questions; `source` is where it is printed.

    In `template`, `{query}`, `{subtopic}` and `{n}` are filled in, `{{n}}` is {n} itself.
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
    if match := _CONTROL.search(template):
        line = template.count("\n", 0, match.start()) + 1
        raise UsageError(f"Prompt {name}: line {line} holds the control character U+{ord(match[0]):04X}. Leave it out.")
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


@dataclass(frozen=True)
class GenerationOrder:
    """Which questions are to be written, by whom, how; what is empty is at its default."""

    collection: Annotated[str, Field("Name of the collection.")]
    bank: Annotated[
        str, Field("Question bank that gets the questions, as a new version; a new name makes a bank.", "--bank")
    ]
    prompt: Annotated[
        str,
        Field(
            "trec-dl, car or car-json as in the papers, or a file with {query}, perhaps {subtopic} and {n}.",
            label="Prompt",
            explained="The papers' prompts, or words of your own.",
        ),
    ] = "trec-dl"
    template: Annotated[str, Field("The words of a prompt of your own, instead of a file.")] = ""
    options: GradingOptions = field(default_factory=GradingOptions)
    questions: Annotated[
        int,
        Field(
            "Number to ask for, if the prompt has {n}; all questions that a model writes are taken.",
            least=1,
            most=100,
            label="Questions for each query",
            explained="Number to ask for; a model may write more or fewer, and all are taken. The prompts for CAR name "
            "no number.",
        ),
    ] = 10
    queries: Annotated[
        str | None,
        Field(
            "Only these queries, comma-separated.",
            commas=True,
            label="Queries",
            explained="Query ids, comma-separated. If empty: all queries with a text.",
        ),
    ] = None
    schema: Annotated[bool, Field("Ask the server for JSON by a schema; if it refuses, ask without.")] = False
    reason: Annotated[
        str | None,
        Field(
            "Reason, kept with the version; by default the model and prompt.",
            label="Reason",
            explained="Kept with the version. If empty: the model and the prompt.",
        ),
    ] = None

    @property
    def as_meant(self) -> GenerationOrder:
        """The order with what is meant."""
        return replace(self, options=self.options.as_meant, reason=self.reason or None, queries=self.queries or None)


@dataclass(frozen=True)
class GenerationRequest:
    """What a job is asked for: to have questions written, or, by `plan`, to say what that would take."""

    order: GenerationOrder
    plan: Annotated[bool, Field("Print the prompts, time and price, and stop.")] = False
    price: Annotated[float | None, Field("Price of an hour of this machine, for the plan.", least=0)] = None
