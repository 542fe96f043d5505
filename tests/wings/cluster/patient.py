"""A fake model that takes its time in a worker's process, and says in files what it is asked by which process."""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from exam_core.grading.backend import Kind
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer, Prompt, cache_key
from tests.actions.fake_model import FakeModel

SECONDS = 0.1


@dataclass(frozen=True)
class Patiently:
    """Loads such a model in any process: it takes `SECONDS` for a prompt until it is told to hurry.

    Parameters
    ----------
    folder : for its files
    breaks : how it fails at prompts whose passage begins with "break": "raises", or "dies"
    """

    folder: Path
    breaks: str = ""

    def __call__(self, options: GradingOptions, kind: Kind = "generate") -> FakeModel:
        """The model."""
        del options, kind
        return _Patient(self)

    def hurry(self) -> None:
        """From now on it answers at once."""
        (self.folder / "hurry").touch()

    def asked(self) -> list[tuple[int, str]]:
        """The process that was asked, and a hash of the prompt, in order."""
        lines = [path.read_text("utf-8").split() for path in self.folder.glob("*.asked")]
        return [(int(pid), key) for words in lines for pid, key in zip(words[::2], words[1::2], strict=True)]

    def repeated(self) -> set[str]:
        """Prompts that were asked more than once."""
        return {key for key, count in Counter(key for _, key in self.asked()).items() if count > 1}


class _Patient(FakeModel):
    def __init__(self, given: Patiently) -> None:
        super().__init__()
        self._given = given

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The first prompt first."""
        pid, given = os.getpid(), self._given
        for place, prompt in enumerate(prompts):
            with (given.folder / f"{pid}.asked").open("a") as file:
                file.write(f"{pid} {cache_key(prompt).hex()}\n")
            if prompt.context.startswith("break") and given.breaks == "raises":
                raise MemoryError("out of memory on card 0")
            if prompt.context.startswith("break") and given.breaks == "dies":
                os.kill(pid, signal.SIGKILL)
            if not (given.folder / "hurry").exists():
                time.sleep(SECONDS)
            yield from ((place, answer) for _, answer in super().answers([prompt]))
