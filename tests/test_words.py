"""Words on screen are the field's: captions, help texts, labels, headings, columns, sentences of reports and slides.

`python -m tests.test_words` prints all of them with where they stand, to be read from beginning to end.
"""

import ast
import re
from pathlib import Path

import pytest

from tests.test_layers import tree

ROOT = Path(__file__).parent.parent
SCREEN = ("app.py", "pages", "exam_core")
"""What writes to pages, slides, reports and terminals."""
NEVER = {
    "told apart, tells apart": r"\b(told|tells?|telling)\b[^.;:]{0,30}\bapart\b",
    "draws, as a noun": r"(?<![-\w])draws\b(?! (?:the same|people)\b)",
    "of a kind": r"\bof a kind\b",
    "judged from": r"\bjudged from\b",
    "noise taken out": r"\bnoise (of the means )?taken out\b",
    "not told from": r"\bnot told from\b",
    "endless queries": r"\bendless\b",
    "places, of rankings": r"\b(of (all|the) places|places of (the )?rankings?|first \S+ places)\b",
    "headings that say no noun of the field": r"^(Displaced|In official|Rank (from|to)|Printed columns?)$",
    "ranks and tests as nobody says them": r"\(tied\)|\bno run is above\b|\bno p is below\b|\bstays within\b",
    "daggers": r"^†",
    "holes": r"\bholes?\b",
    "board, for a leaderboard": r"(?<!-)\bboards?\b",
    "worth so many votes": r"\bworth \S+ votes\b",
    "questions that reach passages": r"\bquestions? reach(es)?\b(?! tau)|\breached by\b",
    "looks at no grades": r"\blooks? at no\b",
    "thoughts, of a model": r"\bthoughts (included|and no)\b",
    "left empty": r"\b[Ll]eft empty\b",
    "what ails": r"\bails\b",
    "what somebody said of it": r"\bwhat (it|he|she|they|who|people|was) (said|says|told|tells|called) of\b",
    "take, for need": r"\b(test|tests|this|pairs|halves) takes? (human|several|two|values|a leaderboard)\b",
    "not there any more": r"\bnot there any more\b",
    "Whether, where 'Yes if' or a noun stands": r"^whether\b",
    "what it says, for words or a text": r"\bwrite what it says\b",
    "without a word": r"\bwithout a word\b(?! left)",
}
"""Words that nobody in the field uses for it, or that are explained nowhere, and forms that find them."""
FORMER = "Runs told apart"
"""A slide of earlier versions, which links and stories may name."""
NO_SENTENCE = re.compile(r"\S*|[\w-]+: [\w-]+|(?s:.*)\b(SELECT|FROM [a-z(])\b(?s:.*)")
"""Names, names of tables, and SQL."""


def strings(parsed):
    """The strings of a source with their lines, but for docstrings and parts of formats; values that come in are {}."""
    skipped = set()
    for node in ast.walk(parsed):
        if isinstance(node, ast.Expr):
            skipped.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
            if node not in skipped:
                parts = (one.value if isinstance(one, ast.Constant) else "{}" for one in node.values)
                yield node.lineno, "".join(map(str, parts))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node.lineno, node.value


def on_screen():
    """Sentences and labels of what is on screen, each with its file and line."""
    for room in SCREEN:
        for path in sorted((ROOT / room).rglob("*.py")) if (ROOT / room).is_dir() else [ROOT / room]:
            for line, text in sorted(strings(tree(path))):
                if not NO_SENTENCE.fullmatch(text):
                    yield f"{path.relative_to(ROOT).as_posix()}:{line}", " ".join(text.split())


def helps():
    """What commands say of themselves and of their options, each with its line."""
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("#"):
            yield f"docs/reference/commands.md:{number}", re.sub(r"`[^`]*`|\(#[^)]*\)", "", line)


def test_no_word_on_screen_is_one_that_the_field_does_not_use():
    said = [*on_screen(), *helps()]
    assert len(said) > 5000
    known = re.compile("|".join(f"(?:{form})" for form in NEVER.values()), re.IGNORECASE)
    found = [
        f"{where}: {text} [{word}]"
        for where, text in said
        if text != FORMER and known.search(text)
        for word, form in NEVER.items()
        if re.search(form, text, re.IGNORECASE)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        *("runs that tests tell apart", "95% of the draws", "Runs of a kind", "judged from 2", "4% of all places"),
        *("a hole", "See the board", "worth 2.1 votes", "no question reaches", "it looks at no labels"),
        "Whether the question counts.",
    ],
)
def test_the_words_are_found(text):
    assert any(re.search(form, text, re.IGNORECASE) for form in NEVER.values())


if __name__ == "__main__":
    for where, text in on_screen():
        print(f"{where}: {text}".encode("utf-8", "backslashreplace").decode())
