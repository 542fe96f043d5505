"""CTranslate2 as a program that answers prompts, for `bench grader`."""

from __future__ import annotations

from pathlib import Path

from benchmarks.trial import BEAMS, LONGEST_PROMPT, Contestant, in_order
from exam_core.grading.t5.models import Loaded
from exam_core.grading.t5.truncation import RESERVE
from exam_core.wings.ctranslate.backends import CTranslate


def ctranslate2(loaded: Loaded, answer_tokens: int, cache: Path) -> Contestant:
    """CTranslate2 in fp32, five beams. Raises GraderError where it isn't there."""
    longest = LONGEST_PROMPT + RESERVE
    return in_order(CTranslate(loaded, beams=BEAMS, max_new_tokens=answer_tokens, max_tokens=longest, cache=cache))


CONTESTANTS = {"CTranslate2": ctranslate2}
