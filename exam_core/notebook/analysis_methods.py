"""A method for each analysis of the table of answers: options by name, as those of the command line."""

from __future__ import annotations

import difflib
import inspect
import re
import shlex
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from exam_core import answers
from exam_core.answers.analysis import Analysis, Subject
from exam_core.answers.answer import Answer
from exam_core.declared import Declared, declared
from exam_core.defaults import EMBEDDED
from exam_core.errors import ExamboardError, UsageError
from exam_core.wording import with_options


def method(name: str) -> Callable[..., Answer]:
    """The method that an analysis is; its help lists the options."""
    analysis = answers.named(name)
    fields = declared(analysis.options)

    def ask(self: Any, *unnamed: Any, **given: Any) -> Answer:
        if unnamed:
            example = f"{next(iter(fields))}={unnamed[0]!r:.40}"
            raise UsageError(f"{name} takes its options by name, for instance {example}.")
        with naming_options(fields.values()):
            options = analysis.options(**_read(name, fields, given))
            return analysis.answer(Subject(self._store, self._snapshot()), options)

    parameter, keyword = inspect.Parameter, inspect.Parameter.KEYWORD_ONLY
    named = [parameter(field.name, keyword, default=field.default) for field in fields.values()]
    own = parameter("self", parameter.POSITIONAL_ONLY)
    ask.__signature__ = inspect.Signature([own, *named])  # type: ignore[attr-defined]
    ask.__name__, ask.__doc__ = name, _help(name, analysis, fields.values())
    return ask


@contextmanager
def naming_options(fields: Iterable[Declared]) -> Iterator[None]:
    """Let a refusal name these options as they are given in Python: `label_rank`, not `--label-rank`."""
    names = {field.option: field.name for field in fields}
    try:
        yield
    except ExamboardError as error:
        message = with_options(str(error), lambda option: names.get(option, option))
        if message == str(error):
            raise
        raise type(error)(message) from None


def _read(called: str, fields: Mapping[str, Declared], record: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given, as their types.

    Raises UsageError where there is no such option, or its value is of another type, such as a list.
    """
    if unknown := [name for name in record if name not in fields]:
        near = difflib.get_close_matches(unknown[0], fields, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(f"{called} has no option {unknown[0]}.{hint} It has: {', '.join(fields)}.")
    for name, value in record.items():
        if isinstance(value, list | tuple) and not fields[name].is_list and f"{name}s" in fields:
            raise UsageError(f"{name}={value!r:.80}: give one value. For several, use {name}s={value!r:.80}.")
    return {name: fields[name].given(value) for name, value in record.items()}


def _help(name: str, analysis: Analysis, fields: Iterable[Declared]) -> str:
    help_text = "\n\n".join(part for part in analysis.help.split("\n\n") if not part.startswith("Example: "))
    also = f" `tables` has {analysis.tables}." if analysis.tables else ""
    options = "\n".join(map(_option, fields))
    examples = "\n".join(_examples(name, analysis, fields))
    return f"{help_text}\n\nAs `examboard {analysis.name}`.{also}\n\n{examples}\n\nOptions\n-------\n{options}"


def _examples(name: str, analysis: Analysis, fields: Iterable[Declared]) -> Iterator[str]:
    """The command's examples on the demo, as Python has them."""
    options = {option: field for field in fields for option in (field.about.option or field.option).split()}
    for command in re.findall(rf"^Example: examboard {analysis.name} (.*)$", analysis.help, re.MULTILINE):
        collection, *words = shlex.split(command)
        if collection in EMBEDDED:
            names, rest = [], iter(words)
            for word in rest:
                field = options[word]
                value = True if field.is_switch else field.typed(next(rest))
                value = field.type(value) if field.type in (int, float) and not field.is_worded else value
                names.append(f"{field.name}={value!r}")
            yield f">>> answer = store[{collection!r}].{name}({', '.join(names)})"


def _option(field: Declared) -> str:
    choices = f" One of {', '.join(map(repr, field.choices))}." if field.choices else ""
    about = f"{field.name} = {field.default!r} : {field.about.help}{choices}"
    return textwrap.fill(about, 100, subsequent_indent="    ")


def refuse_no_text(**named: Any) -> None:
    """Raise UsageError for a name that is given and is no text."""
    for name, value in named.items():
        if not isinstance(value, str):
            raise UsageError(f"{name}={value!r:.80}: give a text.")
