"""The part of an answer that is meant: after any thoughts, without marks of a template, of Markdown, LaTeX or HTML."""

from __future__ import annotations

import re
import unicodedata

_TAGS = r"(?:\w{1,20}:)?(?:think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad|chain_of_thought)"
_MARK = re.compile(
    rf"(?P<close></{_TAGS}\s*>|\[/think\]|◁/think▷|<\|(?:end_of_thought|end_thinking)\|>|<channel\|>)"
    rf"|<{_TAGS}(?:\s[^<>]*)?>|\[think\]|◁think▷|<\|(?:begin_of_thought|start_thinking)\|>|<\|channel>thought",
    re.IGNORECASE,
)
"""Where thoughts begin and end."""
_FINAL = re.compile(r"<\|channel\|>\s*final\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>", re.I)
_CHANNEL = re.compile(r"<\|channel\|>|<\|message\|>", re.I)
_ENDS = re.compile(r"<\|(?:end|return|start|call)\|>", re.I)
_UNTAGGED_CHANNELS = re.compile(r"\s*analysis.*?assistantfinal(?=\S)", re.DOTALL)
"""Channels of harmony where the server left out the tokens around their names."""
_TOKENS = re.compile(
    r"<\|[A-Za-z_]+\|>|</?s>|<(?:end_of_turn|start_of_turn|eos|bos|pad|unk)>|\[/?INST\]|<｜[^｜>]{1,40}｜>", re.I
)
_ROLE = re.compile(r"\s*(?:assistant|model)\s*(?::|\n)\s*", re.I)

_LABELLED_TAG = re.compile(r"<([A-Za-z][\w-]{0,30})>([^<>]*)</\1\s*>")
_BREAKS = re.compile(r"<(?:br|p|/p|div|/div|li|/li|h\d|/h\d)\b[^<>]*>", re.I)
_FORMAT = re.compile(r"</?(?:b|i|u|em|strong|code|pre|span|mark|sub|sup|small|big|font)(?:\s[^<>]*)?/?>", re.I)
_HTML = re.compile(r"</?[A-Za-z][\w-]{0,30}(?:\s[^<>]*)?/?>")
_STRUCK = re.compile(r"~~[^~\n]*~~|<(?:del|s|strike)>[^<]*</(?:del|s|strike)>", re.I)
_FENCE = re.compile(r"(?m)^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$|```(?:json|text|plaintext|markdown|yaml|xml)?")
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{\s*(?:\\(?:text|textbf|mathrm|mathbf)\s*\{)?([^{}]{0,200})\}{1,2}")
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf|emph)\s*\{([^{}]*)\}|\\[()\[\]]|\$+")
_LINE_START = re.compile(r"(?m)^[ \t]*(?:(?:>[ \t]+)|(?:#{1,6}[ \t]*)|(?:[*+•‣·–—-][ \t]+))+")
_BLANKS, _RUNS = re.compile(r"[^\S\n]+"), re.compile(r"([^\w]|\n)\1{3,}")
"""Long runs of one sign say nothing, and take long to look through."""
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u20e3\u00ad"))


def final_part(answer: str) -> str | None:
    """What follows the thoughts of an answer; None where it is all thoughts, whose end is missing, too.

    Thoughts stand in tags of many names, in brackets, or in the channels of harmony. The opening tag may be missing:
    many servers put it into the prompt.
    """
    if matches := list(_FINAL.finditer(answer)):
        return _clean(_ENDS.split(answer[matches[-1].end() :], maxsplit=1)[0])
    text, marked = _unthought(answer)
    if text is None or (not marked and _CHANNEL.search(text)):
        return None
    if untagged := _UNTAGGED_CHANNELS.match(text):
        text = text[untagged.end() :]
    return _clean(text) or (None if marked else "")


def _unthought(answer: str) -> tuple[str | None, bool]:
    """An answer without its thoughts, None where they never end; and whether there were some."""
    names: list[str] = []
    after, inside, marked = 0, False, False
    for mark in _MARK.finditer(answer):
        marked = True
        if not mark["close"]:
            if not inside:
                names.append(answer[after : mark.start()])
            inside = True
            continue
        if not inside:
            names = []
        after, inside = mark.end(), False
    return (None if inside else "\n".join([*names, answer[after:]])), marked


def _clean(text: str) -> str:
    """Without the tokens of a chat's template, and without the name of who speaks."""
    text = _TOKENS.sub(" ", text).strip()
    if value := _ROLE.match(text):
        text = text[value.end() :]
    return text.strip()


def western(text: str) -> str:
    """Digits of all scripts, letters and signs of full width, and rounded digits as ASCII; invisible signs left out."""
    if text.isascii():
        return text
    return "".join(map(_western, text.translate(_INVISIBLE)))


def _western(letter: str) -> str:
    if letter.isascii():
        return letter
    if "\uff00" <= letter <= "\uffef" or "\u2460" <= letter <= "\u24ff" or "\u2776" <= letter <= "\u2793":
        return unicodedata.normalize("NFKC", letter).strip("()")
    if (digit := unicodedata.decimal(letter, None)) is not None:
        return str(digit)
    if letter in "\u2212\u2010\u2011\u2012":
        return "-"
    return " " if letter.isspace() and letter not in "\u2028\u2029\x85" else letter


def plain(text: str) -> str:
    """Text without Markdown, LaTeX and HTML; a value in a tag or a box becomes "rating: 4" on a line of its own."""
    text = _STRUCK.sub("", _FENCE.sub("\n", text))
    text = _BOXED.sub(r"\nfinal rating: \1\n", text)
    text = _LATEX.sub(lambda group: group[1] or "", text)
    text = _BREAKS.sub("\n", _FORMAT.sub("", text))
    text = _HTML.sub("", _LABELLED_TAG.sub(r"\n\1: \2\n", text))
    text = _EMPHASIS.sub("", _LINE_START.sub("", text))
    return _RUNS.sub(r"\1\1\1", _BLANKS.sub(" ", _LINE_START.sub("", text))).strip()
