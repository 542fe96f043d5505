"""A grading mode: what it asks about a passage, and how it reads the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from exam_core.grading.asking import Prompt
from exam_core.grading.modes import prompts
from exam_core.grading.modes.ratings import Verdict, denies_an_answer, rating, verdict_of, yes_or_no
from exam_core.grading.modes.verification import Verifier, is_correct, spelled_out
from exam_core.grading.options import Reading, Unreadable
from exam_core.readings.chat import YES_OR_NO, Scale, bare_answer, read_grade
from exam_core.readings.reasons import EMPTY, IN_WORDS, UNVERIFIED

FLAN_T5 = "google/flan-t5-large"
SQUAD2 = "sjrhuschlee/flan-t5-large-squad2"


@dataclass(frozen=True)
class Asked:
    """All that a mode may want to know.

    Parameters
    ----------
    question_text : the exam question or nugget; empty for direct labels
    gold_answers : the question's answer key; empty if it has none
    query_text : for direct labels
    choices : the choices of a multiple-choice question, where the bank has them
    """

    passage_text: str
    question_text: str = ""
    gold_answers: tuple[str, ...] = ()
    query_text: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mode:
    """One way of grading.

    Parameters
    ----------
    about : one sentence for people
    source : paper and section
    template : the prompt's words with {question} and {context}
    prompt_class : what the authors' code calls it
    item : what a grade is for: a question, a nugget, or the passage itself
    scale : the largest grade
    verifier : how an extracted answer is checked against the answer key; None where the model grades
    kind : generate (the model writes) or extract (it marks a span of the passage)
    model : the papers' model
    reading : how answers are read; auto: as FLAN-T5 writes them, until a job says what runs the model
    """

    name: str
    about: str
    source: str
    template: str
    prompt_class: str
    item: Literal["question", "nugget", "passage"] = "question"
    scale: Literal[1, 2, 5] = 5
    verifier: Verifier | None = None
    kind: Literal["generate", "extract"] = "generate"
    model: str = FLAN_T5
    reading: Reading = "auto"

    @property
    def needs_key(self) -> bool:
        """Whether each question must have gold answers."""
        return self.verifier is not None

    @property
    def verifying_model(self) -> str | None:
        """The model that verifies answers; None where words are compared or nothing is verified."""
        return FLAN_T5 if self.verifier == "llm" else None

    @property
    def rated(self) -> bool:
        """Whether the model itself gives the grade."""
        return self.verifier is None

    @property
    def _style(self) -> str:
        """The prompt's first words, as the authors' files have them."""
        if self.kind == "extract":
            return "question and passage, without instruction"
        return self.template.partition("\n")[0].partition(" Question:")[0]

    def prompt(self, asked: Asked) -> Prompt:
        """What to ask about one passage."""
        question = asked.query_text if self.item == "passage" else asked.question_text
        return prompts.prompt_of(self.template, question, asked.passage_text)

    def read(self, answer: str | None, asked: Asked, rules: Unreadable = "null") -> Verdict:
        """What an answer is worth; None (the model failed) is always unreadable.

        Verification by words finds any answer right or wrong, so `rules` matters for ratings and labels only, and only
        as FLAN-T5 writes them. A mode that has a model verify gets its verdict from `verify_prompts` and `verdict`.
        """
        if answer is None:
            return verdict_of(None, EMPTY)
        if self.verifier == "llm":
            raise ValueError(f"{self.name} needs the replies of a verifying model: see Mode.verdict")
        if self.verifier:
            said, reason = self.answer_in(answer)
            grade = None if reason else int(is_correct(said, asked.gold_answers, self.verifier))
            return verdict_of(grade, reason)
        if self.reading == "chat":
            found = read_grade(answer, self.grades)
            return verdict_of(found.grade, found.reason)
        read = partial(yes_or_no, answer) if self.scale == 1 else partial(rating, answer, scale=self.scale)
        if (grade := read(rules="null")) is not None:
            return verdict_of(read(rules=rules))
        by_rule = None if rules == "null" else read(rules=rules)
        return verdict_of(by_rule, read_grade(answer, self.grades).reason or IN_WORDS)

    @property
    def grades(self) -> Scale:
        """The grades that are asked for."""
        return Scale(self.scale, YES_OR_NO if self.scale == 1 else ())

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of a grade, which `chat` reads; None where words are compared, not grades given."""
        if self.verifier:
            return None
        name, values = ("answer", ["Yes", "No"]) if self.scale == 1 else ("rating", [*range(self.scale + 1)])
        kind = "string" if self.scale == 1 else "integer"
        return {
            "type": "object",
            "properties": {name: {"type": kind, "enum": values}},
            "required": [name],
            "additionalProperties": False,
        }

    def answer_in(self, answer: str) -> tuple[str, str]:
        """The words of an answer that are compared with the key, and why there are none."""
        return bare_answer(answer) if self.reading == "chat" else (answer, "")

    def verify_prompts(self, answer: str, asked: Asked) -> list[Prompt]:
        """One question to the verifying model for each gold answer.

        None for an answer that says that there is none ("unanswerable", "(iii)", or nothing): it is wrong unasked.

        Parameters
        ----------
        answer : as `answer_in` gives it
        """
        if denies_an_answer(answer) and not is_correct(answer, asked.gold_answers):
            return []
        golds = (spelled_out(gold, asked.choices) for gold in asked.gold_answers if gold.strip())
        return [prompts.verification_prompt(asked.question_text, gold, answer) for gold in golds]

    def verdict(self, replies: Sequence[str | None]) -> Verdict:
        """Right if one of the verifying model's replies is yes, wrong if all are no, else unreadable."""
        if self.reading == "chat":
            read = {None if reply is None else read_grade(reply, Scale(1, YES_OR_NO)).grade for reply in replies}
        else:
            said = (None if reply is None else reply.strip().lower() for reply in replies)
            read = {{"yes": 1, "no": 0}.get(reply or "") for reply in said}
        if 1 in read:
            return verdict_of(1)
        return verdict_of(0) if read <= {0} else verdict_of(None, UNVERIFIED)

    def described(self, model: str, options: Mapping[str, str]) -> dict[str, Any]:
        """What the store keeps of such a grader, with all that the authors' file format asks for.

        Parameters
        ----------
        options : decoding, reading and verification options, departing from the default or not
        """
        kind = "direct" if self.item == "passage" else "exam"
        info: dict[str, Any] = {
            "prompt_class": self.prompt_class,
            "prompt_style": self._style,
            "context_first": False,
            "check_unanswerable": True,
            "check_answer_key": self.needs_key,
            "is_self_rated": self.rated,
        }
        if self.verifier:
            info["answer_verifier"] = self.verifier
        return {
            "kind": kind,
            "item": None if kind == "direct" else self.item,
            "scale": self.scale,
            "rated": self.rated,
            "mode": self.name,
            "about": self.about,
            "source": self.source,
            "llm": model,
            "llm_options": dict(options),
            "prompt": self.template,
            "prompt_info": info,
            "prompt_type": "direct_grading" if kind == "direct" else self.item,
        }
