"""What kind of file a file is, guessed from its first lines, then from its name; and who takes that kind."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from inspect import signature
from pathlib import Path

from exam_core.errors import BadInput, ExamboardError, Undecided, visible
from exam_core.formats.column_names import Columns, lacking, named, naming
from exam_core.formats.evaluations import is_of_one_run, read_evaluation
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, decoded
from exam_core.formats.lines import UTF8_REMEDY, foreign_form_of, numbered_blocks
from exam_core.formats.records import names_in
from exam_core.formats.registry import known_formats, known_kinds, recognised
from exam_core.formats.trec_tables import kind_of_table
from exam_core.tables import OFFICIAL
from exam_core.wording import quoted

_MOST_TRIED = 16 * 2**20
"""Bytes of a file that is read once more, to see who takes it."""
_SCORES_OR_LABELS = "Its scores may be those of a run (import run) or the labels of a judge (import labels)"


def guess_kind(path: Path) -> str | None:
    """The kind of a file, by the names of the command line's imports; None if it looks like none.

    Judgments and labels of a grading mode are written alike: a file that is named after a known grading mode,
    or speaks of labels, holds labels.
    """
    opening = Opening(path)
    row = recognised(opening)
    if row:
        return row.kind.key
    if opening.is_json or path.suffix.lower() == ".md" or foreign_form_of(path):
        return None
    stem, *endings = path.name.lower().split(".")
    rows = sorted(known_formats(), key=lambda row: row.kind.order)
    # `qrels.dl19.txt` begins with what it is, `trec.topics` does not.
    by_ending = (row for row in rows if {*endings, stem if stem == row.kind.key else ""} & set(row.endings))
    by_word = (row for row in rows if {stem, *endings} & set(row.words))
    return next((row.kind.key for row in (*by_ending, *by_word)), None)


def named_kind(path: Path, columns: Mapping[str, str]) -> str | None:
    """The kind of a file whose columns somebody named; None where it lacks one, or is of no kind that has them."""
    kinds = {row.kind.key: row.kind for row in known_formats() if columns.keys() <= row.kind.columns.keys()}
    for key, kind in kinds.items():
        with suppress(BadInput), naming(kind.columns_named(columns), path):
            refuse_lacking(path, named(path))
            if (looks := recognised(Opening(path))) and looks.kind.key == key:
                return key
    return None


@contextmanager
def naming_the_kind(
    kind: str, path: Path, collection: str | None = None, is_judged: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Let a refusal of a file end with what the file looks like, if that is another kind than was expected.

    A kind that has been named is contradicted only where the file is written as none of its formats, and as one of
    another kind, whose reader takes the file.

    Parameters
    ----------
    collection : names the command that would take the file; without it, the kind alone is named
    is_judged : whether that has judgments already of the name that they have by default
    """
    refuse_lacking(path, named(path))
    try:
        yield
    except BadInput as error:
        if not str(error).startswith(f"{visible(str(path))}:"):
            raise  # another file's
        opening = Opening(path)
        looks = recognised(opening)
        is_named = recognised(opening, [row for row in known_formats() if row.kind.key == kind]) is not None
        if looks is None or is_named or kind in looks.alike or not _is_taken(looks, path):
            if type(error) is not BadInput or not re.match(r":\d+: ", str(error)[len(visible(str(path))) :]):
                raise  # not about a line
            way_on = f"{_to_be_named(kind, str(error)) if collection else ''}\nFor an example of such a file: "
            raise BadInput(f"{error}{way_on}examboard template {kind}") from None
        if collection is None:
            advice = "choose that kind of file."
        else:
            names = f"{quoted(str(path))} --collection {quoted(collection)}{looks.kind.arguments}"
            names += " --run NAME" if looks.read is read_evaluation and is_of_one_run(path) else ""
            advice = f"import it with: examboard import {looks.kind.key} {names}"
            if looks.kind.key == "qrels" and is_judged():
                advice = (
                    f"{collection} has judgments named {OFFICIAL} already.\n"
                    f"If people made this one, too, {advice} --name NAME\n"
                    f"If a model made it: examboard import labels {names} --grader NAME"
                )
        raise BadInput(f"{error}\nIt looks like {looks.looks}; {advice}") from None


def _to_be_named(kind: str, message: str) -> str:
    """How the columns are named that a file lacks, as a message says it."""
    match = re.search("(?:no column for|a record without) (.*)|:1: (?:no header|.* where the texts)", message)
    fields = known_kinds()[kind].columns if match else {}
    lacking_names = match[1] if match else None
    wanted = [
        ours
        for ours, names in fields.items()
        if lacking_names and re.search(rf"\b{re.escape(names[0])}\b", lacking_names)
    ]
    named = ",".join(f"{ours}=NAME" for ours in wanted or [*fields][:2])
    return f"\nIf its columns have other names, say which they are: --as {named}" if named else ""


def refuse_lacking(path: Path, columns: Columns) -> None:
    """Raise BadInput where a file lacks columns that somebody named, with those that it has."""
    if not columns:
        return
    with naming({}, path):
        if texts := lacking(next(numbered_blocks(path), (0, b""))[1], columns):
            names = visible(", ".join(texts), line_ends=False)
            raise BadInput(f"{path}: has no column {names}. {beginning(path)}. Nothing was stored.")


def _is_taken(looks: Format, path: Path) -> bool:
    """Whether the reader of a format takes a file; of a very large one, whether it begins so."""
    if path.stat().st_size > _MOST_TRIED:
        return True
    options = signature(looks.read).parameters.values()
    needed = {
        option.name: "x" for option in options if option.kind is option.KEYWORD_ONLY and option.default is option.empty
    }
    try:
        result = looks.read(path, **needed)
        deque(result if isinstance(result, Iterator) else (), maxlen=0)
    except Undecided:
        return True
    except ExamboardError:
        return False
    return True


def beginning(path: Path) -> str:
    """What stands in the first record or line of a file, for somebody who wonders why nothing knows it."""
    opening = Opening(path)
    if kind_of_table(opening) == "either":
        return _SCORES_OR_LABELS
    header = names_in(opening)
    if not header:
        try:
            list(map(decoded, opening.begins))
        except BadLine as error:
            return f"It can't be read as JSON: {visible(str(error), line_ends=False)[:200]}"
        return "" if opening.whole else "It is empty"
    if "\ufffd" in "".join(opening.whole):
        return f"It is not UTF-8: {UTF8_REMEDY}".rstrip(".")
    shown = visible(", ".join(header), line_ends=False)[:200]
    what = "fields" if opening.is_json else "columns" if len(header) > 1 else "first line"
    return f"Its {what} {'is' if what == 'first line' else 'are'}: {shown}"
