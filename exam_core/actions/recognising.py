"""Which files of those that somebody names are what: folders are walked, and kinds are guessed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from exam_core.actions.verbs import verb
from exam_core.errors import BadInput, visible
from exam_core.formats.delimited import folded
from exam_core.formats.format import Opening
from exam_core.formats.records import names_in
from exam_core.formats.registry import known_kinds
from exam_core.formats.sniffing import beginning, guess_kind, named_kind, unread_form
from exam_core.temporary import temporary_folder

MOST_FILES = 10_000
_IGNORED = re.compile(r"\..*|readme.*|licen[cs]e.*|__macosx|_success|thumbs\.db|desktop\.ini", re.IGNORECASE)
"""Names of files and folders that hold no data: hidden ones, and what is for people to read."""
LEAST_FIELDS = 3
"""Fields without names from which their number says something; fewer words begin many a text."""
NONE = "looks like none of the kinds that can be imported"
SHARED = "is a store of its own: import it with `import duckdb FILE`, or look at it with `open FILE`"
YAML = "is YAML; write it as JSON, and import that"


def holds_no_data(name: str) -> bool:
    """Whether a file or folder of this name is hidden, or for people to read."""
    return _IGNORED.fullmatch(name) is not None


def kind_of(path: Path) -> str | None:
    """The kind that a file looks like; None if it looks like none, and empty if it is for people to read."""
    if holds_no_data(path.name):
        return ""
    return guess_kind(path) or ("" if path.suffix.lower() == ".md" else None)


@dataclass
class Recognised:
    """What files are.

    Parameters
    ----------
    kinds : of the files that are recognised, by path
    unknown : why the others are not
    ignored : files that are for people to read, and hidden ones
    """

    kinds: dict[Path, str] = field(default_factory=dict)
    unknown: dict[Path, str] = field(default_factory=dict)
    ignored: list[Path] = field(default_factory=list)

    @property
    def has_a_puzzle(self) -> bool:
        """Whether there is a file of which nothing is known."""
        return any(why.startswith(NONE) for why in self.unknown.values())


@verb("read", has_line=False)
def recognise_files(paths: Sequence[Path], columns: Mapping[str, str] | None = None) -> Recognised:
    """The kinds of files, and of all files below folders.

    Parameters
    ----------
    columns : the file's column for each of our fields that somebody named, where a file has all of them

    Raises BadInput where a path is not there or can't be read, or there are more files than anybody means.
    """
    found = Recognised()
    for path in dict.fromkeys(file for named in paths for file in _files(named, found)):
        kind = named_kind(path, columns or {}) or kind_of(path)
        if kind:
            found.kinds[path] = kind
        elif kind == "":
            found.ignored.append(path)
        else:
            found.unknown[path] = why_unknown(path)
    return found


def why_unknown(path: Path) -> str:
    """Why a file is of no kind: what it is instead, or what stands in it."""
    if path.suffix == ".duckdb":
        return SHARED
    is_yaml = path.suffix.lower() in (".yaml", ".yml")
    return unread_form(path) or (YAML if is_yaml else ". ".join(filter(None, [NONE, beginning(path)])))


def nearest_kind(path: Path) -> str:
    """The kind whose example has most in common with a file: names of columns or fields, then how many there are.

    Empty where it has nothing in common with any.
    """
    names, fields = _outline(path)
    likeness = {}
    with temporary_folder("examples") as folder:
        for key, kind in known_kinds().items():
            (example := folder / kind.file_name).write_text(kind.template, encoding="utf-8")
            its_names, its_fields = _outline(example)
            likeness[key] = (len(names & its_names), fields == its_fields >= LEAST_FIELDS)
    best = max(likeness, key=lambda key: likeness[key])
    return best if any(likeness[best]) else ""


def _outline(path: Path) -> tuple[set[str], int]:
    """Names of columns or fields, and between how many blanks the first line stands; 0 for JSON."""
    opening = Opening(path)
    return {folded(name) for name in names_in(opening) if name}, len(opening.rows[0]) if opening.rows else 0


def _files(path: Path, found: Recognised) -> list[Path]:
    """A file, or the files below a folder, sorted."""
    if not path.exists():
        raise BadInput(f"{visible(str(path))}: there is no such file or folder. Check the path. Nothing was stored.")
    if not path.is_dir():
        if holds_no_data(path.name):
            found.ignored.append(path)
            return []
        return [path]
    files: list[Path] = []
    for folder, folders, names in os.walk(path, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not holds_no_data(name))
        for name in sorted(names):
            (found.ignored if holds_no_data(name) else files).append(Path(folder) / name)
        if len(files) > MOST_FILES:
            raise BadInput(f"{path}: more than {MOST_FILES:,} files. Name a smaller folder. Nothing was stored.")
    found.ignored += [file for file in files if not file.is_file()]
    return [file for file in files if file.is_file()]


def _refuse(error: OSError) -> None:
    raise BadInput(f"{error.filename}: can't be read ({error.strerror}). Check its rights. Nothing was stored.")
