"""Small files made on the spot, and the message of a refusal."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from exam_core.errors import BadInput


def zstd(content: bytes) -> bytes:
    """Content packed with zstd."""
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


PACKED: dict[str, Callable[[bytes], bytes]] = {
    **{"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress},
    **{".xz": lzma.compress, ".zst": zstd},
}

Write = Callable[..., Path]
Refusal = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Makes a file of bytes, text or JSON lines; a name that ends as those of `PACKED` is compressed."""

    def make(content: bytes | str | list[Any], name: str = "file") -> Path:
        if isinstance(content, list):
            content = "".join(f"{json.dumps(line)}\n" for line in content)
        raw = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(PACKED[path.suffix if path.suffix in PACKED else ""](raw))
        return path

    return make


@pytest.fixture
def refusal() -> Refusal:
    """What a reader says when it refuses a file."""

    def read(reader: Callable[..., Any], *arguments: Any, **options: Any) -> str:
        with pytest.raises(BadInput) as refused:
            reader(*arguments, **options)
        return str(refused.value)

    return read
