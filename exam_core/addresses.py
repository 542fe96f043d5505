"""Files at addresses (`s3://bucket/key`): fetched before they are read, sent once they are whole, by fsspec.

The command line alone does so, where whoever runs it names the address. The dashboard has other visitors, for whom its
machine must ask no server. Credentials are the environment's; messages and stored names have no part of an address that
may hold one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from exam_core.errors import BadInput, ExamboardError, UsageError, visible
from exam_core.progress import Progress, no_progress
from exam_core.secrecy import without_secrets

_FORM = re.compile(r"([a-z][a-z0-9+.-]+):/+(.+)", re.DOTALL)
"""An address, also as a Path has it: s3:/bucket/key."""
HERE = {
    *("file", "local", "memory", "data", "dir", "reference", "generic", "dask", "pyscript", "git", "zip", "tar"),
    *("libarchive", "cached", "blockcache", "filecache", "simplecache", "asynclocal", "asyncwrapper", "async_wrapper"),
}
"""What fsspec knows that leads to this machine, or by way of another address."""
_BLOCK = 8 * 2**20
"""Bytes that are asked for at once."""
_PART = 16 * 2**20
"""Bytes of each part of a large object; S3 takes 10,000 parts, of which ten are sent at a time."""
_PACKAGES = "For s3:// and https://: pip install 'examboard[s3]'"
_CREDENTIALS = (
    "Give credentials as your service's own tools take them, never in the address; for S3: AWS_PROFILE, or "
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for a public bucket FSSPEC_S3_ANON=true."
)
_NETWORK = "Try again; check the network and, for S3 of another service than Amazon's, AWS_ENDPOINT_URL."

Bar = Callable[[str], AbstractContextManager[Progress]]
_bar: Bar | None = None


def allow(bar: Bar) -> None:
    """Let this process read and write addresses.

    Parameters
    ----------
    bar : shows how far it is
    """
    global _bar
    _bar = bar


def is_address(path: Path) -> bool:
    """Whether a path is an address; a file of such a name is given by its full path."""
    return _FORM.fullmatch(str(path)) is not None


def as_printed(path: Path) -> str:
    """A path as it is printed: of an address neither password nor what follows its question mark."""
    found = _FORM.fullmatch(str(path))
    if found is None:
        return str(path)
    return visible(without_secrets(f"{found[1]}://{re.split('[?#]', found[2])[0]}"), line_ends=False)


def name_at(path: Path) -> str:
    """What a file at an address is called."""
    return as_printed(path).rstrip("/").rpartition("/")[2].replace("..", "_")[-200:] or "file"


def local_store(path: Path) -> Path:
    """A store's path; UsageError for an address."""
    if is_address(path):
        raise UsageError(
            f"{as_printed(path)}: a store lives on a file system, whose files can be locked. Name a folder; "
            "import from addresses, and export to them."
        )
    return path


@contextmanager
def opened(path: Path, most: int) -> Iterator[Fetching]:
    """A file at an address, to be read once.

    Raises BadInput where it is not there, may not be read, is too large, or can't be reached.

    Parameters
    ----------
    most : bytes that it may have
    """
    files, place, bar = _at(path)
    with _told(path):
        about = files.info(place)
    size = about.get("size")
    if about.get("type") == "directory":
        raise BadInput(f"{as_printed(path)}: is a folder. Name its files.")
    if size is not None and size > most:
        raise BadInput(f"{as_printed(path)}: has more than {most // 2**30} GiB. Fetch it and import the file.")
    with _told(path):
        file = files.open(place, "rb", block_size=_BLOCK)
    with closing(file), bar(f"Fetching {name_at(path)}") as progress:
        yield Fetching(path, file, size, progress)


class Fetching:
    """A file on its way from an address."""

    def __init__(self, path: Path, file: Any, size: int | None, progress: Progress) -> None:
        self._path, self._file, self._size, self._progress, self._count = path, file, size, progress, 0

    def read1(self, size: int) -> bytes:
        """The next bytes; BadInput where the file ends before it should."""
        with _told(self._path):
            piece: bytes = self._file.read(size)
        self._count += len(piece)
        if self._size:
            self._progress(min(self._count / self._size, 1.0))
        if not piece and self._size is not None and self._count != self._size:
            raise BadInput(
                f"{as_printed(self._path)}: broke off after {self._count:,} of {self._size:,} bytes. {_NETWORK}"
            )
        return piece

    read = read1


def send(file: Path, path: Path) -> None:
    """Put a file at an address, where it appears whole. Raises BadInput where it can't be."""
    files, place, bar = _target(path)
    with _told(path), bar(f"Sending {name_at(path)}") as progress:
        _put(files, file, place, progress)


def is_taken(path: Path) -> bool:
    """Whether a file is there, also at an address."""
    if not is_address(path):
        return path.exists()
    files, place, _ = _at(path)
    with _told(path):
        return bool(files.exists(place))


def refuse_taken(path: Path) -> None:
    """Raise BadInput where there is something in a folder at an address."""
    files, place, _ = _target(path)
    with _told(path), suppress(FileNotFoundError):
        if files.ls(place, detail=False):
            raise BadInput(f"{as_printed(path)}: holds files already. Name another folder.")


def send_folder(folder: Path, path: Path, last: str) -> None:
    """Put a folder's files at an address.

    Parameters
    ----------
    last : the file that is sent last, so that where it is, all are
    """
    sent = sorted((file for file in folder.rglob("*") if file.is_file()), key=lambda file: (file.name == last, file))
    files, place, bar = _target(path)
    with _told(path), bar(f"Sending {name_at(path)}") as progress:
        for count, file in enumerate(sent, 1):
            _put(files, file, f"{place}/{file.relative_to(folder).as_posix()}", no_progress)
            progress(count / len(sent))


def _target(path: Path) -> tuple[Any, str, Bar]:
    """`_at`, to write there; a web server, to which fsspec would post the file, is refused."""
    if str(path).startswith("http"):
        raise _refusal(path, NotImplementedError())
    return _at(path)


def _put(files: Any, file: Path, place: str, progress: Progress) -> None:
    from fsspec.callbacks import Callback

    size = max(file.stat().st_size, 1)
    told = Callback(hooks={"bar": lambda _, value, **_more: progress(min(value / size, 1.0))})
    in_parts = {"chunksize": _PART} if "s3" in files.protocol else {}
    files.put_file(str(file), place, callback=told, **in_parts)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """All that goes wrong at an address becomes BadInput."""
    try:
        yield
    except (ExamboardError, ImportError):
        raise
    except Exception as error:  # each service has errors of its own
        raise _refusal(path, error) from None


def _at(path: Path) -> tuple[Any, str, Bar]:
    """Where an address leads, the place there, and what shows how far it is."""
    if _bar is None:
        raise BadInput(f"{as_printed(path)}: only the command line reads and writes addresses.")
    scheme, rest = _FORM.fullmatch(str(path)).groups()  # type: ignore[union-attr]
    if scheme in HERE:
        raise BadInput(f"{as_printed(path)}: {scheme}:// leads to this machine. Name the file by its path.")
    if re.match(r"[^/]*:[^/]*@", rest):
        raise BadInput(f"{as_printed(path)}: has a password in it, which others see. {_CREDENTIALS}")
    try:
        from fsspec.core import url_to_fs
        from fsspec.registry import known_implementations

        if scheme not in known_implementations:
            raise BadInput(f"{as_printed(path)}: {scheme}:// is not known. s3://, gs://, az:// and https:// are.")
        with _told(path):
            found = url_to_fs(f"{scheme}://{rest}", skip_instance_cache=True, use_listings_cache=False)
    except ImportError as error:
        raise BadInput(f"{as_printed(path)}: a package is missing ({error}). {_PACKAGES}") from None
    return *found, _bar


def _refusal(path: Path, error: BaseException) -> BadInput:
    if isinstance(error, FileNotFoundError) and str(path).startswith("http"):
        error = error.__cause__ or error  # fsspec says so of every server that does not answer
    kind, status = type(error).__name__, getattr(error, "status", None)
    said = re.sub(r"\?[^\s'\"]*", "", without_secrets(str(error).partition("\n")[0]))
    reason = f"{kind}: {said}" if said else kind
    if isinstance(error, FileNotFoundError) or status in (404, 410):
        return BadInput(f"{as_printed(path)}: there is no such bucket or object. Check the address.")
    if isinstance(error, NotImplementedError):
        return BadInput(
            f"{as_printed(path)}: nothing can be written there. Name a file, or an address of object storage."
        )
    if isinstance(error, PermissionError) or "Credential" in kind or "Token" in kind or status in (401, 403):
        return BadInput(f"{as_printed(path)}: access is refused ({reason}).\n{_CREDENTIALS}")
    return BadInput(f"{as_printed(path)}: can't be reached, or broke off ({reason}).\n{_NETWORK}")
