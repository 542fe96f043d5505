"""Names of graders: none that means another one."""

import pytest

from exam_core.errors import UsageError
from exam_core.grading.modes.grader_name_rules import SIMULATED, refuse_grader
from exam_core.grading.modes.lexical_grader import ABOUT, NAMES

MODEL = {"llm": "m", "prompt_info": {"prompt_class": "Thomas"}}


@pytest.mark.parametrize(
    "name", [*NAMES, SIMULATED, "median(a,b)", "my majority(a@2,b)", "thomas", "a,b", "x@2", "x ", " ", "a\x1bb"]
)
def test_a_name_that_means_something_else_is_refused_for_a_model(name):
    with pytest.raises(UsageError, match="--grader"):
        refuse_grader(name, MODEL)


@pytest.mark.parametrize("name", ["mine", "Thomas", "median", "a-b (c, d)", "-x", "x@y", "flan-t5-large.thomas"])
def test_other_names_are_a_models(name):
    refuse_grader(name, MODEL)


def test_graders_that_ask_no_model_have_their_names():
    for name in NAMES:
        refuse_grader(name, ABOUT)
    refuse_grader(SIMULATED, {"prompt_info": {"prompt_class": "latent-quality"}})
