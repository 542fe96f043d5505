"""Names that graders may have: none that means another grader already, and none that nobody could type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from exam_core.aliases import LEXICAL_NAMES
from exam_core.errors import UsageError, visible
from exam_core.formats.reading import fault_of_id
from exam_core.grading.modes.lexical_grader import ABOUT
from exam_core.grading.modes.papers import MODES
from exam_core.store.grade_segments import prompt_class_of
from exam_core.store.scales import SPELLED
from exam_core.wording import listed, plain_number

SIMULATED = "simulated.latent-quality"
_BUILT_IN = dict.fromkeys(LEXICAL_NAMES, ABOUT["prompt_info"]["prompt_class"]) | {SIMULATED: "latent-quality"}
"""Names of graders that are no model, and what stands in the place of a prompt's name."""


def refuse_grader(name: str, about: Mapping[str, Any]) -> None:
    """Raise UsageError for a name that no grader can have, or that means a grader without a model, unlike `about`."""
    shown = visible(name, line_ends=False)[:80]
    if fault := fault_of_id(name):
        raise UsageError(f"--grader {shown}: the name {fault}. Give another one.")
    if name in MODES:
        raise UsageError(f"--grader {shown}: this means a mode of grading. Give another name.")
    if (read := listed(name)) != [name]:
        raise UsageError(f"--grader {shown}: a list of names reads this as {' and '.join(read)}. Give another name.")
    if "@" in name and plain_number(name.rpartition("@")[2]) is not None:
        raise UsageError(f"--grader {shown}: a name with @ and a number means a tau. Give another name.")
    if SPELLED.search(name):
        raise UsageError(f"--grader {shown}: this means a grading mode that is made of others. Give another name.")
    if _BUILT_IN.get(name, prompt_class_of(about)) != prompt_class_of(about):
        raise UsageError(f"--grader {shown}: this means a grader that asks no model, and no other. Give another name.")
