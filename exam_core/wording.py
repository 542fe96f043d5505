"""Counts, times and lists in words, names that fit, and texts as they are compared. Every room may take it."""

from __future__ import annotations

import json
import math
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile

from exam_core.aliases import KNOWN

_SAID = {
    "answers that are not a plain digit": "answers that say more than a digit, rated as their file rates them",
    "rankings": "ranked passages",
}
"""Counts that are said in other words than their key has, which JSON keeps."""
_VERBS = dict(
    pair.split(":")
    for pair in "get:gets cross:crosses change:changes are:is were:was have:has lie:lies repeat:repeats".split()
)
_NUMBER = re.compile("[0-9]{1,9}")
_COMMAND = re.compile(r"(?:^|[ =])--[a-z]|exam_core|examboard [a-z]")
_OPTION = re.compile(
    r"(?P<as_it_is>^  .*$|`[^`]+`|\bcheck --repair|\bexamboard [a-z].*?(?=\. [A-Z]|$))|--[a-z]+(?:-[a-z]+)*", re.M
)
"""An option of the command line in a message, outside of whole commands and of the lines of a file."""
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(rf"'{_FORMULA.pattern}")
_PLACES = re.compile(r"(?<=[./_-])(?=[^./_-])|(?<=[a-z0-9])(?=[A-Z])")
"""Where a long word may go on in the next line: after dots, slashes, underscores and hyphens, and before capitals."""
_REFERENCE = re.compile(r"\b(?:qrels|grades):[\w@](?:[\w@()=,.-]*[\w)])?(?::\w+=[^\s:;,]*[\w)])*")
"""A reference that is computed, as commands spell it, in a sentence."""
QUESTIONS = {"tqa": "textbook questions", "genq": "generated questions"}
"""The papers' banks, where figures are printed."""
UNDEFINED = "-"
"""In a cell of a table or chart; sentences say it in a word."""
METHODS, RELIABILITY, ACROSS = "Choose method and tau", "Reliability", "Across collections"
"""Titles of pages that several rooms name."""


def number(value: float, form: str = ".2f") -> str:
    """A number in a sentence."""
    return "undefined" if math.isnan(value) else f"{value:{form}}"


def closest(values: Mapping[str, float], what: str, most: int = 8) -> str:
    """Names by their values, the largest first: `Sun, Kendall 0.884; then Thomas 0.710`; empty where none is defined.

    `what` the values are stands behind the first name; of names beyond `most`, their number. Where names have commas,
    values stand in parentheses: `P@20, tau 4, Kendall 0.738; then Cover@20, tau 4 (0.704)`.
    """
    known = sorted(
        ((name, value) for name, value in values.items() if not math.isnan(value)), key=lambda pair: -pair[1]
    )
    parted = any("," in name for name, _ in known)
    sentences = [f"{name} ({number:.3f})" if parted else f"{name} {number:.3f}" for name, number in known[1:most]]
    sentences += [f"{len(known) - most} more down to {known[-1][1]:.3f}"] if len(known) > most else []
    others = ("; " if parted else ", ").join(sentences)
    return "; then ".join([f"{name}, {what} {largest:.3f}" for name, largest in known[:1]] + [others] * bool(others))


def nothing_cited(collection: str) -> str:
    """That no run cites a passage, and how some come that do."""
    return (
        f"No run of {collection} cites a passage. To add generated responses that have citations: examboard "
        f"import responses FILE --collection {quoted(collection)}"
    )


def cut_in_words(tau: float, relevant_from: int, label_rank: int = 1) -> str:
    """From where a grader and a judge find a passage relevant; of label rank 2, two questions have to reach tau."""
    graded = "grade" if label_rank == 1 else f"at least {_few(label_rank)} questions with a grade of"
    return f"{graded} at least {tau:g}, human judgment at least {relevant_from:g}"


def ordinal(rank: float, ranks: Iterable[float] = ()) -> str:
    """A rank as it is said: `12th`; of runs that share places the first of these: `tied 30th` of 30.5.

    `ranks` are those of all runs, where tied runs have the mean of their places: three runs of rank 3 are tied 2nd. If
    they are not known, a half is taken for two runs.
    """
    first, tied = _first_place(rank, ranks)
    ending = "th" if first % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(first % 10, "th")
    return f"{'tied ' if tied else ''}{first}{ending}"


def rank_text(rank: float, ranks: Iterable[float] = ()) -> str:
    """A rank as tables have it: `12`; of runs that share places `30=`, as `ordinal` says it; a dash for none."""
    if math.isnan(rank):
        return UNDEFINED
    first, tied = _first_place(rank, ranks)
    return f"{first}{'=' if tied else ''}"


def rank_texts(ranks: Sequence[float]) -> list[str]:
    """The ranks of all runs as tables have them."""
    return [rank_text(rank, ranks) for rank in ranks]


def _first_place(rank: float, ranks: Iterable[float]) -> tuple[int, bool]:
    """The first of the places that runs of a rank share, and whether several do."""
    usual = 1 if rank % 1 == 0 else 2
    sharing = sum(other == rank for other in ranks) or usual
    first = rank - (sharing - 1) / 2
    if first % 1:  # some of those that share it are not among the ranks
        first, sharing = rank - (usual - 1) / 2, usual
    return int(first), sharing > 1


def rank_interval(low: float, high: float) -> str:
    """The places that an interval of ranks covers: `1-12`; empty where there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    first, last = math.floor(low), math.ceil(high)
    return str(first) if first == last else f"{first}-{last}"


def typical_interval(width: float) -> str:
    """The width of an interval of ranks as it is said of many runs."""
    return f"typical 95% rank interval: {counted({'places': round(width)})} wide"


def rank_heading(reference: str) -> str:
    """The heading of a column of ranks in a reference."""
    return "Official rank" if reference == "official" else "Reference rank"


def labels_change(n: int, crossing: int) -> str:
    """How many passages get another label, and how many of them cross tau, as a sentence."""
    return f"{counted({'passages get': n})} another label; {counted({'cross': crossing})} tau."


def method_in_words(title: str) -> str:
    """The title of a leaderboard as people say it: `genq P@20 (tau 4)` of `genq P@20 tau=4`."""
    return re.sub(r" tau=(\d+(?:\.\d+)?)", r" (tau \1)", title)


def column_names(texts: Mapping[str, str]) -> dict[str, str]:
    """What printed columns are called, by their ids as commands and as sentences have them.

    Parameters
    ----------
    texts : what the rows of each column say beyond their columns, as JSON; other programs' rows may say anything
    """
    names: dict[str, str] = {}
    for column, text in texts.items():
        with suppress(ValueError):
            about = json.loads(text)
            match about:
                case {"measure": str(measure), "bank": str(bank)}:
                    more = about.get("grading") or (f"tau {about['tau']}" if about.get("tau") else None)
                    name = f"{measure} ({', '.join(filter(None, (QUESTIONS.get(bank, bank), more)))})"
                    names |= {column: name, method_in_words(column): name}
    return names


def with_options(text: str, name: Callable[[str], str]) -> str:
    """A message with other names for options, such as `--label-rank`; commands and lines of a file stay as they are."""
    return _OPTION.sub(lambda match: match["as_it_is"] or name(match[0]), text)


def without_commands(text: str) -> str:
    """A text without what it has in brackets, and without its sentences, that are about the command line.

    Where all of them are, options lose their dashes.
    """
    message = re.sub(r"^--[a-z][^:]*: | \([^()]*--[^()]*\)", "", text)
    every_sentence = re.split(r"(?<=[.!?]) (?=[A-Z])", message)
    plain = " ".join(sentence for sentence in every_sentence if not _COMMAND.search(sentence))
    return plain or re.sub(r"(?<![^ =])--(?=[a-z])", "", text)


def for_readers(text: str) -> str:
    """A note of an analysis on a page that stands alone: names in words, and nothing of the command line."""
    return plain_names(without_commands(text))


def reference_in_words(reference: str, called: Mapping[str, str] | None = None) -> str:
    """A reference as people say it: `nDCG@10 of the judgments` of `qrels:nDCG@10:relevant_from=2`.

    `called` has names of graders and printed columns by their ids; an id that it lacks stays, but for usual names.
    """
    if reference == "official":
        return "the official ranking"
    kind, _, rest = reference.partition(":")
    measure, *options = rest.split(":")
    if not measure:
        return (called or {}).get(reference, reference)
    names = dict(option.split("=", 1) for option in options if "=" in option)
    match kind:
        case "qrels":
            judgments = names.get("judgments", "official")
            return f"{measure} of the judgments{'' if judgments == 'official' else f' {judgments}'}"
        case "grades":
            grader = names.get("grader")
            name = {**KNOWN, **(called or {})}.get(grader, grader) if grader else names.get("bank")
            bank = f", bank {names['bank']}" if grader and "bank" in names else ""
            tau = f" (tau {names['tau']})" if "tau" in names else ""
            return f"{' of '.join(filter(None, (measure, name)))}{bank}{tau}"
    return reference


def plain_names(text: str, called: Mapping[str, str] | None = None) -> str:
    """A text for people: references and taus in words, where commands have their spelling; `called` as above."""
    return _REFERENCE.sub(lambda match: reference_in_words(match[0], called), method_in_words(text))


ADD_TEXTS = "Add the texts on the page Collections."


def texts_come(collection: str) -> str:
    """How texts of passages come into a collection, as a sentence."""
    command = f"examboard import passages FILE --collection {quoted(collection)}"
    return f"{ADD_TEXTS} Or in a terminal: {command}"


def quoted(word: str) -> str:
    """A name or path as a shell takes it for one word, for commands that messages show."""
    return shlex.quote(word)


def composed(text: str) -> str:
    """A text as texts are compared: in lower case, a letter and its accent as the one character that they are (NFC)."""
    return unicodedata.normalize("NFC", text.lower())


def guarded(text: str) -> str:
    """A text as a cell of CSV: with an apostrophe in front where a spreadsheet would take it for a formula.

    So is one that begins with apostrophes and then like a formula, so that `unguarded` gives the same back.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """A cell as it was before `guarded`."""
    return cell[1:] if _GUARDED.match(cell) else cell


def counted(counts: Mapping[str, int]) -> str:
    """Counts in words, for instance `1 run, 860 ranked passages`; where there is one of something, in the singular.

    So is a verb at the end of a name: `1 run is`, `2 runs are` of `runs are`; or alone, `1 is` of `are`.
    """
    return ", ".join(f"{count:,} {_number_of(_SAID.get(name, name), count)}" for name, count in counts.items())


def _few(n: int) -> str:
    """A small number in a sentence."""
    return {2: "two", 3: "three", 4: "four", 5: "five"}.get(n, str(n))


def _number_of(name: str, count: int) -> str:
    if count != 1:
        return name
    noun, _, verb = name.rpartition(" ")
    if verb in _VERBS:
        return f"{_number_of(noun, 1)} {_VERBS[verb]}".strip()
    return name.removesuffix("ies") + "y" if name.endswith("ies") else name.removesuffix("s")


def duration(seconds: float) -> str:
    """A time in words that a person reads at once."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def listed(text: str | None) -> list[str]:
    """Names with commas between, each once; a comma in brackets parts nothing: `AP,POURPRE(beta=5,stem=porter)`."""
    return list(dict.fromkeys(filter(None, (name.strip() for name in re.split(r",(?![^()]*\))", text or "")))))


def common_beginning(names: Sequence[str]) -> str:
    """What names of files begin with, without the marks at its end; empty where that is less than three characters."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    common = "".join(letters[0] for letters in same).strip("-_. ")
    return common if len(common) >= 3 else ""


def in_cell(text: str) -> str:
    """A text in a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def plain_number(text: str) -> int | None:
    """A whole number of 1 to 9 digits of ASCII, as options, addresses and names have them; None of what is none."""
    return int(text) if _NUMBER.fullmatch(text) else None


def plain_decimal(text: str) -> float | None:
    """A number of ASCII digits, with a decimal point or without: 3.5, and 3 of 3.0; None of what is none."""
    match = re.fullmatch(r"([0-9]{1,9})(\.[0-9]{1,9})?", text)
    if not match:
        return None
    value = float(text)
    return int(value) if value.is_integer() else value


def shortened(name: str, most: int) -> str:
    """A long name without its middle, in at most so many characters: names that begin alike often differ at the end."""
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[len(name) - end :]}"


def cut_at_word(text: str, most: int) -> str:
    """The beginning of a text in about so many characters: whole words, and an ellipsis where it goes on."""
    if len(text) <= most:
        return text
    words = text[: most + 1].rpartition(" ")[0]
    return (words if len(words) > most // 2 else text[:most]).rstrip() + "…"  # a very long word is cut within


def in_lines(name: str, width: int) -> list[str]:
    """A name in lines of at most so many characters.

    They end at spaces; within a longer word after dots and the like and before capitals, else anywhere.
    """
    lines = [""]
    for word in re.split(r"(?<=\s)", name):
        for piece in [word] if len(word.rstrip()) <= width else _PLACES.split(word):
            if len((lines[-1] + piece).rstrip()) > width:
                lines.append("")
            lines[-1] += piece
            while len(lines[-1].rstrip()) > width:
                lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.rstrip() for line in lines if line.strip()]
