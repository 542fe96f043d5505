"""Files whose kinds nobody says: `examboard import FILES...`, and what `examboard open FILES...` imports."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from exam_core.addresses import local_path
from exam_core.cli.common import open_store, print_imported, progress_bar, say
from exam_core.errors import BadInput, UsageError, visible
from exam_core.wording import quoted

if TYPE_CHECKING:
    from exam_core.actions.committing import ImportResult
    from exam_core.actions.import_plans import ImportPlan

UNDO = "All of it is taken back with: examboard import undo --collection {}"


def bring(
    paths: Sequence[Path],
    collection: str | None,
    *,
    skip_unknown: bool = False,
    anyway: bool = False,
    replace: bool = False,
    column: str | None = None,
    columns: str = "",
) -> ImportResult:
    """Import files and folders of any kinds, all or none, and print what each of them is and brings.

    Raises BadInput where a file is not there, is of no known kind, is refused, or fits nothing; nothing is stored then.

    Parameters
    ----------
    collection : by default of the name of the folder
    column : the score, in files of leaderboards
    columns : named as `query=qidx,doc=docidx`, in the files that have all of them
    """
    from exam_core.actions.import_plans import import_files, plan_import
    from exam_core.formats.column_names import asked_columns
    from exam_core.formats.lines import is_stream

    if streams := [path for path in paths if is_stream(local_path(path))]:
        kind = f"examboard import KIND {quoted(str(streams[0]))} --collection NAME"
        raise UsageError(f"{listed_paths(streams)}: comes through a pipe or device. Say what it is: {kind}")
    into = collection or _named_after(paths)
    wanted, store = asked_columns(columns), open_store()
    plan = plan_import(store, into, paths, wanted, column=column or "")
    if plan.unknown and not skip_unknown:
        raise BadInput(_about_unknown(plan, into))
    if not plan.files:
        raise BadInput(f"{listed_paths(paths)}: no file that can be imported. Nothing was stored.")
    if len(plan.lacking) == len(plan.files):
        raise plan.lacking[0]
    with progress_bar(f"Reading {into}") as progress:
        result = import_files(store, plan, replace=replace, anyway=anyway, progress=progress)
    for part in result.parts:
        say(part.sentence)
    print_imported(result)
    for what, left in (("Left out, of no known kind", plan.unknown), ("Left out, no data", plan.ignored)):
        if left:
            say(f"  {what}: {', '.join(map(str, left))}")
    if result.import_ids:
        say(f"  {UNDO.format(quoted(into))}")
    return result


def listed_paths(paths: Sequence[Path]) -> str:
    """Paths in a message."""
    return ", ".join(visible(str(path), line_ends=False) for path in paths)


def _named_after(paths: Sequence[Path]) -> str:
    """The name of the one folder, or of the folder in which all files and folders are.

    Raises UsageError where it has none, or that of an embedded collection.
    """
    from exam_core.defaults import EMBEDDED

    whole = [path.resolve() for path in paths]
    folder = (
        whole[0] if len(whole) == 1 and whole[0].is_dir() else Path(os.path.commonpath([file.parent for file in whole]))
    )
    if not folder.name:
        raise UsageError("Say with --collection NAME where the files go.")
    if folder.name in EMBEDDED:
        raise UsageError(
            f"The folder has the name of the embedded collection {folder.name}. Say with --collection NAME where the "
            "files go."
        )
    return folder.name


def _about_unknown(plan: ImportPlan, collection: str) -> str:
    from exam_core.formats.registry import known_kinds

    lines = [f"{path}: {why}." for path, why in plan.unknown.items()]
    lines[20:] = [f"... and {len(lines) - 20:,} more."] if len(lines) > 20 else []
    if any(". Its columns are: " in why or ". Its fields are: " in why for why in plan.unknown.values()):
        lines.append(
            "If its columns have other names, say which they are: --as query=NAME,doc=NAME,label=NAME, or those of a "
            "leaderboard: --as run=NAME,score=NAME"
        )
    if plan.has_a_puzzle:
        lines.append(
            f"Say what a file is: examboard import KIND FILE --collection {quoted(collection)} (KIND is "
            f"{', '.join(known_kinds())}; `examboard template KIND` shows an example)."
        )
    return "\n".join([*lines, "To leave such files out, add --skip-unknown. Nothing was stored."])


def refuse_typing_errors(paths: Sequence[Path]) -> None:
    """Raise UsageError for a first word that is no file, and nearly the name of a kind."""
    from exam_core.formats.lines import STANDARD_INPUT

    if paths[0] == STANDARD_INPUT or local_path(paths[0]).exists():
        return
    from exam_core.formats.registry import known_kinds

    words = list(known_kinds())
    near = difflib.get_close_matches(str(paths[0]), words, 1)
    meant = f"Did you mean: import {near[0]}? " if near else ""
    raise UsageError(
        f"{listed_paths(paths[:1])}: there is no file, folder or kind of file of that name. {meant}Kinds: "
        f"{', '.join(words)}."
    )
