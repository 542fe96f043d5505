"""A model of power loss: recorded calls are replayed into the states that a disk may be in when the power goes.

After each call the power may go. Then of a file that was not flushed since, what was written may be there, be gone or
end in the middle; and of a folder that was not flushed since, any of the names that came or went may be as before. A
rename within a folder happens or doesn't; one to another folder may lose either half. What follows from POSIX without
a flush is more than any file system does, so what holds here holds there.
"""

import hashlib
import itertools
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.failing import Whole, done, judged, outcome_of, prepare
from tests.faults.tracing import CHANGING, forked, watched
from tests.faults.writing import PATHS, shown

MOST = 200
"""States that are tried of one moment: the product of what may be lost is cut there."""
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")
_TEXT = re.compile(r'"([^"]*)"')
_FILE = re.compile(r"^\w+<([^>]*)>")
Names = dict[str, int]
"""Names in a folder, and which file or folder each is."""


@dataclass
class File:
    """What a file holds now, and what of it is on disk for certain."""

    now: bytes = b""
    sure: bytes = b""

    @property
    def may_be(self) -> list[bytes]:
        """What it may hold after a power loss."""
        if self.now == self.sure:
            return [self.now]
        same = len(self.sure) if self.now.startswith(self.sure) else 0
        cuts = (same, (same + len(self.now)) // 2)
        return list(dict.fromkeys([self.sure, self.now, *(self.now[:cut] + self.sure[cut:] for cut in cuts)]))


@dataclass
class Folder:
    """Names in a folder that are on disk for certain, and what came after: a name, and what it is now (None: gone)."""

    sure: Names = field(default_factory=dict)
    since: list[dict[str, int | None]] = field(default_factory=list)

    def after(self, kept: tuple[int, ...]) -> Names:
        """The names when of what came after only some is kept."""
        names: dict[str, int | None] = dict(self.sure)
        for place in kept:
            names |= self.since[place]
        return {name: number for name, number in names.items() if number is not None}

    @property
    def now(self) -> Names:
        """The names as every process sees them."""
        return self.after(tuple(range(len(self.since))))

    @property
    def may_be(self) -> list[Names]:
        """The names that there may be after a power loss: what came first, or all but one thing, or one thing alone."""
        every = tuple(range(len(self.since)))
        firsts = [every[:count] for count in range(len(every) + 1)]
        but_one = [every[:place] + every[place + 1 :] for place in every]
        found = [self.after(kept) for kept in (*firsts, *but_one, *((place,) for place in every))]
        return [names for place, names in enumerate(found) if names not in found[:place]]


class Disk:
    """Files and folders below a folder, as they are and as they may be after a power loss."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._things: dict[int, File | Folder] = {}
        self._root = self._read(folder)

    def _read(self, path: Path) -> int:
        number = len(self._things)
        if path.is_file():
            content = path.read_bytes()
            self._things[number] = File(content, content)
        else:
            made = self._things[number] = Folder()
            made.sure = {one.name: self._read(one) for one in sorted(path.iterdir())}
        return number

    def find(self, path: Path) -> File | Folder | None:
        """What has a path now."""
        thing = self._things[self._root]
        for name in path.relative_to(self._folder).parts:
            if not isinstance(thing, Folder) or name not in thing.now:
                return None
            thing = self._things[thing.now[name]]
        return thing

    def _above(self, path: Path) -> Folder:
        found = self.find(path.parent)
        if not isinstance(found, Folder):
            raise OSError(f"{path}: its folder was never made.")
        return found

    def add(self, path: Path, thing: File | Folder) -> None:
        """A new file or folder."""
        number = len(self._things)
        self._things[number] = thing
        self._above(path).since.append({path.name: number})

    def remove(self, path: Path) -> None:
        """A name goes."""
        self._above(path).since.append({path.name: None})

    def rename(self, path: Path, target: Path) -> None:
        """A name becomes another one: at once in one folder, in two halves from one to another."""
        source, other = self._above(path), self._above(target)
        number = source.now[path.name]
        if source is other:
            source.since.append({path.name: None, target.name: number})
        else:
            other.since.append({target.name: number})
            source.since.append({path.name: None})

    def flush(self, path: Path) -> None:
        """What a file holds, or what names are in a folder, is certain."""
        thing = self.find(path)
        if isinstance(thing, File):
            thing.sure = thing.now
        elif thing:
            thing.sure, thing.since = thing.now, []

    def now(self) -> dict[str, bytes | None]:
        """What every process sees: content by path, None for a folder."""
        found: dict[str, bytes | None] = {}
        self._collect(self._root, "", {}, found)
        return found

    def states(self) -> Iterator[dict[str, bytes | None]]:
        """What may be there after a power loss now: content by path, None for a folder."""
        unsure = [number for number, thing in self._things.items() if len(thing.may_be) > 1]
        ways: list[list[bytes | Names]] = [[*self._things[one].may_be] for one in unsure]
        for choice in itertools.islice(itertools.product(*ways), MOST):
            found: dict[str, bytes | None] = {}
            self._collect(self._root, "", dict(zip(unsure, choice, strict=True)), found)
            yield found

    def _collect(
        self, number: int, place: str, choice: dict[int, bytes | Names], found: dict[str, bytes | None]
    ) -> None:
        thing = self._things[number]
        holds = choice.get(number, thing.now)
        if isinstance(holds, bytes):
            found[place] = holds
            return
        found[place] = None
        for name, below in holds.items():
            self._collect(below, f"{place}/{name}", choice, found)


class Replay:
    """A log of strace, call by call, done to a disk."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk, self._folder = disk, folder
        self._positions: dict[str, int] = {}
        self._ends: set[str] = set()

    def take(self, line: str) -> bool:
        """Do what a line says; whether it changed or flushed something below the folder."""
        match = re.match(r"(\d+) +(\w+)\((.*)\) += (-?\d+)", line)
        if not match or int(match[4]) < 0 or "<unfinished" in line:
            return False
        name, said, result = match[2], match[3], int(match[4])
        texts = [_decoded(text) for text in _TEXT.findall(said)]
        if name == "openat":
            return self._open(texts[0].decode(), said, str(result))
        if name in ("rename", "mkdir", "unlink", "rmdir", "unlinkat"):
            return self._named(name, said, [text.decode() for text in texts])
        if not (file := _FILE.match(said)) or not (path := self._below(_decoded(file[1]).decode())):
            return False
        return self._content(name, said, path, texts, result)

    def _below(self, path: str) -> Path | None:
        return Path(path) if path.startswith(f"{self._folder}") else None

    def _open(self, name: str, said: str, handle: str) -> bool:
        path = self._below(name)
        if not path or "O_DIRECTORY" in said:
            return False
        self._positions[handle] = 0
        (self._ends.add if "O_APPEND" in said else self._ends.discard)(handle)
        thing = self._disk.find(path)
        if thing is None and "O_CREAT" in said:
            self._disk.add(path, File())
        elif isinstance(thing, File) and "O_TRUNC" in said:
            thing.now = b""
        return "O_CREAT" in said or "O_TRUNC" in said

    def _named(self, name: str, said: str, texts: list[str]) -> bool:
        places = [Path(text) for text in texts]
        if name == "unlinkat" and (within := _FILE.match(said)) and not places[0].is_absolute():
            places = [Path(_decoded(within[1]).decode()) / places[0]]
        if not self._below(str(places[0])):
            return False
        if name == "mkdir":
            self._disk.add(places[0], Folder())
        elif name == "rename":
            self._disk.rename(*places)
        else:
            self._disk.remove(places[0])
        return True

    def _content(self, name: str, said: str, path: Path, texts: list[bytes], result: int) -> bool:
        handle, thing = said.partition("<")[0], self._disk.find(path)
        if name in ("fsync", "fdatasync"):
            self._disk.flush(path)
            return True
        if not isinstance(thing, File):
            return False
        if name == "lseek":
            self._positions[handle] = result
        elif name == "read":
            self._positions[handle] += result
        elif name == "ftruncate":
            size = int(said.rpartition(",")[2])
            thing.now = thing.now[:size].ljust(size, b"\0")
        elif name in ("write", "pwrite64"):
            start = len(thing.now) if handle in self._ends else self._positions.get(handle, 0)
            if name == "pwrite64":
                start = int(said.rpartition(",")[2])
            else:
                self._positions[handle] = start + result
            data = texts[0][:result]
            thing.now = thing.now[:start].ljust(start, b"\0") + data + thing.now[start + len(data) :]
        return name in ("write", "pwrite64", "ftruncate")


def _decoded(text: str) -> bytes:
    return bytes(int(pair, 16) for pair in _ESCAPE.findall(text))


@dataclass
class Lost:
    """What came of power losses in a way to write.

    Parameters
    ----------
    moments : after so many calls the power goes
    states : that the disk may be in then; distinct : those that differ
    broken : what broke which promise
    """

    moments: int = 0
    states: int = 0
    distinct: int = 0
    broken: list[str] = field(default_factory=list)


def lost(name: str, folder: Path) -> Lost:
    """Let the power go after each call of a way to write, in an empty folder."""
    path, found = PATHS[name], Lost()
    made, copy, log = folder / "made", folder / "tried", folder / "log"
    made.mkdir()
    prepare(path, made)
    before = outcome_of(forked(lambda: shown(made)))
    shutil.copytree(made, copy)
    disk = Disk(copy)
    trace = f"{CHANGING},read,lseek"
    ended = watched(lambda: done(path, copy), copy, log, "-xx", "-s", str(1 << 24), trace=trace)
    outcome_of((ended.status, ended.said))
    whole = Whole(before, outcome_of(forked(lambda: shown(copy))), problems=1 << 30 if name == "repair" else 0)
    kept = {str(one.relative_to(copy)): one.read_bytes() for one in copy.rglob("*") if one.is_file()}
    replay = Replay(disk, copy)
    seen: set[tuple[bytes, bool]] = set()
    lines = log.read_text().splitlines()
    changing = [number for number, line in enumerate(lines) if replay.take(line)]
    replayed = {place[1:]: content for place, content in disk.now().items() if content is not None}
    if replayed != kept:
        raise OSError(f"{name}: the replay differs from what was done: {sorted(replayed.keys() ^ kept.keys())}")
    shutil.rmtree(copy)
    shutil.copytree(made, copy)
    disk = Disk(copy)
    replay = Replay(disk, copy)
    for number, line in enumerate(lines):
        if not replay.take(line):
            continue
        found.moments += 1
        acknowledged = number == changing[-1]
        for state in disk.states():
            found.states += 1
            key = (_hash(state), acknowledged)
            if key in seen:
                continue
            seen.add(key)
            _write(state, copy)
            said = f"{name}: power lost after {re.sub(_ESCAPE, lambda one: chr(int(one[1], 16)), line)[:200]}"
            found.broken += [
                f"{said}: {what}" for what in judged(path, copy, whole, died=True, acknowledged=acknowledged)
            ]
    found.distinct = len(seen)
    return found


def _hash(state: dict[str, bytes | None]) -> bytes:
    told = hashlib.sha256()
    for place, content in sorted(state.items()):
        told.update(re.sub(r"\.[0-9a-f]{8}\.part", ".part", place).encode())
        told.update(b"folder" if content is None else hashlib.sha256(content).digest())
    return told.digest()


def _write(state: dict[str, bytes | None], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for place, content in state.items():
        path = Path(f"{folder}{place}")
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content)
