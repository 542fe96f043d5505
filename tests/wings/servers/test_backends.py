"""Options of servers: which backend they mean."""

from dataclasses import replace

import pytest

from exam_core.grading.options import GradingOptions
from exam_core.jobs import ordering
from exam_core.jobs.ordering import Order


@pytest.mark.parametrize("mode", ["self-rating", "own.toml"])
def test_an_address_is_a_servers(mode):
    options = GradingOptions("m", base_url="http://127.0.0.1:9/v1")
    for asked, meant in ((options, "openai"), (replace(options, backend="ctranslate2"), "ctranslate2")):
        assert ordering.completed(Order("demo", mode, asked)).options == replace(asked, backend=meant)
