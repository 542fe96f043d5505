"""A mode as the file that makes it: TOML, which `own.read_mode` reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from exam_core.grading.modes.mode import Mode

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def to_toml(mode: Mode) -> str:
    """The file of a mode; what is at its default is left out."""
    lines = [f"{key} = {_value(value)}" for key in ("name", "about", "source") if (value := getattr(mode, key))]
    lines += ["", f"prompt = {_value(mode.text)}"]
    lines += [f"system = {_value(mode.system)}"] if mode.system else []
    lines += [f"scale = {mode.scale}"]
    asks = "{question}" in mode.text or mode.kind == "extract"
    usual: dict[str, str | None] = {"item": "question" if asks else "passage", "kind": "generate", "reading": "auto"}
    usual |= {"pattern": "", "verifier": None, "model": ""}
    for key, default in usual.items():
        if (value := getattr(mode, key)) != default:
            lines.append(f"{key} = {_value(value)}")
    if mode.example:
        lines.append(f"example = {_value(mode.example)}")
    if mode.words:
        keys = {word: word if _BARE.fullmatch(word) else _value(word) for word, _ in mode.words}
        lines += ["", "[words]", *(f"{keys[word]} = {grade}" for word, grade in mode.words)]
    for example in mode.examples:
        texts = {key: getattr(example, key) for key in ("query", "question", "passage", "answer")}
        lines += ["", "[[examples]]", *(f"{key} = {_value(text)}" for key, text in texts.items() if text)]
    return "\n".join(lines) + "\n"


def _value(text: str) -> str:
    """A text as a string of TOML, over several lines where it has some."""
    if "\n" not in text.strip("\n"):
        return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
    escaped = text.replace("\\", "\\\\").replace('"""', '""\\"')
    escaped = _CONTROL.sub(lambda character: f"\\u{ord(character[0]):04x}", escaped)
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    return f'"""\n{escaped}"""'
