"""Backends: what each declares of its options is there."""

import pytest

from exam_core.declared import declared
from exam_core.grading.options import BACKENDS, GradingOptions


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_names_options_that_there_are_and_all_options_are_known_by_their_default(name):
    row, usual = BACKENDS[name], GradingOptions(backend=name)
    assert {*row.without_effect, *filter(None, [row.meant_by])} <= set(declared(row.options))
    assert (usual.run_by, usual.differences().keys() <= {"engine"}) == (row, True)
    assert set(declared(row.options)) <= set(declared(GradingOptions))
