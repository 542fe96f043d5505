"""Every call of every way to write lets itself be failed, one at a time: what is promised of a store then holds.

A run without a fault is recorded; then for each call below the folder, and for each fault that it can have, the same
is done again in a copy of the store, and strace lets that call fail, or kills the process there.
"""

import hashlib
import json
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exam_core.errors import ExamboardError
from exam_core.store import Store
from exam_core.store.checking import check
from exam_core.store.commits import ABANDONED_AFTER
from tests.faults.tracing import CRASHED, Call, Ended, forked, watched
from tests.faults.writing import NAME, PATHS, WritePath, shown, stop_clocks

KILL = "KILL"
ERRORS = ("ENOSPC", "EIO", "EROFS")
READ_ERRORS = ("EIO", "EACCES")
"""What opening a file to read it can meet."""
LONGEST = 1000
"""Characters of one clear message."""
_RANDOM = re.compile(r"\.[0-9a-f]{8}\.part$")


@dataclass
class Found:
    """What came of the faults of a way to write.

    Parameters
    ----------
    calls : below the folder
    states : different ones that faults left
    missed : faults that met a call elsewhere, because threads took turns otherwise
    tried : faults by their names
    broken : what broke which promise
    """

    calls: int = 0
    states: int = 0
    missed: int = 0
    tried: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Whole:
    """What readers find before and after, and what `check` says before.

    Parameters
    ----------
    judged : what was found in states that were met, so that each is judged once
    """

    before: str
    after: str
    problems: int
    judged: dict[str, dict[str, Any]] = field(default_factory=dict)


def faults(call: Call) -> tuple[str, ...]:
    """What can happen to a call; a kill where nothing is changed leaves what one at the next change leaves."""
    if call.only_reads or call.name in ("utimensat", "flock"):
        return READ_ERRORS
    return (KILL, *ERRORS)


def tried(name: str, folder: Path, *, apart: int = 1, first: int = 0) -> Found:
    """Let the calls of a way to write fail, every so many of the pairs of call and fault.

    Parameters
    ----------
    folder : an empty one
    """
    path, found = PATHS[name], Found()
    made, copy, log = folder / "made", folder / "tried", folder / "log"
    made.mkdir()
    prepare(path, made)

    def ended(*options: str) -> Ended:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(made, copy)
        return watched(lambda: done(path, copy), copy, log, *options)

    whole, calls = _whole(made, copy, ended)
    found.calls = len(calls)
    pairs = [(call, fault) for call in calls for fault in faults(call)]
    for call, fault in pairs[first::apart]:
        what = f"signal={KILL}" if fault == KILL else f"error={fault}"
        now = ended("-e", f"inject={call.name}:{what}:when={call.number}")
        if fault != KILL and not any("INJECTED" in one.said for one in now.calls):
            found.missed += 1
            continue
        found.tried[fault] += 1
        said = f"{name}: {fault} at {call.name} {call.number} {call.said[:160].replace(str(copy), '')}"
        found.broken += [f"{said}: {what}" for what in _broken(path, now, fault, copy, whole)]
    found.states = len(whole.judged)
    return found


def prepare(path: WritePath, folder: Path) -> None:
    """Make what there is before, in a child."""

    def made() -> str:
        path.prepare(folder)
        return ""

    outcome_of(forked(made))


def done(path: WritePath, folder: Path) -> None:
    """Do what is done, at one time whenever it is, so that the same is written."""
    stop_clocks()
    path.work(Store(folder / NAME), folder)


def state(folder: Path) -> str:
    """A hash of all files of a folder, which is the same for two states that no reader tells apart."""
    told = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = _RANDOM.sub(".part", str(path.relative_to(folder)))
        told.update(f"{name} {path.stat().st_mtime > time.time() - ABANDONED_AFTER}".encode())
        told.update(hashlib.sha256(path.read_bytes()).digest())
    return told.hexdigest()


def _whole(made: Path, copy: Path, ended: Any) -> tuple[Whole, list[Call]]:
    before = outcome_of(forked(lambda: shown(made)))
    problems = int(outcome_of(forked(lambda: str(_problems(made)))))
    recorded = ended()
    if recorded.status:
        raise OSError(f"Without a fault: {recorded.said}")
    after = outcome_of(forked(lambda: shown(copy)))
    return Whole(before, after, problems), recorded.calls


def _broken(path: WritePath, now: Ended, fault: str, copy: Path, whole: Whole) -> Iterator[str]:
    """The promises that do not hold after a fault."""
    if now.status == CRASHED or "Traceback" in now.said:
        yield f"a traceback: {now.said.strip()[-300:]}"
    elif now.status > 0 and not (now.said.strip() and len(now.said) < LONGEST):
        yield f"no clear message: {now.said[:200]!r}"
    if fault == KILL and now.status not in (0, -signal.SIGKILL):
        yield f"killed, it ended with {now.status}"
    yield from judged(path, copy, whole, died=now.status < 0, acknowledged=now.status == 0)


def judged(path: WritePath, copy: Path, whole: Whole, *, died: bool, acknowledged: bool) -> Iterator[str]:
    """What is wrong with the state that something left."""
    known = state(copy)
    if not died and (rests := [one.name for one in copy.rglob(".*.part")]) != [".rest.part"] and rests:
        yield f"a rest of what was not killed: {rests}"
    if known not in whole.judged:
        status, said = forked(lambda: json.dumps(_left(path, copy, whole)))
        broken = [f"the store can't be opened: {said.strip().splitlines()[-1]}"]
        whole.judged[known] = {"shown": "", "broken": broken} if status else json.loads(said)
    left = whole.judged[known]
    if acknowledged and left["shown"] != whole.after:
        yield "acknowledged, and not there"
    yield from left["broken"]


def _left(path: WritePath, copy: Path, whole: Whole) -> dict[str, Any]:
    """What readers find, and what is wrong with it; then the same is done once more."""
    found, broken = shown(copy), []
    if found not in (whole.before, whole.after):
        broken.append(f"neither as before nor as after: {_difference(found, whole)}")
    if _problems(copy) > whole.problems:
        broken.append("check names a problem")
    try:
        done(path, copy)
        if (again := shown(copy)) != whole.after and found == whole.before:
            broken.append(f"done once more it is not as it should be: {_difference(again, whole)}")
    except ExamboardError as error:
        if found == whole.before:
            broken.append(f"done once more: {error}")
    return {"shown": found, "broken": broken}


def _problems(folder: Path) -> int:
    """How much `check` names."""
    return sum(len(one.problems) for one in check(Store(folder / NAME)))


def _difference(found: str, whole: Whole) -> str:
    now, before, after = (json.loads(text) for text in (found, whole.before, whole.after))
    odd = [f"{name}: {told}" for name, told in now.items() if told not in (before.get(name), after.get(name))]
    return "; ".join(odd)[:600] or "some parts as before, others as after"


def outcome_of(ended: tuple[int, str]) -> str:
    """What a child said that ended well; OSError with its traceback otherwise."""
    if ended[0]:
        raise OSError(ended[1])
    return ended[1]
