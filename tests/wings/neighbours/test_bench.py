"""The benchmark of texts, small."""

import json

from typer.testing import CliRunner

from benchmarks.wings.neighbours.texts import MEASURES
from exam_core.cli.tree import app


def test_the_benchmark_of_texts_times_each_measure():
    done = CliRunner().invoke(app, ["bench", "texts", "--topics", "2", "--systems", "3"])
    answer = json.loads(done.stdout)
    assert (done.exit_code, list(answer["seconds"]), answer["shuffles"]) == (0, list(MEASURES), 1000)
