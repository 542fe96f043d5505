"""The grading modes of the papers: what each asks, and how it reads the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from exam_core.errors import UsageError
from exam_core.grading.asking import Prompt
from exam_core.grading.modes import prompts
from exam_core.grading.modes.ratings import Verdict, denies_an_answer, rating, verdict_of, yes_or_no
from exam_core.grading.modes.verification import Verifier, is_correct, spelled_out
from exam_core.grading.options import Unreadable

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

        Verification by words finds any answer right or wrong, so `rules` matters for ratings and labels only.
        A mode that has a model verify gets its verdict from `verify_prompts` and `verdict`.
        """
        if answer is None:
            return verdict_of(None)
        if self.verifier == "llm":
            raise ValueError(f"{self.name} needs the replies of a verifying model: see Mode.verdict")
        if self.verifier:
            return verdict_of(int(is_correct(answer, asked.gold_answers, self.verifier)))
        if self.scale == 1:
            return verdict_of(yes_or_no(answer, rules))
        return verdict_of(rating(answer, rules, self.scale))

    def verify_prompts(self, answer: str, asked: Asked) -> list[Prompt]:
        """One question to the verifying model for each gold answer.

        None for an answer that says that there is none ("unanswerable", "(iii)", or nothing): it is wrong unasked.
        """
        if denies_an_answer(answer) and not is_correct(answer, asked.gold_answers):
            return []
        golds = (spelled_out(gold, asked.choices) for gold in asked.gold_answers if gold.strip())
        return [prompts.verification_prompt(asked.question_text, gold, answer) for gold in golds]

    def verdict(self, replies: Sequence[str | None]) -> Verdict:
        """Right if one of the verifying model's replies is yes, wrong if all are no, else unreadable."""
        said = {None if reply is None else reply.strip().lower() for reply in replies}
        if "yes" in said:
            return verdict_of(1)
        return verdict_of(0 if said <= {"no"} else None)

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


_MODES = (
    Mode(
        name="self-rating",
        about="The model rates from 0 to 5 how well the passage answers the question.",
        source="Farzi & Dietz 2024 (EXAM++), section 4.2.2 and Table 2",
        template=prompts.SELF_RATING,
        prompt_class="QuestionSelfRatedUnanswerablePromptWithChoices",
    ),
    Mode(
        name="nugget-rating",
        about="The model rates from 0 to 5 how well the passage supports a nugget (key fact).",
        source="Self-rating after EXAM++, section 4.2.2; the prompt's words are our own",
        template=prompts.NUGGET_RATING,
        prompt_class="NuggetSelfRatedPrompt",
        item="nugget",
    ),
    Mode(
        name="qa",
        about="The model answers the question from the passage; its words are compared with the answer key.",
        source="EXAM++, section 4.2.1 and Table 2: Manual-EXAM-QA",
        template=prompts.QUESTION_ANSWERING,
        prompt_class="QuestionCompleteConcisePromptWithAnswerKey2",
        scale=1,
        verifier="words",
    ),
    Mode(
        name="qa-llm",
        about="The model answers the question from the passage; a model compares that with the answer key.",
        source="EXAM++, section 4.2.1 and Table 2: LLM-verified Manual-EXAM-QA",
        template=prompts.QUESTION_ANSWERING,
        prompt_class="QuestionCompleteConcisePromptWithT5VerifiedAnswerKey2",
        scale=1,
        verifier="llm",
    ),
    Mode(
        name="squad2",
        about="A model tuned on SQuAD2 marks the answer in the passage; its words are compared with the answer key.",
        source="EXAM++, section 4.2.1: Manual-EXAM-Squad2",
        template=prompts.EXTRACTION,
        prompt_class="QuestionCompleteConcisePromptWithAnswerKey2",
        scale=1,
        verifier="words",
        kind="extract",
        model=SQUAD2,
    ),
    Mode(
        name="squad2-llm",
        about="A model tuned on SQuAD2 marks the answer in the passage; a model compares that with the answer key.",
        source="EXAM++, section 4.2.1: LLM-verified Manual-EXAM-Squad2",
        template=prompts.EXTRACTION,
        prompt_class="QuestionCompleteConcisePromptWithT5VerifiedAnswerKey2",
        scale=1,
        verifier="llm",
        kind="extract",
        model=SQUAD2,
    ),
    Mode(
        name="thomas",
        about="The model labels the passage's relevance for the query from 0 to 2.",
        source="EXAM++, appendix A; abridged from Thomas et al. 2023",
        template=prompts.THOMAS,
        prompt_class="Thomas",
        item="passage",
        scale=2,
    ),
    Mode(
        name="faggioli-b",
        about="The model says whether the passage is relevant for the query.",
        source="EXAM++, appendix A: FaggioliB",
        template=prompts.FAGGIOLI_B,
        prompt_class="FagB",
        item="passage",
        scale=1,
    ),
    Mode(
        name="faggioli-b-few",
        about="As faggioli-b, with four examples from TREC DL.",
        source="EXAM++, appendix A: FaggioliB_few",
        template=prompts.FAGGIOLI_B_FEW,
        prompt_class="FagB_few",
        item="passage",
        scale=1,
    ),
    Mode(
        name="helm",
        about="The model says whether the passage answers the query.",
        source="EXAM++, appendix A: HELM",
        template=prompts.HELM,
        prompt_class="HELM",
        item="passage",
        scale=1,
    ),
    Mode(
        name="sun",
        about="The model predicts whether the passage includes an answer to the query.",
        source="EXAM++, appendix A: Sun",
        template=prompts.SUN,
        prompt_class="Sun",
        item="passage",
        scale=1,
    ),
    Mode(
        name="sun-few",
        about="As sun, with the four examples of faggioli-b-few.",
        source="EXAM++, appendix A: Sun_few",
        template=prompts.SUN_FEW,
        prompt_class="Sun_few",
        item="passage",
        scale=1,
    ),
)
MODES = {mode.name: mode for mode in _MODES}
"""Every mode by its name."""


def mode_named(name: str, verifier: str | None = None) -> Mode:
    """A mode, with another verifier than its own if one is named.

    Raises
    ------
    UsageError : no such mode or verifier, or a verifier for a mode that verifies nothing
    """
    if name not in MODES:
        raise UsageError(f"No grading mode {name}. There are: {', '.join(MODES)}.")
    mode = MODES[name]
    if verifier is None or verifier == mode.verifier:
        return mode
    if verifier not in get_args(Verifier):
        raise UsageError(f"No verifier {verifier}. There are: {', '.join(get_args(Verifier))}.")
    if mode.verifier is None:
        raise UsageError(f"The mode {name} has no answers to verify: leave out the verifier {verifier}.")
    if mode.verifier == "llm":
        raise UsageError(f"The mode {name} verifies by llm: for {verifier} choose {name.removesuffix('-llm')}.")
    return MODES[f"{name}-llm"] if verifier == "llm" else replace(mode, verifier="words-authors")


def without_key(gold_answers: Mapping[str, Sequence[str] | None]) -> list[str]:
    """Ids of the questions that have no gold answer and so can't be verified."""
    return [question_id for question_id, key in gold_answers.items() if key is None or not any(map(str.strip, key))]


def grader_name(model: str, mode: str, differences: Mapping[str, str]) -> str:
    """The grader_id: model, mode and every option that departs from its default, in the order of their names.

    Parameters
    ----------
    model : the hub's name or a folder; its last part is used
    differences : option to value, for instance {"decoding": "greedy", "precision": "bf16"}; the name holds the
        values alone, so each must tell by itself what it is

    Returns
    -------
    for instance `flan-t5-large.self-rating.greedy.bf16`
    """
    parts = [re.split(r"[/\\]", model.rstrip("/\\"))[-1], mode]
    parts += [differences[option] for option in sorted(differences)]
    return ".".join(re.sub(r"[^\w.+-]", "-", part) for part in parts)
