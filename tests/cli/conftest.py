"""The command line in this process: arguments in, exit status and printed text out."""

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from exam_core.cli import main

APPLICATION = functools.cache(sys.modules[main.__module__].application)


@dataclass(frozen=True)
class Done:
    """What a command did."""

    status: int
    out: str
    err: str


@pytest.fixture
def examboard(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command: `examboard(store, "leaderboard", ...)`."""

    def run(store: Path, *arguments: object) -> Done:
        monkeypatch.setattr(sys.modules[main.__module__], "application", APPLICATION)
        monkeypatch.setenv("EXAMBOARD_STORE", "")
        monkeypatch.setattr(sys, "argv", ["examboard", "--store", str(store), *map(str, arguments)])
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return Done(status, printed.out, printed.err)

    return run


@pytest.fixture
def of_report(examboard: Callable[..., Done], shared_data: Path, tmp_path: Path) -> Callable[..., Callable[..., Done]]:
    """`of_report("t4/packed")("run", "run.txt.bz2")`: import files of a folder of reports into collection `c`."""

    def folder(name: str) -> Callable[..., Done]:
        def bring(kind: str, *given: str) -> Done:
            there = shared_data / "reports" / name
            places = [there / one if (there / one).is_file() else one for one in given]
            return examboard(tmp_path / "store", "import", kind, *places, "--collection", "c")

        return bring

    return folder


@pytest.fixture
def told(examboard: Callable[..., Done], demo_store: Path) -> Callable[..., Any]:
    """What a command says, as its JSON has it, of the embedded collections or of a store: `told("list", store=...)`."""

    def read(*arguments: object, store: Path = demo_store) -> Any:
        done = examboard(store, *arguments, "--format", "json")
        assert (done.status, done.err) == (0, "")
        return json.loads(done.out)

    return read


@pytest.fixture
def tagged(examboard: Callable[..., Done], own_store: Path) -> Path:
    """A store of its own with the demo, two of whose runs have tags."""
    examboard(own_store, "tags", "demo", "bm25", "llm", "saw the bank")
    examboard(own_store, "tags", "demo", "lsa-40", "llm")
    return own_store
