"""What kind of file a file is, guessed from its first lines, then from its name; and who takes that kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from exam_core.errors import BadInput, visible
from exam_core.formats.format import Opening
from exam_core.formats.json_lines import BadLine, decoded
from exam_core.formats.lines import UTF8_REMEDY, no_text
from exam_core.formats.records import first_records
from exam_core.formats.registry import known_formats, recognised
from exam_core.tables import OFFICIAL
from exam_core.wording import quoted


def guess_kind(path: Path) -> str | None:
    """The kind of a file, by the names of the command line's imports; None if it looks like none.

    Judgments and labels of a grading mode are written alike: a file that is named after a known grading mode,
    or speaks of labels, holds labels.
    """
    opening = Opening(path)
    found = recognised(opening)
    if found:
        return found.kind.key
    return None if opening.is_json or path.suffix.lower() == ".md" or no_text(path) else _by_name(path)


@contextmanager
def naming_the_kind(
    kind: str, path: Path, collection: str | None = None, is_judged: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Let a refusal of a file end with what the file looks like, if that is another kind than was expected.

    Parameters
    ----------
    collection : names the command that would take the file; without it, the kind alone is named
    is_judged : whether that has judgments already of the name that they have by default
    """
    try:
        yield
    except BadInput as error:
        if not str(error).startswith(f"{visible(str(path))}:"):
            raise  # another file's
        looks = recognised(Opening(path))
        if looks is None or kind in (looks.kind.key, *looks.alike):
            if type(error) is not BadInput or not re.match(r":\d+: ", str(error)[len(visible(str(path))) :]):
                raise  # not about a line
            raise BadInput(f"{error}\nFor an example of such a file: examboard template {kind}") from None
        if collection is None:
            advice = "choose that kind of file."
        else:
            names = f"{quoted(str(path))} --collection {quoted(collection)}{looks.kind.arguments}"
            advice = f"import it with: examboard import {looks.kind.key} {names}"
            if looks.kind.key == "qrels" and is_judged():
                advice = (
                    f"{collection} has judgments named {OFFICIAL} already.\n"
                    f"If people made this one, too, {advice} --name NAME\n"
                    f"If a model made it: examboard import labels {names} --grader NAME"
                )
        raise BadInput(f"{error}\nIt looks like {looks.looks}; {advice}") from None


def beginning(path: Path) -> str:
    """What stands in the first record or line of a file, for somebody who wonders why nothing knows it."""
    opening = Opening(path)
    header = [name.strip() for name in first_records(opening, {})[0] if name.strip()]
    if not header:
        return _fault_of_json(opening) if opening.whole else "It is empty"
    if "\ufffd" in "".join(opening.whole):
        return f"It is not UTF-8: {UTF8_REMEDY}".rstrip(".")
    said = visible(", ".join(header), line_ends=False)[:200]
    what = "fields" if opening.is_json else "columns" if len(header) > 1 else "first line"
    return f"Its {what} {'is' if what == 'first line' else 'are'}: {said}"


def _fault_of_json(opening: Opening) -> str:
    try:
        list(map(decoded, opening.begins))
    except BadLine as error:
        return f"It can't be read as JSON: {visible(str(error), line_ends=False)[:200]}"
    return ""


def _by_name(path: Path) -> str | None:
    stem, *endings = path.name.lower().split(".")
    rows = sorted(known_formats(), key=lambda row: row.kind.order)
    # `qrels.dl19.txt` begins with what it is, `trec.topics` does not.
    by_ending = (row for row in rows if {*endings, stem if stem == row.kind.key else ""} & set(row.endings))
    by_word = (row for row in rows if {stem, *endings} & set(row.words))
    return next((row.kind.key for row in (*by_ending, *by_word)), None)
