"""What a backend is: a program that runs models, the options that it takes, and what it makes of them.

The core's own are declared in `t5/backends.py`, a wing's in its `backends.py`: in `ROWS`. These files are read
for `--help`, so they load what runs a model only when they load a model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from exam_core.declared import Field

if TYPE_CHECKING:
    from exam_core.grading.prompt import Answerer

Kind = Literal["generate", "extract"]
Engine = Literal["local", "ray"]
Device = Literal["auto", "cpu", "cuda"]
Decoding = Literal["beams", "scored"]
Vote = Literal["majority", "median", "last"]
Precision = Literal["fp32", "tf32", "bf16"]
Reading = Literal["auto", "flan-t5", "chat"]
"""How answers are read (`exam_core/readings`); auto: as the models of the backend write them."""
BEAMS = 5
LONGEST = 512
LONGEST_REPLY = 2048
"""Tokens of what a model writes freely, where nobody says more: ten questions take some 300."""


@dataclass(frozen=True)
class ModelOptions:
    """A model and how it is asked, by whatever backend.

    Parameters
    ----------
    model : hub id or folder; for an address, the name that it knows; empty: the papers' for the mode
    decoding : scored compares the six ratings in one step instead of searching
    max_tokens : length of a prompt, the passage cut to fit; None: 512 for T5, and whole passages for a server

    Options of single backends may take the place of the properties.
    """

    model: Annotated[
        str,
        Field(
            "Model: a folder, or a name of the Hugging Face hub; by default the papers' model for this mode.",
            label="Model",
            explained="A folder, or a name of the Hugging Face hub. If empty: the papers' model for this mode.",
        ),
    ] = ""
    backend: str = "t5"
    engine: Annotated[Engine, Field("This machine, or a Ray cluster.")] = "local"
    device: Annotated[
        Device, Field("Device of the model.", label="Device", explained="auto uses a GPU if there is one.")
    ] = "auto"
    precision: Annotated[
        Precision,
        Field(
            "Only fp32 gives the authors' grades.",
            label="Precision",
            explained="Precision of the model. Only fp32 gives the authors' grades.",
        ),
    ] = "fp32"
    decoding: Annotated[Decoding, Field("Search, or compare the six ratings in one step.")] = "beams"
    beams: Annotated[
        int,
        Field(
            "Width of the search; 1 is greedy.",
            least=1,
            most=64,
            label="Beams",
            explained="Width of the search for an answer; the authors use 5, and 1 is greedy.",
        ),
    ] = BEAMS
    max_tokens: Annotated[
        int | None,
        Field(
            "Length of a prompt; the passage is cut to fit. By default 512; for a server whole passages.",
            least=32,
            label="Longest prompt (tokens)",
            explained="Longer passages are cut to fit, at 1.3 tokens a word. If empty: sent whole, and cut if the "
            "server refuses them as too long.",
        ),
    ] = None
    batch_tokens: Annotated[int | None, Field("Tokens in a batch; by default by the device.", least=1)] = None
    workers: Annotated[int | None, Field("Workers of a Ray cluster; by default all that are free.", least=1)] = None

    @property
    def samples(self) -> int:
        """Answers to each prompt."""
        return 1

    @property
    def samples_by(self) -> Vote:
        """How several answers make one grade."""
        return "majority"

    @property
    def max_output_tokens(self) -> int | None:
        """Tokens of the longest answer; None: as usual."""
        return None

    @property
    def batch(self) -> bool:
        """Whether prompts are left with the backend, which answers them within hours."""
        return False

    @property
    def prices(self) -> tuple[float, float] | None:
        """Of a million tokens of prompts and of answers; None where they aren't given."""
        return None

    @property
    def budget(self) -> float | None:
        """What prompts may cost in all; None for no limit."""
        return None


@dataclass(frozen=True)
class Writing:
    """What is asked for where a model writes freely, instead of a grade.

    Parameters
    ----------
    max_output_tokens : of an answer, thoughts included
    schema : JSON schema that a server is asked to keep to; one that refuses is asked without
    """

    max_output_tokens: int = LONGEST_REPLY
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Backend:
    """A program that runs models.

    Parameters
    ----------
    name, title : for the command line, and for people
    load : makes a model of options, `Kind`, `Writing` or None, and a system text before each prompt, if it takes one
    differences : what departs from the default and changes answers, for the name of the grader
    options : what else it takes; these fields are then options of all commands and forms that ask a model
    refuse : raises UsageError for options that don't go together, also where another backend is chosen; of options,
        `Kind`, and whether a model is to write freely instead of grade
    environment : what a job of the dashboard is started with besides, of options and the addresses that its visitor
        confirmed; raises UsageError for options with which it may start none
    meant_by : the option that means this backend where none is named
    without_effect : options that change no answer, but its time and price
    reading : how answers of its models are read
    longest : tokens of a prompt where nobody says more; None: all of it
    is_told_apart : whether it takes a system text; else that stands at the prompt's head
    """

    name: str
    title: str
    load: Callable[[Any, Kind, Writing | None, str], Answerer]
    differences: Callable[[Any], dict[str, str]]
    options: type[ModelOptions] = ModelOptions
    refuse: Callable[[Any, Kind, bool], None] = lambda *_: None
    environment: Callable[[Any, Collection[str]], Mapping[str, str]] = lambda *_: {}
    meant_by: str = ""
    without_effect: tuple[str, ...] = ()
    reading: Reading = "flan-t5"
    longest: int | None = LONGEST
    is_told_apart: bool = False
