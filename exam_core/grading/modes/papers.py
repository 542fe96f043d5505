"""The grading modes of the papers, and the names of graders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from exam_core.errors import UsageError
from exam_core.grading.modes import prompt_texts
from exam_core.grading.modes.mode import SQUAD2, Example, Mode
from exam_core.grading.modes.ratings import Verifier

_EXAMPLES = tuple(Example(passage, answer, query=query) for passage, query, answer in prompt_texts.EXAMPLES)
_SUPPORT = (
    *(("support", 2), ("partial_support", 1), ("not_support", 0)),
    *(("partial support", 1), ("not support", 0), ("no support", 0), ("no_support", 0)),
)
_FULL_SUPPORT = (
    *(("full support", 2), ("partial support", 1), ("no support", 0)),
    *(("fully supported", 2), ("partially supported", 1), ("not supported", 0)),
    *(("full_support", 2), ("partial_support", 1), ("no_support", 0)),
)
"""The labels of the prompts, and how else models write them."""
_MODES = (
    Mode(
        name="self-rating",
        about="The model rates from 0 to 5 how well the passage answers the question.",
        source="Farzi & Dietz 2024 (EXAM++), section 4.2.2 and Table 2",
        text=prompt_texts.SELF_RATING,
        prompt_class="QuestionSelfRatedUnanswerablePromptWithChoices",
    ),
    Mode(
        name="nugget-rating",
        about="The model rates from 0 to 5 how well the passage supports a nugget (key fact).",
        source="Self-rating after EXAM++, section 4.2.2; the prompt's words are our own",
        text=prompt_texts.NUGGET_RATING,
        prompt_class="NuggetSelfRatedPrompt",
        item="nugget",
    ),
    Mode(
        name="nugget-assignment",
        about="The model says whether the passage supports a nugget, in part or not at all.",
        source="After Pradeep et al. 2024 (AutoNuggetizer), a nugget at a time; the prompt's words are our own",
        text=prompt_texts.NUGGET_ASSIGNMENT,
        prompt_class="NuggetAssignmentPrompt",
        item="nugget",
        scale=2,
        words=_SUPPORT,
    ),
    Mode(
        name="citation-support",
        about="The model says whether a passage supports the sentence that cites it: fully, in part or not at all.",
        source="After Thakur et al. 2025 (TREC RAG 2024); the prompt's words are our own",
        text=prompt_texts.CITATION_SUPPORT,
        prompt_class="CitationSupportPrompt",
        item="citation",
        scale=2,
        words=_FULL_SUPPORT,
    ),
    Mode(
        name="qa",
        about="The model answers the question from the passage; its words are compared with the answer key.",
        source="EXAM++, section 4.2.1 and Table 2: Manual-EXAM-QA",
        text=prompt_texts.QUESTION_ANSWERING,
        prompt_class="QuestionCompleteConcisePromptWithAnswerKey2",
        scale=1,
        verifier="words",
    ),
    Mode(
        name="qa-llm",
        about="The model answers the question from the passage; a model compares that with the answer key.",
        source="EXAM++, section 4.2.1 and Table 2: LLM-verified Manual-EXAM-QA",
        text=prompt_texts.QUESTION_ANSWERING,
        prompt_class="QuestionCompleteConcisePromptWithT5VerifiedAnswerKey2",
        scale=1,
        verifier="llm",
    ),
    Mode(
        name="squad2",
        about="A model tuned on SQuAD2 marks the answer in the passage; its words are compared with the answer key.",
        source="EXAM++, section 4.2.1: Manual-EXAM-Squad2",
        text=prompt_texts.EXTRACTION,
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
        text=prompt_texts.EXTRACTION,
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
        text=prompt_texts.THOMAS,
        prompt_class="Thomas",
        item="passage",
        scale=2,
    ),
    Mode(
        name="faggioli-b",
        about="The model says whether the passage is relevant for the query.",
        source="EXAM++, appendix A: FaggioliB, after Faggioli et al. 2023",
        text=prompt_texts.FAGGIOLI_B,
        prompt_class="FagB",
        item="passage",
        scale=1,
    ),
    Mode(
        name="faggioli-b-few",
        about="The model says whether the passage is relevant for the query, after four TREC DL examples.",
        source="EXAM++, appendix A: FaggioliB_few, after Faggioli et al. 2023",
        text=prompt_texts.FAGGIOLI_B_FEW,
        example=prompt_texts.EXAMPLE,
        examples=_EXAMPLES,
        prompt_class="FagB_few",
        item="passage",
        scale=1,
    ),
    Mode(
        name="helm",
        about="The model says whether the passage answers the query.",
        source="EXAM++, appendix A: HELM, after Liang et al. 2022",
        text=prompt_texts.HELM,
        prompt_class="HELM",
        item="passage",
        scale=1,
    ),
    Mode(
        name="sun",
        about="The model predicts whether the passage includes an answer to the query.",
        source="EXAM++, appendix A: Sun, after Sun et al. 2023",
        text=prompt_texts.SUN,
        prompt_class="Sun",
        item="passage",
        scale=1,
    ),
    Mode(
        name="sun-few",
        about="The model predicts whether the passage includes an answer to the query, after four TREC DL examples.",
        source="EXAM++, appendix A: Sun_few, after Sun et al. 2023",
        text=prompt_texts.SUN_FEW,
        example=prompt_texts.EXAMPLE,
        examples=_EXAMPLES,
        prompt_class="Sun_few",
        item="passage",
        scale=1,
    ),
)
MODES = {mode.name: mode for mode in _MODES}
"""Every mode by its name."""


def mode_named(name: str, verifier: str | None = None, modes: Mapping[str, Mode] = MODES) -> Mode:
    """A mode, with another verifier than its own if one is named.

    Raises UsageError where there is no such mode or verifier, or the mode verifies nothing.
    """
    if name not in modes:
        raise UsageError(
            f"No grading mode {name}. There are: {', '.join(modes)}. A mode of your own is a file: my.toml"
        )
    mode = modes[name]
    if verifier is None or verifier == mode.verifier:
        return mode
    if verifier not in get_args(Verifier):
        raise UsageError(f"No verifier {verifier}. There are: {', '.join(get_args(Verifier))}.")
    if mode.verifier is None:
        raise UsageError(f"The mode {name} has no answers to verify: leave out the verifier {verifier}.")
    if mode.verifier == "llm":
        raise UsageError(f"The mode {name} verifies by llm: for {verifier} choose {name.removesuffix('-llm')}.")
    if verifier == "llm":
        return modes.get(f"{name}-llm", replace(mode, verifier="llm"))
    return replace(mode, verifier="words-authors")


def mode_of(grader_id: str) -> Mode | None:
    """The mode that a grader's id names, as `grader_name` or the authors' workbench does; None if it names none."""
    known = {mode.prompt_class: mode for mode in reversed(_MODES)} | MODES
    return next((known[part] for part in grader_id.split(".") if part in known), None)


def without_key(gold_answers: Mapping[str, Sequence[str] | None]) -> list[str]:
    """Ids of the questions that have no gold answer and so can't be verified."""
    return [question_id for question_id, key in gold_answers.items() if key is None or not any(map(str.strip, key))]


def grader_name(model: str, mode: str, differences: Mapping[str, str]) -> str:
    """The grader_id: the last part of the model's name, mode and every option that departs from its default, by option.

    `differences` are option to value, for instance {"decoding": "greedy", "precision": "bf16"}; the name holds the
    values alone (`flan-t5-large.self-rating.greedy.bf16`), so each must tell by itself what it is.
    """
    parts = [re.split(r"[/\\]", model.rstrip("/\\"))[-1], mode]
    parts += [differences[option] for option in sorted(differences)]
    return ".".join(re.sub(r"[^\w.+-]", "-", part) for part in parts)
