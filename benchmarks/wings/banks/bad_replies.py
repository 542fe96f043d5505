"""Replies as models return them where they were asked for a list of questions, each with the questions that it holds.

They are drawn: what a kind does wrong is done to questions that are known, so that what must come out of it, and what
must be counted as lost, is known too, without reading it.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from exam_core.wings.banks import replies

EACH = 32
"""Replies of a kind."""
_THINGS = (
    *("the epidermis", "Newton's law", 'so-called "dark matter"', "students' views", "TCP/IP [v4]", "naïve Bayes"),
    *(
        "the U.S. (and its allies)",
        "水の循環",
        "cost: benefit",
        "e.g. DNA, RNA",
        "C:\\temp",
        "the 1990s",
        "P(A|B) = {0, 1}",
    ),
    *("Erdős-Rényi graphs", "a “curly” quote", "the <b> tag", "50% of cases; or more", "emoji 🙂", "1. e4 e5 in chess"),
)
_FORMS = (
    *("What is {}?", "How does {} relate to {}?", "Why, in the end, does {} matter?", "Which role has {} in {}?"),
    *("Is {} a cause (or an effect) of {}?", "When was {} first described, and by whom?"),
)


@dataclass(frozen=True)
class BadReply:
    """A reply, and what is to be read of it.

    Parameters
    ----------
    cut : whether the server said that the model was stopped
    questions : all that are complete; lost : how often, by reason, something is left out
    """

    kind: str
    text: str
    questions: tuple[str, ...]
    lost: Counter[str] = field(default_factory=Counter)
    cut: bool = False


Draw = random.Random
Kind = Callable[[Draw], BadReply]


def bad_replies(seed: int = 20261122, each: int = EACH) -> Iterator[BadReply]:
    """So many replies of each kind, the same for the same seed."""
    for kind in KINDS:
        draw = random.Random(f"{seed} {kind.__name__}")
        for _ in range(each):
            yield kind(draw)


def hostile_replies(size: int = 1_000_000) -> dict[str, str]:
    """Long replies that are slow to read for who is careless, by name."""
    patterns = {
        "quotes": '"',
        "quotes in a list": '["',
        "single quotes": "'",
        "opening brackets": "[",
        "opening braces": '{"a":',
        "nested lists": '[["a b?",',
        "backslashes": "\\",
        "quotes with backslashes": '\\"',
        "quotes and commas": '","',
        "quotes and words": '" a "',
        "blanks": " ",
        "line ends": "\n",
        "bullets": "- a b?\n",
        "bold": "**",
        "thoughts": "<think>",
        "ends of thoughts": "</think>\n",
        "fences": "```\n",
        "question marks": "?",
        "one long string": "a ",
        "NUL": "\0",
        "short strings": '"a b?", ',
    }
    found = {}
    for name, pattern in patterns.items():
        found[name] = (pattern * (size // len(pattern) + 1))[:size]
        found[f"{name}, in brackets"] = '["' + found[name][: size - 4] + '"]'
    return found


def _some(draw: Draw, least: int = 2, most: int = 10, *, without: str = "") -> list[str]:
    """Questions, none twice, without some signs."""
    things = [thing for thing in _THINGS if not set(thing) & set(without)]
    wanted, found = draw.randint(least, most), dict[str, None]()
    while len(found) < wanted:
        found[draw.choice(_FORMS).format(*draw.sample(things, 2))] = None
    return list(found)


def _json(draw: Draw, value: object) -> str:
    return json.dumps(value, ensure_ascii=draw.random() < 0.5, indent=draw.choice([None, 1, 2]))


def strict_json(draw: Draw) -> BadReply:
    """A list, or an object with one, that says more than was asked for."""
    questions = _some(draw)
    more = {"query": "What is it?", "n": len(questions), "ok": True, "rationale": ["Because it is so?"]}
    value = draw.choice([questions, {"questions": questions}, more | {"questions": questions}])
    return BadReply("strict JSON", _json(draw, value), tuple(questions))


def python_literal(draw: Draw) -> BadReply:
    """A list or a dict as Python prints it, perhaps with a name."""
    questions = _some(draw)
    value = draw.choice([questions, {"questions": questions, "n": None}, {"questions": tuple(questions)}])
    return BadReply("Python", draw.choice(["", "questions = ", "my_list: "]) + repr(value), tuple(questions))


def numbered(draw: Draw) -> BadReply:
    """A numbered list between sentences."""
    questions = _some(draw)
    mark = draw.choice(["{}. ", "{}) ", "({}) ", "Q{}: ", "**{}.** ", "{}.  ", "Question {}: "])
    rows = [mark.format(place) + question for place, question in enumerate(questions, 1)]
    between = draw.choice(["\n", "\n\n", "\r\n"])
    text = f"Here are {len(rows)} questions:\n\n{between.join(rows)}\n\nLet me know if you'd like more!"
    return BadReply("numbered", text, tuple(questions))


def bulleted(draw: Draw) -> BadReply:
    """A list with bullets, perhaps below headings."""
    questions = _some(draw, without="*_`")
    mark, (left, right) = (
        draw.choice(["- ", "* ", "• ", "+ "]),
        draw.choice([("", ""), ("**", "**"), ("**Topic:** ", "")]),
    )
    rows = [f"{mark}{left}{question}{right}" for question in questions]
    text = draw.choice(["", "Sure!\n\n", "Overview:\n"]) + "\n".join(rows) + draw.choice(["", "\n", "\n\nEnjoy."])
    return BadReply("bulleted", text, tuple(questions))


def fenced(draw: Draw) -> BadReply:
    """Prose and code fences around."""
    questions = _some(draw)
    inner = draw.choice([_json(draw, questions), repr(questions), f"questions = {questions!r}\nprint(questions)"])
    before = draw.choice(["Certainly! Here's the list you asked for:", "It's [as asked]:", 'In "Python" format:'])
    text = f"{before}\n\n```{draw.choice(['', 'json', 'python'])}\n{inner}\n```\n\nDon't hesitate to ask. What else?"
    return BadReply("prose and fences", text, tuple(questions))


def thoughts(draw: Draw) -> BadReply:
    """A block of reasoning first, with drafts; sometimes it has no beginning, or no end."""
    questions = _some(draw)
    drafts = 'Hmm, they want a list.\n1. What is a draft?\n["What is another draft?", "Why?"]\nIs that good?'
    if draw.random() < 0.25:
        return BadReply("thoughts", f"<think>\n{drafts}", (), Counter({replies.THOUGHTS: 1}))
    begin = draw.choice(["<think>\n", "", "<thinking>"])
    end = "</thinking>" if begin == "<thinking>" else "</think>"
    return BadReply("thoughts", f"{begin}{drafts}\n{end}\n\n{_json(draw, questions)}", tuple(questions))


def several_lists(draw: Draw) -> BadReply:
    """Lists one after the other, not all in the same way."""
    questions = _some(draw, 4)
    middle = len(questions) // 2
    one, other = questions[:middle], questions[middle:]
    way = draw.choice([_json(draw, other), repr(other), "\n".join(f"- {row}" for row in other)])
    between = draw.choice(["\n", "\n\nAnd some more:\n\n", "\nAdvanced:\n"])
    return BadReply("several lists", f"Basic:\n{_json(draw, one)}{between}{way}", tuple(questions))


def repeated_keys(draw: Draw) -> BadReply:
    """An object that has its key several times, of which parsers keep the last."""
    questions = _some(draw)
    key = draw.choice(["question", "questions"])
    rows = [f"{json.dumps(key)}: {json.dumps([one] if key == 'questions' else one)}" for one in questions]
    return BadReply("repeated keys", "{" + draw.choice([", ", ",\n  "]).join(rows) + "}", tuple(questions))


def objects(draw: Draw) -> BadReply:
    """A list of objects, or objects within objects, by subtopic or number."""
    questions = _some(draw)
    rows = [{"id": f"q {n}", "question": one, "answer": "No, it is not so."} for n, one in enumerate(questions)]
    value = draw.choice(
        [
            rows,
            {"questions": rows},
            {"Skin and hair": questions[:1], "All else": {"Deeper": questions[1:]}},
            {f"question_{n}": one for n, one in enumerate(questions)},
            {str(n): one for n, one in enumerate(questions)},
        ]
    )
    text = _json(draw, value) if draw.random() < 0.7 else "\n".join(json.dumps(row) for row in rows)
    return BadReply("objects", text, tuple(questions))


def cut_json(draw: Draw) -> BadReply:
    """A list in JSON that breaks off anywhere."""
    questions, text, ends = _some(draw), "[", []
    ascii_only = draw.random() < 0.5
    begins = []
    for place, question in enumerate(questions):
        text += ", " if place else ""
        begins.append(len(text))
        text += json.dumps(question, ensure_ascii=ascii_only)
        ends.append(len(text))
    at = draw.randint(3, len(text))
    whole = sum(end <= at for end in ends)
    # A quote alone holds nothing that could be lost.
    is_within = any(begin + 1 < at < end for begin, end in zip(begins, ends, strict=True))
    lost = Counter({replies.CUT: 1}) if is_within else Counter()
    return BadReply("JSON cut off", text[:at], tuple(questions[:whole]), lost, cut=draw.random() < 0.5)


def cut_list(draw: Draw) -> BadReply:
    """A numbered list that breaks off anywhere."""
    questions, text, ends = _some(draw), "", []
    begins = []
    for place, question in enumerate(questions, 1):
        text += f"{place}. "
        begins.append(len(text) - 1)
        text += question
        ends.append(len(text))
        text += "\n"
    at, cut = draw.randint(begins[0] + 1, len(text)), draw.random() < 0.5
    # What ends with the reply may go on where the model was stopped.
    whole = sum(end < at or (end == at and not cut) for end in ends)
    is_within = any(begin <= at < end or (at == end and cut) for begin, end in zip(begins, ends, strict=True))
    return BadReply("list cut off", text[:at], tuple(questions[:whole]), Counter({replies.CUT: int(is_within)}), cut)


def stray_quotes(draw: Draw) -> BadReply:
    """Strings with quotes of their own kind in them, as they stand."""
    quote = draw.choice("\"'")
    questions = [
        *(one for one in _some(draw, without="\"'“”\\") if quote not in one),
        f"What does {quote}big data{quote} mean?",
        f"Is {quote}this{quote}, or {quote}that{quote}, what one calls {quote}open{quote}?",
        f"Who said {quote}why?{quote}?",
    ]
    if quote == "'":
        questions += ["What is Newton's law?", "How do students' views differ?"]
    draw.shuffle(questions)
    rows = draw.choice([", ", ",\n  "]).join(f"{quote}{one}{quote}" for one in questions)
    return BadReply("stray quotes", draw.choice(["[{}]", '{{"questions": [{}]}}']).format(rows), tuple(questions))


def lost_signs(draw: Draw) -> BadReply:
    """A comma, a bracket, or a quote is missing or too many."""
    questions = _some(draw, 3, without="\"'“”\\")
    rows, lost = [f'"{one}"' for one in questions], Counter[str]()
    hows = ("no commas", "no end", "comma at the end", "no quotes around a key", "comment", "no last quote")
    how = draw.choice(hows)
    text = "[" + ",\n ".join(rows) + "]"
    if how == "no commas":
        text = "[" + "\n ".join(rows) + "]"
    elif how == "no end":
        text = text[:-1]
    elif how == "comma at the end":
        text = text[:-1] + ",\n]"
    elif how == "no quotes around a key":
        text = "{questions: " + text + "}"
    elif how == "comment":
        text = text.replace("\n", "  # isn't this one good?\n")
    else:
        gone = draw.randrange(len(rows) - 1)
        text = text.replace(rows[gone], rows[gone][:-1])
        questions, lost = ([one for place, one in enumerate(questions) if place != gone], Counter({replies.UNCLEAR: 1}))
    return BadReply("signs missing", text, tuple(questions), lost)


def not_worth_keeping(draw: Draw) -> BadReply:
    """Blank ones, repeated ones, some that are too long or hold what no text has, among good ones."""
    questions = _some(draw, 3)
    bad = {
        replies.BLANK: "  ",
        replies.REPEATED: questions[0] + " ",
        replies.LONG: "Why " + "very " * 400 + "long?",
        replies.UNREADABLE: "What is \0 in C?",
        replies.NO_QUESTION: "question_text_1",
    }
    chosen = draw.sample(sorted(bad), draw.randint(1, len(bad)))
    rest = questions[1:] + [bad[reason] for reason in chosen]
    draw.shuffle(rest)
    kept = [questions[0], *(one for one in rest if one in questions)]
    return BadReply("not worth keeping", _json(draw, [questions[0], *rest]), tuple(kept), Counter(chosen))


def plain_lines(draw: Draw) -> BadReply:
    """A question in each line, and no mark."""
    questions = _some(draw, 2, without="1")
    before, after = draw.choice(["", "Here you are:\n\n"]), draw.choice(["", "\n\nWould you like me to go on?"])
    return BadReply("lines", before + draw.choice(["\n", "\n\n"]).join(questions) + after, tuple(questions))


def wrapped_up(draw: Draw) -> BadReply:
    """JSON within a JSON string, a list within a string, halves of pairs as escapes, a mark at the beginning."""
    questions = _some(draw)
    inner = json.dumps(questions)
    text = draw.choice(
        [
            json.dumps(inner),
            json.dumps(["\n".join(f"{n}. {one}" for n, one in enumerate(questions, 1))]),
            json.dumps({"questions": "\n".join(f"- {one}" for one in questions)}),
            "\ufeff" + inner,
            json.dumps([f"{n}. {one}" for n, one in enumerate(questions, 1)]),
        ]
    )
    return BadReply("wrapped up", text, tuple(questions))


KINDS: tuple[Kind, ...] = (
    *(strict_json, python_literal, numbered, bulleted, fenced, thoughts, several_lists, repeated_keys, objects),
    *(cut_json, cut_list, stray_quotes, lost_signs, not_worth_keeping, plain_lines, wrapped_up),
)
