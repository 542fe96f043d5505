"""A grading mode: what it asks about a passage, and how it reads the answer."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import msgspec

from exam_core.grading.backend import Reading
from exam_core.grading.modes import prompt_texts
from exam_core.grading.modes.ratings import (
    Verdict,
    Verifier,
    denies_an_answer,
    is_correct,
    rating,
    verdict_of,
    yes_or_no,
)
from exam_core.grading.modes.toml import to_toml
from exam_core.grading.options import Unreadable
from exam_core.grading.prompt import Prompt
from exam_core.readings.chat import YES_OR_NO, ClaimedScale, bare_answer, read_grade
from exam_core.readings.reasons import EMPTY, IN_WORDS, UNVERIFIED

_ONLY_SAID = ("about", "source", "prompt_class", "model", "reading")
"""What changes no prompt; the model and the reading have places of their own in a grader's name."""
_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
Item = Literal["question", "nugget", "passage", "citation"]
FLAN_T5 = "google/flan-t5-large"
SQUAD2 = "sjrhuschlee/flan-t5-large-squad2"


def filled(text: str, names: Mapping[str, str]) -> str:
    """A text with what is said for its placeholders, all at once: what is put in holds none. Others stay."""
    return _PLACEHOLDER.sub(lambda placeholder: names.get(placeholder[1], placeholder[0]), text)


@dataclass(frozen=True)
class ModeInput:
    """All that a mode may want to know.

    Parameters
    ----------
    question_text : the exam question or nugget; empty for direct labels
    gold_answers : the question's answer key; empty if it has none
    query_text : for direct labels
    """

    passage_text: str
    question_text: str = ""
    gold_answers: tuple[str, ...] = ()
    query_text: str = ""


@dataclass(frozen=True)
class Example:
    """A passage that is graded already, to show a model how."""

    passage: str
    answer: str
    question: str = ""
    query: str = ""


@dataclass(frozen=True)
class Mode:
    """One way of grading: of the papers, or somebody's own, as a value.

    Parameters
    ----------
    about : one sentence for people
    source : paper and section
    text : the prompt with {passage}, {question} or {query}, and {examples} where there are some
    prompt_class : what the authors' code calls it; empty of modes that are none of the papers'
    item : what a grade is for: a question, a nugget, the passage itself, or its citation by a sentence, which then
        stands in the place of a question
    scale : the largest grade
    words : words that mean grades, where a model is not to say numbers; of a scale that ends at 1 by default yes and no
    pattern : a regular expression whose one group is the grade, where an answer is read by nothing else
    system : what a server is told before the prompt; other models read it at the prompt's head
    example : how each example stands in the prompt, with {passage}, {question} or {query}, and {answer}
    verifier : how an extracted answer is checked against the answer key; None where the model grades
    kind : generate (the model writes) or extract (it marks a span of the passage)
    model : the papers' model
    reading : how answers are read; auto: as FLAN-T5 writes them, until a job says what runs the model
    """

    name: str
    about: str
    source: str
    text: str
    prompt_class: str = ""
    item: Item = "question"
    scale: int = 5
    words: tuple[tuple[str, int], ...] = ()
    pattern: str = ""
    system: str = ""
    example: str = ""
    examples: tuple[Example, ...] = ()
    verifier: Verifier | None = None
    kind: Literal["generate", "extract"] = "generate"
    model: str = FLAN_T5
    reading: Reading = "auto"

    @property
    def digest(self) -> str:
        """Eight letters that are the same for modes alone that ask and read alike, whatever is said of them."""
        fields = {name: value for name, value in asdict(self).items() if name not in _ONLY_SAID}
        if not self.pattern:  # which modes had none of before: their names stay
            del fields["pattern"]
        return hashlib.sha256(msgspec.json.encode(fields, order="sorted")).hexdigest()[:8]

    @property
    def called(self) -> str:
        """Its name in those of graders; with a hash of what it asks and reads, unless it is one of the papers'."""
        return self.name if self.prompt_class else f"{self.name}-{self.digest}"

    @property
    def toml(self) -> str:
        """The file that makes this mode."""
        return to_toml(self)

    @cached_property
    def _shown(self) -> str:
        """The examples as they stand in the prompt."""
        return "".join(filled(self.example, asdict(example)) for example in self.examples)

    @property
    def template(self) -> str:
        """The prompt's words as the authors' files have them: {context} is the passage, {question} may be the query."""
        query = "{question}" if self.item == "passage" else "{query}"
        return filled(self.text, {"examples": self._shown, "passage": "{context}", "query": query})

    @property
    def asks_a_bank(self) -> bool:
        """Whether the questions of a bank are asked."""
        return self.item in ("question", "nugget")

    @property
    def needs_query(self) -> bool:
        """Whether the query's words are part of the prompt."""
        return self.item == "passage" or "{query}" in self.text

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

    def prompt(self, mode: ModeInput) -> Prompt:
        """What to ask about one passage."""
        question = mode.query_text if self.item == "passage" else mode.question_text
        names = {"question": mode.question_text, "query": mode.query_text, "examples": self._shown}
        head, _, tail = self.text.partition("{passage}")
        return Prompt(filled(head, names), mode.passage_text, filled(tail, names), question)

    def read(
        self,
        answer: str | None,
        mode: ModeInput,
        rules: Unreadable = "null",
        likelihoods: Mapping[str, float] | None = None,
    ) -> Verdict:
        """What an answer is worth; None (the model failed) is always unreadable.

        Verification by words finds any answer right or wrong, so `rules` matters for ratings and labels only, and only
        as FLAN-T5 writes them. A mode that has a model verify gets its verdict from `verify_prompts` and `verdict`.
        Of log-likelihoods of answers by their words, a mode that rates makes the expected grade (`expected`).
        """
        if answer is None:
            return verdict_of(None, EMPTY)
        if self.verifier == "llm":
            raise ValueError(f"{self.name} needs the replies of a verifying model: see Mode.verdict")
        if self.verifier:
            words, reason = self.answer_in(answer)
            grade = None if reason else int(is_correct(words, mode.gold_answers, self.verifier))
            return verdict_of(grade, reason)
        verdict = self._rate(answer, rules)
        if verdict.grade is None or not likelihoods:
            return verdict
        return replace(verdict, decimal=self.expected(likelihoods))

    def _rate(self, answer: str, rules: Unreadable) -> Verdict:
        """What an answer is worth whose model gives the grade itself."""
        if self.reading == "chat":
            read_answer = read_grade(answer, self.grades)
            return verdict_of(read_answer.grade, read_answer.reason)
        read = self._as_flan_t5(answer)
        if read(rules="null") is not None:
            return verdict_of(read(rules=rules))
        by_rule = None if rules == "null" else read(rules=rules)
        return verdict_of(by_rule, read_grade(answer, self.grades).reason or IN_WORDS)

    def expected(self, likelihoods: Mapping[str, float]) -> float | None:
        """The mean of the grades that answers give, weighted by the answers' likelihoods, which are logarithms.

        Answers that can't be read have no weight; None where none can be read.

        Source: Liu et al. 2023 (G-Eval), section 2.
        """
        grades = {text: self._rate(text, "null").grade for text in likelihoods}
        pairs = [(grade, likelihoods[text]) for text, grade in grades.items() if grade is not None]
        if not pairs:
            return None
        most = max(likelihood for _, likelihood in pairs)
        weights = [math.exp(likelihood - most) for _, likelihood in pairs]
        return math.fsum(grade * weight for (grade, _), weight in zip(pairs, weights, strict=True)) / math.fsum(weights)

    def _as_flan_t5(self, answer: str) -> Callable[..., int | None]:
        """What an answer is worth by some `rules`, as FLAN-T5 writes it."""
        if self.words:
            word = answer.strip().strip("\"'").removesuffix(".").lower()
            return lambda rules: dict(self.words).get(word, None if rules == "null" else 0)
        return partial(yes_or_no, answer) if self.scale == 1 else partial(rating, answer, scale=self.scale)

    @property
    def grades(self) -> ClaimedScale:
        """The grades that are asked for."""
        return ClaimedScale(self.scale, self.words or (YES_OR_NO if self.scale == 1 else ()), self.pattern)

    def answer_in(self, answer: str) -> tuple[str, str]:
        """The words of an answer that are compared with the key, and why there are none."""
        return bare_answer(answer) if self.reading == "chat" else (answer, "")

    def verify_prompts(self, answer: str, mode: ModeInput) -> list[Prompt]:
        """One question to the verifying model for each gold answer; `answer` is as `answer_in` gives it.

        None for an answer that says that there is none ("unanswerable", "(iii)", or nothing): it is wrong unasked.
        """
        if denies_an_answer(answer) and not is_correct(answer, mode.gold_answers):
            return []
        golds = filter(str.strip, mode.gold_answers)
        return [prompt_texts.verification_prompt(mode.question_text, gold, answer) for gold in golds]

    def verdict(self, replies: Sequence[str | None]) -> Verdict:
        """Right if one of the verifying model's replies is yes, wrong if all are no, else unreadable."""
        if self.reading == "chat":
            read = {None if reply is None else read_grade(reply, ClaimedScale(1, YES_OR_NO)).grade for reply in replies}
        else:
            read = {{"yes": 1, "no": 0}.get((reply or "").strip().lower()) for reply in replies}
        if 1 in read:
            return verdict_of(1)
        return verdict_of(0) if read <= {0} else verdict_of(None, UNVERIFIED)

    def described(self, model: str, options: Mapping[str, str]) -> dict[str, Any]:
        """What the store keeps of such a grader, with all that the authors' file format asks for.

        `options` are decoding, reading and verification, departing from the default or not.
        """
        from exam_core.store.evidence import SUPPORT  # loads DuckDB

        kind = {"passage": "direct", "citation": SUPPORT}.get(self.item, "exam")
        style = self.text.partition("\n")[0].partition(" Question:")[0]  # as the authors' files have it
        info: dict[str, Any] = {
            "prompt_class": self.prompt_class or self.called,
            "prompt_style": "question and passage, without instruction" if self.kind == "extract" else style,
            "context_first": False,
            "check_unanswerable": True,
            "check_answer_key": self.needs_key,
            "is_self_rated": self.rated,
        }
        if self.verifier:
            info["answer_verifier"] = self.verifier
        if not self.prompt_class:
            info["mode"] = self.toml
        of_reading = {"words": dict(self.words), "pattern": self.pattern}
        return {name: value for name, value in of_reading.items() if value} | {
            "kind": kind,
            "item": None if kind == "direct" else self.item,
            "scale": self.scale,
            "rated": self.rated,
            "mode": self.called,
            "about": self.about,
            "source": self.source,
            "llm": model,
            "llm_options": dict(options),
            "prompt": self.template,
            "prompt_info": info,
            "prompt_type": "direct_grading" if kind == "direct" else self.item,
        }
