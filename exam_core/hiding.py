"""Which runs a filter hides: words of their names. Hidden runs are only not shown; every figure keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from exam_core.wording import composed


def hidden_runs(words: str, run_ids: Collection[str]) -> tuple[str, ...]:
    """The runs that a filter hides, in the order in which they are given; none where it would hide every run.

    `words` have blanks between; upper and lower case are the same. A run is shown if its name has one of them. A minus
    in front hides the runs whose name has the word. A star at the end: the name begins with the word.
    """
    names = [word for word in _folded(words).split() if word.strip("-*")]
    wanted = [word for word in names if not word.startswith("-")]
    unwanted = [word[1:] for word in names if word.startswith("-")]
    hidden = [run_id for run_id in run_ids if _has_one(run_id, unwanted) or (wanted and not _has_one(run_id, wanted))]
    return tuple(hidden) if len(hidden) < len(run_ids) else ()


def telling_words(words: str, run_ids: Collection[str]) -> str:
    """The words of a filter that are in the name of one of these runs: the others change nothing of what it hides."""
    if not hidden_runs(words, run_ids):
        return ""
    of_run = {word: _folded(word).removeprefix("-") for word in words.split() if word.strip("-*")}
    return " ".join(word for word, name in of_run.items() if any(_has_one(run_id, [name]) for run_id in run_ids))


def shown_rows(rows: Any, hidden: Collection[str], *columns: str) -> Any:
    """The rows of a frame that name no hidden run in these columns, by default in `run_id`; numbered anew."""
    if not hidden:
        return rows
    for column in columns or ("run_id",):
        rows = rows[~rows[column].isin(hidden)]
    return rows.reset_index(drop=True)


def _folded(text: str) -> str:
    """As names are compared: small letters, with their accents as one character."""
    return composed(text.casefold())


def _has_one(run_id: str, words: Iterable[str]) -> bool:
    name = _folded(run_id)
    return any(name.startswith(word[:-1]) if word.endswith("*") else word in name for word in words)
