"""What kind of file a file is, guessed from its first lines, then from its name; and who takes that kind."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from exam_core.errors import BadInput, visible
from exam_core.formats.labels import SCALES
from exam_core.formats.leaderboards import RANK_NAMES, RUN_NAMES, SCORE_NAMES
from exam_core.formats.lines import first_lines

FIRST_LINES, WIDTH = 20, 4096
"""What is looked at: more would be read of a file that unpacks to very much."""
KINDS = {
    "run": ("a TREC run", ""),
    "qrels": ("human judgments (TREC qrels)", ""),
    "labels": ("labels of a grading mode (qrels format)", " --grader NAME"),
    "bank": ("a question bank", " --bank NAME"),
    "topics": ("query texts", ""),
    "leaderboard": ("a leaderboard", " --name NAME"),
    "workbench": ("graded passages of the workbench", ""),
    "responses": ("generated responses", ""),
    "nuggets": ("nuggets or nugget assignments", None),
}
"""Kinds in words, and the names that their import asks for; None where no import takes them."""
ALIKE = {"qrels", "labels"}
ENDINGS = {
    "run": ("run", "trec"),
    "qrels": ("qrel", "qrels"),
    "leaderboard": ("csv",),
    "topics": ("topics", "queries"),
}
"""How names of files end, or begin, that hold nothing telling."""


def guess_kind(path: Path) -> str | None:
    """The kind of a file, by the names of the command line's imports; None if it looks like none.

    Judgments and labels of a grading mode are written alike: a file that is named after a known grading mode,
    or speaks of labels, holds labels. `nuggets` are files that no import takes.
    """
    lines = [line for line in first_lines(path, FIRST_LINES, WIDTH) if not line.startswith("#")]
    return _of_content(lines, path) or (None if lines and _is_json(lines[0]) else _by_name(path))


@contextmanager
def naming_the_kind(kind: str, path: Path, collection: str | None = None) -> Iterator[None]:
    """Let a refusal of a file end with what the file looks like, if that is another kind than was expected.

    Parameters
    ----------
    collection : names the command that would take the file; without it, the kind alone is named
    """
    try:
        yield
    except BadInput as error:
        if not str(error).startswith(f"{visible(str(path))}:"):
            raise  # another file's
        lines = [line for line in first_lines(path, FIRST_LINES, WIDTH) if not line.startswith("#")]
        looks = _of_content(lines, path)
        if looks is None or looks == kind or {looks, kind} == ALIKE:
            raise
        title, options = KINDS[looks]
        if options is None:
            advice = "no import takes such files yet."
        elif collection is None:
            advice = "choose that kind of file."
        else:
            names = f"{shlex.quote(str(path))} --collection {shlex.quote(collection)}{options}"
            advice = f"import it with: python -m exam_core import {looks} {names}"
        raise BadInput(f"{error}\nIt looks like {title}; {advice}") from None


def _of_content(lines: list[str], path: Path) -> str | None:
    if not lines:
        return None
    return _of_json(lines[0]) if _is_json(lines[0]) else _of_columns(lines, path)


def _is_json(line: str) -> bool:
    return line.lstrip()[0] in "[{"


_FIELD = re.compile(r'"([A-Za-z_]+)"\s*:')


def _of_json(line: str) -> str | None:
    """A graded file has a list on each line, others an object; the line may be cut short."""
    if line.lstrip().startswith("["):
        return "workbench"
    named = set(_FIELD.findall(line))
    if "nugget_bank" in named or {"qid", "nuggets"} <= named:
        return "nuggets"
    if named & {"items", "questions", "qid", "question"}:
        return "bank"
    return "responses" if {"query_id", "text"} <= named else None


def _of_columns(lines: list[str], path: Path) -> str | None:
    if any(_is_heading(line) for line in lines):
        return "leaderboard"
    rows = [line.split() for line in lines]
    if _most(rows, lambda row: len(row) >= 6 and _is_number(row[3]) and _is_number(row[4])):
        return "run"
    if _most(rows, lambda row: len(row) == 4 and _is_number(row[3])):
        return "labels" if _speaks_of_labels(path) else "qrels"
    if _most(rows, lambda row: len(row) == 5 and _is_number(row[3]) and _is_number(row[4])):
        return "run"
    return "topics" if all(line.count("\t") == 1 for line in lines) else None


def _is_heading(line: str) -> bool:
    cells = {cell.strip().lower() for cell in line.split("\t" if "\t" in line else ",")}
    return bool(cells & set(RUN_NAMES)) and bool(cells & {*SCORE_NAMES, *RANK_NAMES})


def _speaks_of_labels(path: Path) -> bool:
    stem = path.name.split(".")[0]
    return stem in SCALES or "label" in path.name.lower() or stem.endswith("Prompt")


def _by_name(path: Path) -> str | None:
    parts = path.name.lower().split(".")
    return next((kind for kind, ends in ENDINGS.items() if any(end in parts for end in ends)), None)


def _most(rows: list[list[str]], fits: Callable[[list[str]], bool]) -> bool:
    """Whether more than half of the lines fit: a file with a few bad lines is still of its kind."""
    return sum(fits(row) for row in rows) * 2 > len(rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
