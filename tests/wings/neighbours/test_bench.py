"""The benchmark of texts, small."""

import json

from typer.testing import CliRunner

from benchmarks.wings.neighbours.texts import MEASURES, generated
from exam_core.cli.tree import app


def test_the_benchmark_of_texts_times_each_measure():
    done = CliRunner().invoke(app, ["bench", "texts", "--topics", "2", "--systems", "3"])
    answer = json.loads(done.stdout)
    assert (done.exit_code, list(answer["seconds"]), answer["shuffles"]) == (0, list(MEASURES), 1000)


def test_generated_answers_are_as_long_as_those_of_trec_rag():
    sides = generated(60, 2)
    strings = [string for own in sides.strings.values() for string in own]
    assert 10 < len(strings) / 120 < 17
    assert 20 < sum(len(string.split()) for string in strings) / len(strings) < 26
    assert len(set(strings)) > 0.99 * len(strings)
