"""Tables of samples, as tools that score answers write them: a row for each question, with its texts and its scores.

ragas (`to_pandas`): user_input, response, reference, faithfulness, ... of one system; an empty score is undefined.
Inspect (`samples_df`): model, id, epoch, score_NAME, ...; C, P, I, N stand for 1, 0.5, 0, 0, and epochs are averaged.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum
from pathlib import Path

from exam_core.errors import Problems
from exam_core.formats.format import Opening
from exam_core.formats.numbers import as_number
from exam_core.formats.records import first_records, record_rows
from exam_core.progress import Progress

_FORMS = {
    ("user_input", "response"): {"topic": "user_input"},
    ("eval_id", "sample_id", "model", "id", "epoch"): {"run": "model", "topic": "id"},
}
"""The ids of each tool's table, told by columns that only its tables have."""
_WORDS = {"C": "1", "P": "0.5", "I": "0", "N": "0"}
"""Inspect's verdicts (correct, partial, incorrect, no answer) and their values."""
_NOTHING = ("", "nan", "none", "null")


def sample_columns(opening: Opening) -> tuple[dict[str, str], list[str]]:
    """The columns of a table of samples: those of ids by what they hold, and those of scores; empty of another file."""
    header, *rows = first_records(opening, {})
    ids = next((ids for marks, ids in _FORMS.items() if set(marks) <= set(header)), {})
    cells = {name: [row[at] for row in rows if at < len(row)] for at, name in enumerate(header)}
    candidates = [name for name in header if name.startswith("score_")] if "run" in ids else header
    numbers = [name for name in candidates if any(cells[name]) and all(map(_is_score, cells[name]))]
    scores = [name for name in numbers if name not in ids.values()]
    return (ids, scores) if ids and scores else ({}, [])


def _is_score(cell: str) -> bool:
    return as_number(_WORDS.get(cell, cell)) is not None or cell.lower() in _NOTHING


def sample_rows(
    path: Path, opening: Opening, problems: Problems, progress: Progress
) -> Iterator[tuple[int, list[str]]]:
    """Line, and as cells the run where the table names one, topic, measure, value: the mean over a sample's epochs."""
    ids, scores = sample_columns(opening)
    names = dict.fromkeys((*ids.values(), *scores, *(["epoch"] if "run" in ids else [])), ())
    by_epoch: dict[tuple[str, ...], tuple[int, dict[str, float]]] = {}
    for row in record_rows(path, names, problems, progress):
        of_sample, epoch = [row.of(name) for name in ids.values()], row.of("epoch")
        for score in scores:
            cell = row.number(score)
            value = as_number(_WORDS.get(cell, cell))
            if "run" not in ids or value is None:
                yield row.line, [*of_sample, score, cell]
                continue
            _, epochs = by_epoch.setdefault((*of_sample, score), (row.line, {}))
            if epochs.setdefault(epoch, value) != value:
                what = f"a second {score} of {' and '.join(of_sample)} in epoch {epoch}"
                problems.add(row.line, what, cell, "Keep one evaluation of each model.", cause="second score")
    for sample, (line, epochs) in by_epoch.items():
        yield line, [*sample, repr(fsum(epochs.values()) / len(epochs))]
