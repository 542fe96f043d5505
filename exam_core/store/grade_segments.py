"""What is graded here: segments of grades beside the imports, each a Parquet file and a record that makes it count.

Segments of one grader may repeat rows, because two jobs may have graded the same; their values are equal.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from exam_core.errors import StoreError, UsageError
from exam_core.store.catalogue import SET_ASIDE, Catalogue, RecordKind

_IDENTITY = ("mode", "llm", "llm_options", "scale")
"""What two graders of one name must have in common; words about them may differ between versions."""

IMPORTED = "import-"
"""How files of grades begin that belong to an import, and so to its record."""

LARGEST_SCALE = 100
"""No grade is larger."""


class Segment(msgspec.Struct, frozen=True):
    """A file of grades that were made here, whose path in the collection's folder is the record's id."""

    grader: str


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


class _GraderKind(RecordKind[dict[str, Any]]):
    """As other kinds; what is asked of a description has its types."""

    def decode(self, content: bytes) -> dict[str, Any]:
        about = super().decode(content)
        msgspec.convert(about, _GraderAbout)
        return about


GRADER = _GraderKind("grader", dict[str, Any], "The meaning of its grades is unknown, so they are left out.", SET_ASIDE)
SEGMENT = RecordKind(
    "segment",
    Segment,
    "Grades are left out, so the collection can't be opened.",
    "Put the store's catalogue back from a copy; or set the record aside (examboard check --repair) and grade again: "
    "answers are kept, so that no model is asked.",
)


def read_segments(catalogue: Catalogue, collection: str) -> dict[str, Segment]:
    """The segments of a collection by their paths in its folder. Raises StoreError where a record is damaged."""
    records = catalogue.read(SEGMENT, collection)
    if records.damaged:
        raise StoreError(records.damaged[0].sentence(catalogue.place))
    return records.values


def refuse_another(grader_id: str, known: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Raise UsageError where a grader differs from what is known of one of its name; the message says in what."""
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
    sentences = []
    if "labels" in (kinds := [known.get("kind"), about.get("kind")]) and len(set(kinds)) > 1:
        sentences.append("labels come from a file alone")
    models = [str(grader.get("llm") or "").rstrip("/").split("/")[-1] for grader in (known, about)]
    prompts = [prompt_class_of(grader) for grader in (known, about)]
    for word, (old, new) in (("prompt", prompts), ("model", models)):
        if old and new and old != new:
            sentences.append(f"its {word} is {old}, not {new}")
    return " and ".join(sentences)


def parquet(table: pa.Table) -> bytes:
    """A table as the bytes of a Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
