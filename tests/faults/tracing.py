"""A process that is forked from a warm one and watched by strace, which may let one of its calls fail.

To start a process with everything imported costs two seconds, to fork one that has imported it and attach strace a
fifth of one. The parent never uses DuckDB, whose threads must not be there when a child is forked.
"""

import os
import re
import shutil
import subprocess
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import exam_core
from exam_core.errors import ExamboardError

STRACE = shutil.which("strace")
CHANGING = (
    "open,openat,creat,write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,"
    "rmdir,link,linkat,symlink,ftruncate,truncate,utimensat,fallocate,copy_file_range,flock"
)
"""Calls that are watched: what changes files, and what opens them."""
REFUSED, CRASHED = 1, 70
"""Exit statuses: one message to the user; a traceback."""
_ROOMS = ("actions", "formats", "store", "analysis", "measures", "jobs", "grading", "texts", "wings")
_LINE = re.compile(r"(\d+) +(\w+)\((.*)")


@dataclass(frozen=True)
class Call:
    """A call of a process below the folder that is watched.

    Parameters
    ----------
    name, number : of the system call, and the how manieth of that name it was in its process
    said : its arguments and its result, as strace writes them
    """

    name: str
    number: int
    said: str

    @property
    def only_reads(self) -> bool:
        """Whether it opens something to read it."""
        return self.name in ("open", "openat") and "O_RDONLY" in self.said


@dataclass(frozen=True)
class Ended:
    """How a watched process ended.

    Parameters
    ----------
    status : its exit status; negative for a signal
    said : its message, or its traceback
    calls : below the folder, in order
    """

    status: int
    said: str
    calls: list[Call]


def warm() -> None:
    """Import all that a child may need, so that none imports it again."""
    for room in _ROOMS:
        package = import_module(f"{exam_core.__name__}.{room}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not {"t5", "ensembles"} & set(module.name.split(".")):
                import_module(module.name)
    import_module("pandas.core.arrays.arrow._arrow_utils")
    import_module("pyarrow.pandas_compat")


def forked(work: Callable[[], str]) -> tuple[int, str]:
    """The exit status of a forked child, and what it returned, or why it failed."""
    child, reading = _child(work)
    said = _read(reading)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def watched(work: Callable[[], object], folder: Path, log: Path, *options: str, trace: str = CHANGING) -> Ended:
    """Do something in a child that strace watches.

    Parameters
    ----------
    folder : calls below it are noted
    log : where strace writes, outside of it
    options : for strace, such as the fault that it injects
    trace : the calls that are watched
    """
    wait, go = os.pipe()

    def begun() -> str:
        os.read(wait, 1)
        work()
        return ""

    child, reading = _child(begun)
    os.close(wait)
    command = [str(STRACE), "-f", "-y", "-s", "0", "-e", f"trace={trace}", "-o", str(log), *options]
    with subprocess.Popen([*command, "-p", str(child)], stderr=subprocess.PIPE, text=True) as strace:
        assert strace.stderr is not None
        attached = strace.stderr.readline()
        os.write(go, b"x")
        os.close(go)
        said = _read(reading)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if "attached" not in attached:
        raise OSError(f"strace: {attached.strip()}")
    return Ended(status, said, calls_of(log, child, folder))


def calls_of(log: Path, process: int, folder: Path) -> list[Call]:
    """The calls of a process's first thread below a folder."""
    counts, found = Counter[str](), []
    for line in log.read_text(errors="replace").splitlines():
        match = _LINE.match(line)
        if match and int(match[1]) == process:
            counts[match[2]] += 1
            if f"{folder}/" in match[3]:
                found.append(Call(match[2], counts[match[2]], match[3]))
    return found


def _child(work: Callable[[], str]) -> tuple[int, int]:
    """A forked child that does something, and where what it says can be read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    status, said = 0, ""
    try:
        said = work()
    except ExamboardError as error:
        status, said = REFUSED, str(error)
    except BaseException:  # a child must never go on as its parent
        status, said = CRASHED, traceback.format_exc()
    os.close(reading)
    with os.fdopen(writing, "w") as out:
        out.write(said)
    os._exit(status)


def _read(said: int) -> str:
    with os.fdopen(said) as answer:
        return answer.read()
