"""People who edit one bank at once, drawn from a seed; and a slow, obvious twin of the three-way merge."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from exam_core.errors import BadInput
from exam_core.question import NO_LINEAGE, Key, Question
from exam_core.tables import question_id
from exam_core.wings.banks.bank_questions import Bank, merged, reworded
from exam_core.wings.banks.changes import Change, diff
from exam_core.wings.banks.editing import refuse_faults
from exam_core.wings.banks.merging import Conflict, Conflicting, Way, three_way

WORDS = [f"{word}?" for word in ("who", "where", "when", "why", "how", "what", "which", "whose")]
"""Few, so that people meet."""
WAYS: tuple[Way, ...] = ("mine", "theirs", "both")
Opened = tuple[int, Bank]


def of(*questions: Question) -> dict[Key, Question]:
    return {one.key: one for one in questions}


def edited(bank: Bank, dice: random.Random, most: int = 3) -> dict[Key, Question]:
    """The bank after a few edits that can be stored."""
    new = dict(bank)
    for _ in range(dice.randint(1, most)):
        tried = _one_edit(new, dice)
        try:
            refuse_faults("b", tried, bank)
        except BadInput:
            continue
        new = tried
    return new


def _one_edit(bank: Bank, dice: random.Random) -> dict[Key, Question]:
    one = dice.choice(list(bank.values()))
    text = dice.choice(WORDS)
    how = dice.choice(["add", "add with an id", "reword", "weigh", "switch", "remove", "merge", "answer"])
    if how in ("add", "add with an id"):
        query = dice.choice(["q1", "q2"])
        name = question_id(query, text) if how == "add" else f"own-{dice.randint(1, 4)}"
        new = Question(query, name, text)
        return dict(bank) if new.key in bank else {**bank, new.key: new}
    if how == "merge":
        others = [other for other in bank.values() if other.query_id == one.query_id and other.key != one.key]
        if not others:
            return dict(bank)
        other = dice.choice(others)
        return _replaced(bank, (one, other), merged([one, other], dice.choice([None, text])))
    after = {
        "reword": reworded(one, text),
        "weigh": replace(one, weight=float(dice.randint(0, 3))),
        "switch": replace(one, enabled=not one.enabled),
        "answer": replace(one, gold_answers=(dice.choice("ab"),)),
        "remove": None,
    }[how]
    return _replaced(bank, (one,), after)


def _replaced(bank: Bank, old: tuple[Question, ...], new: Question | None) -> dict[Key, Question]:
    gone = {one.key for one in old}
    if new is not None and new.key in bank and new.key not in gone:
        return dict(bank)
    rows = [
        new if one.key == old[0].key else one for one in bank.values() if one.key == old[0].key or one.key not in gone
    ]
    return of(*(one for one in rows if one is not None))


@dataclass
class Commit:
    """What made a version: the version that its author had before the eyes, and the whole edit."""

    base: int
    mine: Bank


@dataclass
class Shared:
    """A bank that several people edit: `versions[0]` is what they begin with, `commits[n]` made version n."""

    versions: list[Bank]
    commits: list[Commit | None] = field(default_factory=lambda: [None])

    def commit(self, base: int, mine: Bank) -> None:
        """Store an edit, as `edit_bank` does.

        Raises
        ------
        Conflicting : somebody else edited the same
        """
        newest = len(self.versions) - 1
        both = dict(mine)
        if base < newest:
            merging = three_way(self.versions[base], mine, self.versions[newest])
            both = merging.settled("refuse", bank="b", version=newest)
        if diff(self.versions[newest], both):
            self.versions.append(both)
            self.commits.append(Commit(base, mine))


@dataclass(frozen=True)
class Met:
    """What somebody was told of others' edits, and what they made of it.

    Parameters
    ----------
    theirs : the newest version
    way, settled : how it was settled, and the whole bank then; None where they gave in without a commit
    """

    base: Bank
    mine: Bank
    theirs: Bank
    conflicts: tuple[Conflict, ...]
    way: Way | None = None
    settled: Bank | None = None


def people(dice: random.Random, commit: Callable[[int, Bank], None], newest: Callable[[], Opened]) -> Iterator[Met]:
    """2 to 10 people open, edit and commit in any order; each gives in, or settles what is in the way.

    Parameters
    ----------
    commit : stores an edit of a version, or raises Conflicting
    newest : the newest version and its number

    Yields
    ------
    what each was told whose edit met others'
    """
    turns = [person for person in range(dice.randint(2, 10)) for _ in range(2 * dice.randint(1, 2))]
    dice.shuffle(turns)
    opened: dict[int, Opened] = {}
    for person in turns:
        if person not in opened:
            opened[person] = newest()
            continue
        base, bank = opened.pop(person)
        mine = edited(bank, dice) or bank
        try:
            commit(base, mine)
        except Conflicting as refused:
            met = Met(bank, mine, refused.merging.newest, refused.conflicts)
            met = _settled(met, refused, dice)
            if met.settled:
                commit(refused.version, met.settled)
            yield met


def _settled(met: Met, refused: Conflicting, dice: random.Random) -> Met:
    """Settled in one of the ways that are possible; a bank of which nothing would be left is left alone."""
    for way in dice.sample(WAYS, len(WAYS)):
        try:
            return replace(met, way=way, settled=refused.settled(way))
        except Conflicting:
            continue
    return met


def slow_merge(base: Bank, mine: Bank, theirs: Bank) -> tuple[dict[Key, Question], set[frozenset[Key]]]:
    """Two edits as one, key by key, and the groups of keys that are in conflict; those are left out of the bank."""
    sides = [(diff(base, side), side) for side in (mine, theirs)]
    groups = [(_things(change), {number}) for number, (changes, _) in enumerate(sides) for change in changes]
    while pair := next(((a, b) for a in groups for b in groups if a is not b and a[0] & b[0]), None):
        groups = [one for one in groups if one is not pair[0] and one is not pair[1]]
        groups.append((pair[0][0] | pair[1][0], pair[0][1] | pair[1][1]))
    clashes: set[frozenset[Key]] = set()
    for things, touched_by in groups:
        keys = {thing for thing in things if len(thing) == 2}
        same = all(_plain(mine.get(key)) == _plain(theirs.get(key)) for key in keys)
        if touched_by == {0, 1} and not same:
            clashes.add(frozenset(keys))
    found: dict[Key, Question] = {}
    for key in {**base, **mine, **theirs}:
        if any(key in clash for clash in clashes):
            continue
        kept = mine.get(key) if theirs.get(key) == base.get(key) else theirs.get(key)
        if kept is not None:
            found[key] = kept
    return found, clashes


def _things(change: Change) -> set[tuple[str, ...]]:
    """Keys of a change's questions, and the words of those that count."""
    questions = {*change.before, change.after} - {None}
    words = {(one.query_id, one.facet_id or "", (one.text or "").strip()) for one in questions if one and one.enabled}
    return {one.key for one in questions if one} | words


def _plain(question: Question | None) -> Question | None:
    return question and replace(question, lineage=NO_LINEAGE)
