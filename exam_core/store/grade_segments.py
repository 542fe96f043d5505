"""What is graded here: segments of grades that commit themselves, beside the imports.

Any number of jobs append at once without a lock: a segment is named by its content, and becomes visible by its
rename. Segments of one grader may repeat rows, because two jobs may have graded the same; their values are equal.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from exam_core.errors import StoreError, UsageError
from exam_core.store.files import (
    BACK,
    content_name,
    files_in,
    folder_name,
    once,
    plain_name,
    read_record,
    sealed,
    sound,
    write_once,
)
from exam_core.tables import GRADES

_IDENTITY = ("mode", "llm", "llm_options", "scale")
"""What two graders of one name must have in common; words about them may differ between versions."""

IMPORTED = "import-"
"""How files of grades begin that belong to an import, and so to its manifest."""

LARGEST_SCALE = 100
"""No grade is larger."""


def segment_names(folder: Path) -> list[str]:
    """The segments of a collection by their paths in its folder, by grader, oldest first."""
    return sorted(
        f"grades/{path.parent.name}/{path.name}"
        for path in files_in(folder, "grades/*/*.parquet")
        if not path.name.startswith((IMPORTED, "."))
    )


def write_segment(folder: Path, grader_id: str, grades: pd.DataFrame) -> str:
    """Commit a segment of one grader's grades; returns its path in the collection's folder."""
    content = parquet(GRADES.arrow(grades))
    place = f"grades/{folder_name(grader_id)}"
    number = sum(not path.name.startswith(IMPORTED) for path in files_in(folder / place, "*.parquet"))
    name = f"{place}/{number + 1:06d}-{content_name(content)}.parquet"
    write_once(folder / name, content)
    return name


class _GraderAbout(msgspec.Struct):
    """What the description of a grader can say, of what is asked of it; each has more."""

    kind: Annotated[str, msgspec.Meta(pattern="^(?!ensemble$)")] | None = None
    mode: str | None = None
    llm: str | None = None
    about: str | None = None
    alias: str | None = None
    scale: Annotated[int, msgspec.Meta(ge=0, le=LARGEST_SCALE)] | None = None
    prompt_info: dict[str, Any] | None = None
    llm_options: dict[str, Any] | None = None


def grader_files(folder: Path) -> list[Path]:
    """The files that describe the graders that graded here."""
    return files_in(folder / "graders", "*.json")


@once
def grader_in(path: Path) -> dict[str, Any]:
    """What a file says of a grader.

    Raises FileNotFoundError where it is gone, and StoreError where it can't be read.
    """
    lost = "The meaning of its grades is unknown, so they are left out."
    about = read_record(path, dict[str, Any], "description of a grader", f"{lost} {BACK}")
    try:
        msgspec.convert(about, _GraderAbout)
    except msgspec.ValidationError as error:
        raise StoreError(f"{path}: is no description of a grader ({error}).\n{lost} {BACK}") from None
    return about


def read_graders(folder: Path) -> dict[str, dict[str, Any]]:
    """What is known of the graders that graded here, but for those whose description is damaged."""
    return {plain_name(path.stem): dict(about) for path, about in sound(grader_files(folder), grader_in)[0].items()}


def sound_segments(folder: Path) -> tuple[list[str], list[str]]:
    """The segments of a collection but of graders whose description is damaged, and a sentence for each of these."""
    files = grader_files(folder)
    found, damaged = sound(files, grader_in)
    lost = tuple(f"grades/{path.stem}/" for path in files if path not in found)
    return [name for name in segment_names(folder) if not lost or not name.startswith(lost)], damaged


def describe_grader(folder: Path, grader_id: str, about: dict[str, Any]) -> None:
    """Say once what a grader is; the same name never means another model, prompt or option.

    Raises UsageError where the name is taken by a grader that differs; the message says in what.
    """
    refuse_another(folder, grader_id, about)
    if grader_id not in read_graders(folder):
        content = sealed(msgspec.json.encode(about, order="sorted"))
        write_once(folder / "graders" / f"{folder_name(grader_id)}.json", msgspec.json.format(content))


def refuse_another(folder: Path, grader_id: str, about: dict[str, Any]) -> None:
    """Raise UsageError where the name is taken by a grader that differs, StoreError where that can't be told."""
    try:
        known = grader_in(folder / "graders" / f"{folder_name(grader_id)}.json")
    except FileNotFoundError:
        return
    differs = [name for name in _IDENTITY if known.get(name) != about.get(name)]
    if differs:
        raise UsageError(
            f"Grader {grader_id} is there already, and differs in {', '.join(differs)}:\n"
            + "\n".join(f"  {name}: {known.get(name)} there, {about.get(name)} here" for name in differs)
            + "\nGive the new one a name of its own: --grader NAME --mode MODE"
        )


def prompt_class_of(about: Mapping[str, Any]) -> str | None:
    """The name of a grader's prompt, as files have it; None where it is not known."""
    return (about.get("prompt_info") or {}).get("prompt_class")


def differences(known: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """In what a grader is not the one that is known, in words; empty where nothing says that they are two.

    What one of them does not say is no difference. Of models the last part of their names counts: one may be a folder.
    """
    said = []
    if "labels" in (kinds := [known.get("kind"), about.get("kind")]) and len(set(kinds)) > 1:
        said.append("labels come from a file alone")
    for word, of in (("prompt", prompt_class_of), ("model", _model_of)):
        there, here = of(known), of(about)
        if there and here and there != here:
            said.append(f"its {word} is {there}, not {here}")
    return " and ".join(said)


def _model_of(about: Mapping[str, Any]) -> str:
    return str(about.get("llm") or "").rstrip("/").split("/")[-1]


def parquet(table: pa.Table) -> bytes:
    """A table as the bytes of a Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
