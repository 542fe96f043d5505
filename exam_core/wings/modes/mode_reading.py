"""Grading modes of one's own: a TOML file with the prompt and how the answer is read."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from exam_core.aliases import LEXICAL_NAMES
from exam_core.errors import BadInput, ExamboardError, Problems, UsageError
from exam_core.formats.lines import opened
from exam_core.grading.backend import Reading
from exam_core.grading.modes.mode import Example, Item, Mode
from exam_core.grading.modes.papers import MODES
from exam_core.grading.modes.ratings import Verifier
from exam_core.readings.own_patterns import fault
from exam_core.store import Store
from exam_core.store.grade_segments import LARGEST_SCALE
from exam_core.wings.modes.mode_files import MODE

LARGEST = 2**20
"""Bytes of a mode's file."""
KEYS = (
    *("name", "about", "source", "prompt", "system", "scale", "item", "kind", "reading", "verifier", "model"),
    *("example", "words", "examples", "pattern"),
)
"""What the file of a mode may say."""
PLACEHOLDERS = ("passage", "question", "query", "examples")
_PLACEHOLDER_OF = {
    **dict.fromkeys(("context", "document", "doc", "text", "passages", "paragraph", "chunk", "segment"), "passage"),
    **dict.fromkeys(("topic", "title", "query_text", "search_query", "request"), "query"),
    **dict.fromkeys(("question_text", "nugget", "subquestion", "criterion", "fact"), "question"),
    **dict.fromkeys(("example", "shots", "few_shot", "demonstrations"), "examples"),
}
"""What people write for a placeholder."""
_EXAMPLE_KEYS = ("query", "question", "passage", "answer")
_NAME = re.compile(r"[A-Za-z0-9][\w+-]{0,39}", re.ASCII)
_BRACES = re.compile(r"\{([A-Za-z_]{2,30})\}")
_PRINTED = "Such a file is printed by: examboard mode show self-rating"


def read_mode(content: bytes | str, origin: Path) -> Mode:
    """Return the mode that a file holds; one of the papers' where it asks and reads as that does.

    Raises BadInput, with the lines and what to do, where the file holds none; `origin` is the file's name in messages.
    """
    mode = _ModeFileReader(_text(content, origin), origin).mode()
    known = MODES.get(mode.name)
    if known and known.digest == mode.digest:
        return replace(known, reading=mode.reading) if mode.reading != known.reading else known
    return mode


def faults(mode: Mode) -> list[str]:
    """What is wrong with a mode, in sentences that name the lines of its prompt."""
    reader, sentences = _ModeFileReader(mode.toml, Path("prompt")), []
    with suppress(BadInput):
        reader.mode()
    above = reader.line("prompt")
    for item in sorted(reader.problems.problems, key=lambda problem: problem.line):
        line = f"Line {item.line - above}: " if above < item.line <= above + mode.text.count("\n") + 1 else ""
        sentences.append(f"{line}{item.what}; {item.remedy[:1].lower()}{item.remedy[1:]}")
    return sentences


def read_mode_file(path: Path) -> Mode:
    """Return the mode of a file; errors as of `read_mode` and `file_content`."""
    return read_mode(file_content(path), path)


def file_content(path: Path) -> bytes:
    """Return up to `LARGEST` + 1 bytes of a file, or of standard input where it is "-"; UsageError if unreadable."""
    try:
        with opened(path) as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}. Give the file of a mode, or the name of one: examboard mode list"
        ) from None


def own_modes(store: Store) -> dict[str, Mode]:
    """Return the store's own modes by name, without damaged ones."""
    return _stored_modes(store)[0]


def unread_modes(store: Store) -> list[str]:
    """Return a sentence for each of the store's modes that is damaged, or that has another name than its record."""
    return [*store.damaged(MODE), *_stored_modes(store)[1]]


def _stored_modes(store: Store) -> tuple[dict[str, Mode], list[str]]:
    """Return the store's modes by name, and a sentence for each record that holds none."""
    own, unread = {}, []
    for called, text in store.catalogue.read(MODE).values.items() if not store.is_file else ():
        try:
            mode = _mode_of(text)
        except (ExamboardError, ValueError) as error:
            unread.append(f"Mode {called} of {store.path} can't be read: {str(error).splitlines()[0]}")
            continue
        if mode.called == called:
            own[called] = mode
        else:
            unread.append(f"Mode {called} of {store.path} holds another mode, {mode.called}.")
    return own, unread


def take_mode(store: Store, mode: Mode) -> Mode:
    """Keep a mode in the store, unless it is one of the papers', so that all who use the store have it."""
    if mode.called not in MODES:
        store.refuse_file("add a mode to a folder")
        store.catalogue.put(MODE, mode.called, mode.toml)
    return mode


@lru_cache(maxsize=256)
def _mode_of(text: str) -> Mode:
    return read_mode(text, Path("mode.toml"))


def _text(content: bytes | str, origin: Path) -> str:
    """Return the text of a file with Unix line ends; BadInput where it is too large or not UTF-8."""
    problems = Problems(origin)
    if len(content) > LARGEST:
        problems.add(0, "this is larger than 1 MB, so it is not a mode", remedy=_PRINTED)
        problems.raise_if_any()
    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problems.add(line, "this is not text in UTF-8", remedy="Save the file as UTF-8.")
        problems.raise_if_any()
        raise
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


class _ModeFileReader:
    """A mode's file, and all that is wrong with it."""

    def __init__(self, text: str, origin: Path) -> None:
        self.lines, self.problems = text.split("\n"), Problems(origin)
        self.fields: dict[str, Any] = {}
        try:
            self.fields = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            place = re.search(r"\(at line (\d+)", str(error))
            what = re.sub(r" \(at .*", "", str(error)) or "nested too deeply"
            self.problems.add(
                int(place[1]) if place else len(self.lines),
                f"this is not TOML: {what}",
                remedy=f'Put a text in quotes, one of several lines in """. {_PRINTED}',
            )
            self.problems.raise_if_any()

    def line(self, key: str) -> int:
        """Return the line where a key stands; 0 where it doesn't."""
        key_pattern = re.compile(rf"""\s*(?:\[+\s*)?["']?{re.escape(key)}["']?\s*[\]=]""")
        return next((number for number, line in enumerate(self.lines, 1) if key_pattern.match(line)), 0)

    def wrong(self, key: str, what: str, remedy: str) -> None:
        """Add a problem at the line of a key."""
        self.problems.add(self.line(key), what, remedy=remedy)

    def mode(self) -> Mode:
        """Return the mode; BadInput names all that is wrong."""
        self._keys(self.fields, KEYS, "key")
        text, words = self._texts("prompt", needed=True), self._words()
        scale = self._scale(words)
        item = self._choice("item", get_args(Item), self._item(text))
        mode = {
            "name": self._name(),
            "about": self._texts("about") or "A mode of your own.",
            "source": self._texts("source"),
            "text": text,
            "item": item,
            "scale": scale,
            "words": words,
            "pattern": (pattern := self._pattern()),
            "system": self._texts("system"),
            "example": self._texts("example"),
            "examples": self._examples(),
            "verifier": self._choice("verifier", get_args(Verifier), None),
            "kind": self._choice("kind", ("generate", "extract"), "generate"),
            "model": self._texts("model"),
            "reading": self._choice("reading", get_args(Reading), "chat" if pattern else "auto"),
        }
        self._prompt(mode)
        if set(_BRACES.findall(mode["system"])) & set(PLACEHOLDERS):
            self.wrong("system", "system has a placeholder", "It is the same for all prompts: put it into prompt.")
        self._together(mode)
        self.problems.raise_if_any()
        return Mode(**mode)

    def _keys(self, fields: Mapping[str, Any], known: Iterable[str], what: str) -> None:
        for key in fields:
            if key not in known:
                self.wrong(key, f"there is no {what} {key[:40]}", _near(key, known))

    def _texts(self, key: str, *, needed: bool = False) -> str:
        text = self.fields.get(key, "")
        if not isinstance(text, str):
            self.wrong(key, f"{key} is not text", f'Write it in quotes: {key} = "..."')
            return ""
        if needed and not text.strip():
            self.wrong(key, f"{key} is missing", f'Say what the model is asked: {key} = """..."""')
        return text

    def _name(self) -> str:
        name = self._texts("name")
        if not _NAME.fullmatch(name) or name in LEXICAL_NAMES:
            self.wrong(
                "name",
                f"name is {name[:40]!r}" if name else "name is missing",
                'Give letters, digits, "-" and "_", up to 40, for instance: name = "my-rating"',
            )
        return name

    def _scale(self, words: tuple[tuple[str, int], ...]) -> int:
        scale = self.fields.get("scale", max((grade for _, grade in words), default=5))
        if isinstance(scale, bool) or not isinstance(scale, int) or not 1 <= scale <= LARGEST_SCALE:
            remedy = f"Give the largest grade, 1 to {LARGEST_SCALE}; the smallest is 0."
            self.wrong("scale", f"scale is {str(scale)[:40]}", remedy)
            return 5
        return scale

    def _words(self) -> tuple[tuple[str, int], ...]:
        words = self.fields.get("words", {})
        sound = isinstance(words, dict) and all(isinstance(grade, int) and grade >= 0 for grade in words.values())
        sound = sound and len({" ".join(word.lower().split()) for word in words}) == len(words)
        if not sound or (words and len(set(words.values())) < 2) or not all(word.strip() for word in words):
            remedy = 'Say what each word means: [words] and "full support" = 2'
            self.wrong("words", "words don't name two grades", remedy)
            return ()
        return tuple((" ".join(word.lower().split()), int(grade)) for word, grade in words.items())

    def _pattern(self) -> str:
        text = self._texts("pattern")
        if text and (wrong := fault(text)):
            remedy = "Write a regular expression of RE2 with one group, the grade: pattern = 'Score: ([0-5])'"
            self.wrong("pattern", wrong, f"{remedy}. It has no look-around and no back-references.")
        return text

    def _choice(self, key: str, known: tuple[str, ...], default: Any) -> Any:
        choice = self.fields.get(key, default)
        if choice is not default and choice not in known:
            self.wrong(key, f"{key} is {str(choice)[:40]!r}", _near(str(choice), known))
            return default
        return choice

    def _examples(self) -> tuple[Example, ...]:
        tables = self.fields.get("examples", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.wrong("examples", "examples are not tables", "Begin each with: [[examples]]")
            return ()
        examples = []
        for table in tables:
            self._keys(table, _EXAMPLE_KEYS, "key of an example")
            texts = {key: text for key, text in table.items() if key in _EXAMPLE_KEYS and isinstance(text, str)}
            if "passage" not in texts or "answer" not in texts:
                self.wrong("examples", "an example has no passage or no answer", "Give both as texts.")
                continue
            examples.append(Example(**texts))
        return tuple(examples)

    def _item(self, text: str) -> str:
        return "question" if "{question}" in text or self.fields.get("kind") == "extract" else "passage"

    def _prompt(self, mode: Mapping[str, Any]) -> None:
        """Note what is wrong with the prompt's placeholders; of one that is misspelt not that it is missing, too."""
        items = set(_BRACES.findall(mode["text"]))
        for text, key, others in ((mode["text"], "prompt", ()), (mode["example"], "example", ("answer",))):
            for name in dict.fromkeys(_BRACES.findall(text)):
                known = (*PLACEHOLDERS, *others)
                near = difflib.get_close_matches(name.lower(), known, 1, 0.75)
                meant = _PLACEHOLDER_OF.get(name.lower()) or next(iter(near), "")
                if name not in known and meant:
                    lines = (number for number, line in enumerate(self.lines, 1) if f"{{{name}}}" in line)
                    what = f"{{{name}}} is no placeholder"
                    self.problems.add(next(lines, self.line("prompt")), what, remedy=f"Write {{{meant}}}.")
                    items |= {meant} if key == "prompt" else set()
        text = mode["text"]
        if text and (text.count("{passage}") > 1 or "passage" not in items):
            what = "has no {passage}" if "{passage}" not in text else "has {passage} more than once"
            self.wrong("prompt", f"prompt {what}", "Put {passage} once where the passage belongs.")
        elif text and mode["kind"] == "generate" and not {"question", "query"} & items:
            self.wrong(
                "prompt",
                "prompt has neither {question} nor {query}",
                "Put {question} where the exam question belongs, or {query} to grade passages as a whole.",
            )

    def _together(self, mode: Mapping[str, Any]) -> None:
        """Note which keys do not go together."""
        shown = "{examples}" in mode["text"]
        if bool(mode["examples"]) != shown or (mode["examples"] and "{answer}" not in mode["example"]):
            self.wrong(
                "examples" if mode["examples"] else "prompt",
                "{examples}, example and [[examples]] go together",
                "Put {examples} into the prompt, write in example how each is shown, with {passage} and {answer}, and "
                "give each as [[examples]]. examboard mode show faggioli-b-few prints such a file.",
            )
        if mode["text"] and (mode["item"] == "passage") != (self._item(mode["text"]) == "passage"):
            what = f"item is {mode['item']}, which the prompt does not ask about"
            self.wrong("item", what, "Put {question} into it, or leave item out.")
        if mode["verifier"] and (mode["scale"] != 1 or mode["words"] or mode["item"] == "passage"):
            remedy = "Set scale = 1, without words, and ask a {question}."
            self.wrong("verifier", "answers that are verified are right or wrong", remedy)
        if mode["pattern"] and (mode["verifier"] or mode["kind"] == "extract" or mode["reading"] != "chat"):
            self.wrong("pattern", "pattern says how a grade is read", "Leave verifier, kind and reading out.")
        if mode["words"] and max(grade for _, grade in mode["words"]) > mode["scale"]:
            self.wrong("scale", "a word has a grade beyond the scale", "Raise scale, or leave it out.")
        if mode["reading"] == "flan-t5" and mode["scale"] > 9 and not mode["words"]:
            self.wrong("scale", "the reading flan-t5 reads one digit", 'Set scale to 9 at most, or reading = "chat".')


def _near(text: str, known: Iterable[str]) -> str:
    """Return the known name that somebody may have meant, or all of them, as a remedy."""
    near = difflib.get_close_matches(text.lower(), list(known), 1, 0.5)
    return f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."


KEPT = (own_modes,)
UNREAD = (unread_modes,)
