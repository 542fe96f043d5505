"""An order for CTranslate2 and its command line mean the same."""

import pytest

from exam_core.errors import UsageError
from exam_core.grading.options import GradingOptions
from exam_core.jobs import ordering
from exam_core.jobs.comparing import changed
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.watching import ahead
from exam_core.store import Store

INT8 = GradingOptions(backend="ctranslate2", precision="int8")


def test_the_command_names_backend_and_precision():
    words = ordering.arguments(JobRequest(Order("demo", "self-rating", INT8, bank="open")))
    assert {"--backend", "ctranslate2", "--precision", "int8"} <= set(words)


def test_a_precision_that_torch_does_not_have_is_refused_without_loading_a_model(demo_store):
    store = Store(demo_store)
    with pytest.raises(UsageError, match="add --backend ctranslate2"):
        ahead(
            store.snapshot("demo"), store, Order("demo", "self-rating", GradingOptions(precision="int8"), bank="open")
        )


def test_either_word_asks_the_other_backend():
    assert changed(GradingOptions(), "int8") == INT8
    assert changed(GradingOptions(), "ctranslate2") == GradingOptions(backend="ctranslate2")
