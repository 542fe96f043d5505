"""The options of the notebook's analyses: named, defaulted and explained as those of the command line."""

from __future__ import annotations

import difflib
import inspect
import numbers
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, get_args

from exam_core.asked import DEPTH, HELP, MEASURE, RELEVANT_FROM, Asked, Missing, Order, PairTest, Pool, Rounded
from exam_core.defaults import BEST_RUNS, DRAWS, SEED, TOP_CAUSES
from exam_core.errors import ExamboardError, UsageError
from exam_core.tables import OFFICIAL
from exam_core.wording import listed

ALL = "all"
Kind = Literal["text", "texts", "whole", "whole or all", "wholes or all", "measure", "measures", "switch"]


@dataclass(frozen=True)
class Option:
    """An option: its name on the command line without dashes, its default, and what it means.

    Parameters
    ----------
    choices : the texts that may be given; empty where any may
    """

    name: str
    default: Any
    help: str
    kind: Kind = "text"
    choices: tuple[str, ...] = ()

    def read(self, value: Any) -> Any:
        """The value that is given, as the analyses take it.

        Raises
        ------
        UsageError : it is of another kind
        """
        if value is None and self.default is None:
            return None
        return _READERS[self.kind](self, value)

    def refuse(self, value: Any, wanted: str) -> UsageError:
        """That a value is of another kind."""
        return UsageError(f"{self.name}={value!r:.80}: give {wanted}.")


def _text(option: Option, value: Any) -> str:
    if not isinstance(value, str) or (option.choices and value not in option.choices):
        raise option.refuse(value, " or ".join(map(repr, option.choices)) or "a text")
    return value


def _texts(option: Option, value: Any) -> list[str]:
    """Names: in a list, or in a text with commas between."""
    if isinstance(value, str):
        return listed(value)
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise option.refuse(value, "names, in a list or with commas between")
    return list(dict.fromkeys(value))


def _whole(option: Option, value: Any, wanted: str = "a whole number") -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise option.refuse(value, wanted)
    return int(value)


def _whole_or_all(option: Option, value: Any) -> int | str:
    return ALL if isinstance(value, str) and value == ALL else _whole(option, value, "a whole number, or 'all'")


def _wholes_or_all(option: Option, value: Any) -> list[int] | str:
    if isinstance(value, str) and value == ALL:
        return ALL
    many = list(value) if isinstance(value, list | tuple) else [value]
    return [_whole(option, one, "whole numbers in a list, or 'all'") for one in many]


def _measure(option: Option, value: Any) -> str:
    """A measure as it is spelled; one of ir_measures prints as we spell it."""
    if isinstance(value, str):
        return value
    if type(value).__module__.partition(".")[0] != "ir_measures":
        raise option.refuse(value, "a measure, for instance 'P@20'")
    return str(value)


def _measures(option: Option, value: Any) -> list[str]:
    if isinstance(value, str):
        return listed(value)
    return [_measure(option, one) for one in (value if isinstance(value, list | tuple) else [value])]


def _switch(option: Option, value: Any) -> bool:
    if not isinstance(value, bool):
        raise option.refuse(value, "True or False")
    return value


_READERS: dict[Kind, Callable[[Option, Any], Any]] = {
    "text": _text,
    "texts": _texts,
    "whole": _whole,
    "whole or all": _whole_or_all,
    "wholes or all": _wholes_or_all,
    "measure": _measure,
    "measures": _measures,
    "switch": _switch,
}
_BANK = Option("bank", None, HELP["bank"])
_GRADER = Option("grader", None, HELP["grader"])
_ONE_TAU = Option("tau", None, HELP["one_tau"], "whole")
_RELEVANT_FROM = Option("relevant_from", RELEVANT_FROM, HELP["relevant_from"], "whole")
_LABELS = (Option("label_rank", 1, HELP["label_rank"], "whole"), Option("label_map", None, HELP["label_map"]))
_AGAINST = Option("judgments", OFFICIAL, HELP["against"])
_REFERENCE = Option("reference", None, HELP["reference"])
_ROUNDED = Option("rounded", "none", HELP["rounded"], choices=get_args(Rounded))
_DEPTH = Option("depth", DEPTH, HELP["depth"], "whole or all")
_RULES = (
    Option("missing", "zero", HELP["missing"], choices=get_args(Missing)),
    Option("order", "score", HELP["order"], choices=get_args(Order)),
    Option("ncover_pool", "graded", HELP["ncover_pool"], choices=get_args(Pool)),
)
_WITHOUT = Option("without", None, HELP["without"], "texts")
_METHODS = (
    Option("graders", None, HELP["graders"], "texts"),
    Option("measures", None, HELP["measures"], "measures"),
    _REFERENCE,
)
_SEED = Option("seed", SEED, HELP["seed"], "whole")
_DRAWN = (Option("draws", DRAWS, HELP["draws"], "whole"), _SEED)
EVALUATING = (
    Option("measure", None, HELP["measure"], "measure"),
    _BANK,
    _GRADER,
    Option("tau", None, HELP["tau"], "whole or all"),
    _DEPTH,
    *_LABELS,
    Option("judgments", None, HELP["judgments"]),
    _RELEVANT_FROM,
    *_RULES,
    _WITHOUT,
)
RANKING = (*EVALUATING, _REFERENCE, _ROUNDED)
ORDERING = (*RANKING, Option("corrected", False, HELP["corrected"], "switch"))
AGREEING = (
    *(_BANK, _GRADER, _ONE_TAU, _RELEVANT_FROM, *_LABELS),
    _AGAINST,
    Option("measure", MEASURE, HELP["of_runs"], "measure"),
    Option("reference", None, HELP["of_queries"]),
)
DISPLACING = (
    *EVALUATING,
    Option("run", None, HELP["run"]),
    *_METHODS,
    Option("top", TOP_CAUSES, HELP["top"], "whole"),
    *_DRAWN,
)
TELLING = (
    *EVALUATING,
    Option("reference", None, HELP["reference_by_query"]),
    Option("test", "t", HELP["pair_test"], choices=get_args(PairTest)),
    Option("top", BEST_RUNS, HELP["best"], "whole"),
    Option("draws", DRAWS, HELP["draws_and_signs"], "whole"),
    _SEED,
)
VOTING = (
    Option("graders", None, HELP["voters"], "texts"),
    _BANK,
    _LABELS[0],
    _RELEVANT_FROM,
    _AGAINST,
    *_DRAWN,
)
TAGGING = (*EVALUATING, Option("tag", None, HELP["tag"], "texts"), *_METHODS, *_DRAWN)
COMPARING = (
    Option("measures", None, HELP["columns"], "measures"),
    Option("taus", ALL, HELP["taus"], "wholes or all"),
    Option("graders", None, HELP["all_graders"], "texts"),
    Option("bank", None, HELP["any_bank"]),
    _REFERENCE,
    _DEPTH,
    *_LABELS,
    *_RULES,
    _ROUNDED,
    _WITHOUT,
)


def takes(*options: Option) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a method these options, by name; it is called with all of them, read. Its help lists them."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def asked(self: Any, *unnamed: Any, **given: Any) -> Any:
            if unnamed:
                example = f"{options[0].name}={unnamed[0]!r:.40}"
                raise UsageError(f"{method.__name__} takes its options by name, for instance {example}.")
            with naming_options(options):
                return method(self, **read_options(method.__name__, options, given))

        mine = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
        named = [inspect.Parameter(o.name, inspect.Parameter.KEYWORD_ONLY, default=o.default) for o in options]
        asked.__signature__ = inspect.Signature([*mine, *named])  # type: ignore[attr-defined]
        asked.__doc__ = f"{inspect.cleandoc(method.__doc__ or '')}\n\nOptions\n-------\n" + "\n".join(
            map(_told, options)
        )
        return asked

    return decorate


@contextmanager
def naming_options(options: Iterable[Option]) -> Iterator[None]:
    """Let a refusal name these options as they are given in Python: `label_rank`, not `--label-rank`."""
    names = {f"--{option.name.replace('_', '-')}": option.name for option in options}
    try:
        yield
    except ExamboardError as error:
        said = re.sub(r"--[a-z]+(?:-[a-z]+)*", lambda found: names.get(found[0], found[0]), str(error))
        if said == str(error):
            raise
        raise type(error)(said) from None


def read_options(called: str, options: tuple[Option, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every option, as it is given or by default.

    Raises
    ------
    UsageError : there is no such option, or its value is of another kind
    """
    known = {option.name: option for option in options}
    if unknown := [name for name in given if name not in known]:
        near = difflib.get_close_matches(unknown[0], known, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(f"{called} has no option {unknown[0]}.{hint} It has: {', '.join(known)}.")
    return {name: option.read(given.get(name, option.default)) for name, option in known.items()}


def refuse_no_text(**named: Any) -> None:
    """Raise UsageError for a name that is given and is no text."""
    for name, value in named.items():
        if not isinstance(value, str):
            raise UsageError(f"{name}={value!r:.80}: give a text.")


def asked_of(options: Mapping[str, Any]) -> tuple[Asked, list[int]]:
    """What options ask for, and the taus where all of them are."""
    from exam_core.analysis.evaluation.choice import TAUS

    said = {name: value for name, value in options.items() if name in Asked.__dataclass_fields__}
    every = said.get("tau") == ALL
    said |= {name: None for name in ("tau", "depth") if said.get(name) == ALL}
    return Asked(**said), list(TAUS) if every else []


def _told(option: Option) -> str:
    choices = f" One of {', '.join(map(repr, option.choices))}." if option.choices else ""
    return textwrap.fill(f"{option.name} = {option.default!r} : {option.help}{choices}", 100, subsequent_indent="    ")
