"""Two edits of one bank as one."""

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest

from exam_core.errors import UsageError
from exam_core.question import NO_LINEAGE, Key, Question
from exam_core.tables import question_id
from exam_core.wings.banks.bank_questions import Bank, merged, reworded
from exam_core.wings.banks.changes import applied, diff
from exam_core.wings.banks.merging import Conflict, Conflicting, Merging, Way, three_way
from tests.wings.banks.editors import WAYS, WORDS, Met, Shared, edited, of, people, slow_merge

WHO, WHERE, WHEN = (Question("q1", question_id("q1", text), text) for text in ("who?", "where?", "when?"))
BASE = of(WHO, WHERE, WHEN)
WHOM, WHOSE = reworded(WHO, "whom?"), reworded(WHO, "whose?")
HEAVY, OFF = replace(WHO, weight=2.0), replace(WHO, enabled=False)
HOW = Question("q1", question_id("q1", "how?"), "how?")
BOTH = merged([WHO, WHERE])


def with_changes(*changed: Question, without: Iterable[Question] = ()) -> dict[Key, Question]:
    """The base with questions instead of those of their key or that they were."""
    gone = {one.question_id for one in without} | {name for one in changed for name in one.lineage.parents}
    kept = {key: one for key, one in BASE.items() if one.question_id not in gone}
    return kept | of(*changed)


def settled(merging: Merging, way: Way) -> dict[Key, Question]:
    return merging.settled(way, bank="b", version=2)


TOGETHER: dict[str, tuple[Bank, Bank, Bank]] = {
    "nothing": (BASE, BASE, BASE),
    "mine alone": (with_changes(HEAVY), BASE, with_changes(HEAVY)),
    "theirs alone": (BASE, with_changes(HEAVY), with_changes(HEAVY)),
    "different questions": (with_changes(WHOM), with_changes(HOW), with_changes(WHOM, HOW)),
    "a removal and another change": (with_changes(without=[WHERE]), with_changes(HEAVY), of(HEAVY, WHEN)),
    "the same change": (with_changes(HEAVY), with_changes(HEAVY), with_changes(HEAVY)),
    "the same removal": (with_changes(without=[WHO]), with_changes(without=[WHO]), with_changes(without=[WHO])),
    "the same question added": (with_changes(HOW), with_changes(HOW), with_changes(HOW)),
    "the same merge": (with_changes(BOTH), with_changes(BOTH), with_changes(BOTH)),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_edits_that_do_not_meet_or_are_equal_go_together(case: str) -> None:
    mine, theirs, both = TOGETHER[case]
    assert settled(three_way(BASE, mine, theirs), "mine") == both
    assert three_way(BASE, mine, theirs).conflicts == ()


CONFLICTS: dict[str, tuple[Bank, Bank, list[set[Question]], set[Question] | None]] = {
    "two rewordings": (with_changes(WHOM), with_changes(WHOSE), [{WHO}, {WHOM}, {WHOSE}], {WHOM, WHOSE}),
    "a rewording and a weight": (with_changes(WHOM), with_changes(HEAVY), [{WHO}, {WHOM}, {HEAVY}], {WHOM, HEAVY}),
    "two other fields": (with_changes(OFF), with_changes(HEAVY), [{WHO}, {OFF}, {HEAVY}], None),
    "my removal, their change": (with_changes(without=[WHO]), with_changes(HEAVY), [{WHO}, set(), {HEAVY}], None),
    "my change, their removal": (with_changes(WHOM), with_changes(without=[WHO]), [{WHO}, {WHOM}, set()], None),
    "my merge, their change of one": (
        with_changes(BOTH),
        with_changes(replace(WHERE, weight=3.0)),
        [{WHO, WHERE}, {BOTH}, {WHO, replace(WHERE, weight=3.0)}],
        {BOTH, replace(WHERE, weight=3.0)},
    ),
    "one key added twice": (
        with_changes(HOW),
        with_changes(replace(HOW, weight=2.0)),
        [set(), {HOW}, {replace(HOW, weight=2.0)}],
        None,
    ),
    "two ids of the same words": (
        with_changes(HOW),
        with_changes(replace(HOW, question_id="other", text=" how? ")),
        [set(), {HOW}, {replace(HOW, question_id="other", text=" how? ")}],
        None,
    ),
    "two questions into the same words": (
        with_changes(reworded(WHO, "how?")),
        with_changes(reworded(WHERE, "how?")),
        [{WHO, WHERE}, {reworded(WHO, "how?"), WHERE}, {WHO, reworded(WHERE, "how?")}],
        None,
    ),
    "switched on in the same words": (
        with_changes(replace(WHO, question_id="x", text="how?", lineage=NO_LINEAGE)),
        with_changes(HOW),
        [set(), {replace(WHO, question_id="x", text="how?")}, {HOW}],
        None,
    ),
}


@pytest.mark.parametrize("case", CONFLICTS)
def test_edits_of_one_question_are_a_conflict_with_all_that_is_needed_to_decide(case: str) -> None:
    mine, theirs, sides, _ = CONFLICTS[case]
    (conflict,) = three_way(BASE, mine, theirs).conflicts
    assert [set(side) for side in (conflict.base, conflict.mine, conflict.theirs)] == sides


@pytest.mark.parametrize("case", CONFLICTS)
def test_mine_and_theirs_settle_a_conflict_as_they_say(case: str) -> None:
    mine, theirs, _, _ = CONFLICTS[case]
    merging = three_way(BASE, mine, theirs)
    assert (settled(merging, "mine"), settled(merging, "theirs")) == (mine, theirs)


@pytest.mark.parametrize("case", CONFLICTS)
def test_both_stay_where_neither_excludes_the_other(case: str) -> None:
    mine, theirs, _, kept = CONFLICTS[case]
    merging = three_way(BASE, mine, theirs)
    both = merging.conflicts[0].both
    assert (both and set(both)) == kept
    if kept is None:
        with pytest.raises(Conflicting):
            settled(merging, "both")
    else:
        others = {one for one in BASE.values() if one not in merging.conflicts[0].base}
        assert set(settled(merging, "both").values()) == kept | others


def test_what_stays_of_a_conflict_stands_where_the_others_version_has_it() -> None:
    merging = three_way(BASE, with_changes(WHOM), of(WHOSE, WHERE, WHEN))
    assert [one.text for one in settled(merging, "mine").values()] == ["whom?", "where?", "when?"]


def test_each_conflict_is_settled_in_its_own_way() -> None:
    mine, theirs = of(WHOM, replace(WHERE, weight=3.0), WHEN), of(WHOSE, replace(WHERE, weight=4.0), WHEN)
    merging = three_way(BASE, mine, theirs)
    found = merging.settled({WHO.key: "mine", WHERE.key: "theirs"}, bank="b", version=2)
    assert found == of(WHOM, replace(WHERE, weight=4.0), WHEN)


def test_what_is_not_settled_is_refused_alone() -> None:
    mine, theirs = of(WHOM, replace(WHERE, weight=3.0), WHEN), of(WHOSE, replace(WHERE, weight=4.0), WHEN)
    with pytest.raises(Conflicting) as refused:
        three_way(BASE, mine, theirs).settled({WHO.key: "mine"}, bank="b", version=2)
    assert [one.key for one in refused.value.conflicts] == [WHERE.key]


def test_a_conflict_that_is_none_can_not_be_settled() -> None:
    with pytest.raises(UsageError, match="no conflict about question x"):
        three_way(BASE, BASE, BASE).settled({("q1", "x"): "mine"}, bank="b", version=2)


def test_equal_results_that_remember_different_things_remember_all() -> None:
    direct, detour = reworded(WHO, "whom?"), reworded(WHOSE, "whom?")
    found = settled(three_way(BASE, with_changes(direct), with_changes(detour)), "mine")[direct.key]
    assert found.lineage == detour.lineage != direct.lineage


def test_a_conflict_says_both_texts_and_what_else_differs() -> None:
    (conflict,) = three_way(BASE, with_changes(WHOM), with_changes(HEAVY)).conflicts
    assert conflict.in_words == [
        f"query q1, question {WHO.question_id}",
        '  was:    "who?" [weight 1]',
        '  mine:   "whom?" [weight 1]',
        '  theirs: "who?" [weight 2]',
    ]


def test_a_message_shows_the_first_conflicts_and_counts_the_others() -> None:
    base = of(*(Question("q1", f"{number}", "x" * 10_000 + str(number)) for number in range(100)))
    mine, theirs = ({key: replace(one, weight=weight) for key, one in base.items()} for weight in (2.0, 3.0))
    with pytest.raises(Conflicting, match="and 80 more") as refused:
        settled(three_way(base, mine, theirs), "both")
    assert (len(str(refused.value)) < 50_000, len(refused.value.conflicts)) == (True, 100)


def flat(conflicts: Iterable[Conflict]) -> set[frozenset[Key]]:
    return {frozenset(one.key for one in (*each.base, *each.mine, *each.theirs)) for each in conflicts}


INTERLEAVINGS = 1000
"""Of 2 to 10 editors each."""


def begun() -> Shared:
    """A bank of three questions under each of two queries."""
    return Shared(
        [of(*(Question(query, question_id(query, text), text) for query in ("q1", "q2") for text in WORDS[:3]))]
    )


def interleaved(seed: int) -> tuple[Shared, list[Met]]:
    """A bank after people edited it at once, and what they met."""
    history = begun()
    met = people(random.Random(seed), history.commit, lambda: (len(history.versions) - 1, history.versions[-1]))
    return history, list(met)


@pytest.fixture(scope="module")
def interleavings() -> list[tuple[Shared, list[Met]]]:
    return [interleaved(seed) for seed in range(INTERLEAVINGS)]


@pytest.fixture(scope="module")
def commits(interleavings: list[tuple[Shared, list[Met]]]) -> list[tuple[Bank, Bank, Bank, Bank]]:
    """Of each version that was made: the version that was edited, the edit, the version before it, and it."""
    return [
        (history.versions[commit.base], commit.mine, history.versions[place - 1], history.versions[place])
        for history, _ in interleavings
        for place, commit in enumerate(history.commits)
        if commit is not None
    ]


def touched(base: Bank, edit: Bank) -> set[Key]:
    """Keys of the questions that an edit says something of."""
    return {key for key in {**base, **edit} if plain(base.get(key)) != plain(edit.get(key))}


def plain(question: Question | None) -> Question | None:
    return question and replace(question, lineage=NO_LINEAGE)


def outside(bank: Bank, clashes: Iterable[frozenset[Key]]) -> dict[Key, Question | None]:
    """What a bank says of the questions that are in no conflict."""
    inside = {key for clash in clashes for key in clash}
    return {key: plain(one) for key, one in bank.items() if key not in inside}


@pytest.mark.thorough
def test_people_meet_often_enough_to_learn_something(
    interleavings: list[tuple[Shared, list[Met]]], commits: list[tuple[Bank, Bank, Bank, Bank]]
) -> None:
    merged_edits = sum(base is not before for base, _, before, _ in commits)
    ways = [met.way for _, told in interleavings for met in told]
    assert (merged_edits > INTERLEAVINGS, min(map(ways.count, WAYS)) > INTERLEAVINGS / 10) == (True, True)


def test_no_edit_of_others_is_lost(commits: list[tuple[Bank, Bank, Bank, Bank]]) -> None:
    """A version leaves alone what others edited since the one that its author had seen."""
    lost = [touched(before, after) & touched(base, before) for base, _, before, after in commits]
    assert [keys for keys in lost if keys] == []


def test_nothing_changes_that_nobody_edited(commits: list[tuple[Bank, Bank, Bank, Bank]]) -> None:
    strange = [touched(before, after) - touched(base, mine) for base, mine, before, after in commits]
    assert [keys for keys in strange if keys] == []


def test_no_edit_of_ones_own_is_lost(commits: list[tuple[Bank, Bank, Bank, Bank]]) -> None:
    lost = [touched(base, mine) & touched(mine, after) for base, mine, _, after in commits]
    assert [keys for keys in lost if keys] == []


def test_no_conflict_is_unseen(
    interleavings: list[tuple[Shared, list[Met]]], commits: list[tuple[Bank, Bank, Bank, Bank]]
) -> None:
    """What went through has no conflict, and what was refused has those that were told, as the slow twin sees it."""
    assert [clashes for base, mine, before, _ in commits if (clashes := slow_merge(base, mine, before)[1])] == []
    told = [
        (flat(met.conflicts), slow_merge(met.base, met.mine, met.theirs)[1])
        for _, all_met in interleavings
        for met in all_met
    ]
    assert [pair for pair in told if pair[0] != pair[1] or not pair[0]] == []


def test_who_settles_a_conflict_changes_nothing_else(interleavings: list[tuple[Shared, list[Met]]]) -> None:
    wrong = []
    for met in (met for _, told in interleavings for met in told if met.settled):
        bank, clashes = slow_merge(met.base, met.mine, met.theirs)
        if outside(met.settled or {}, clashes) != outside(bank, clashes):
            wrong.append(met)
    assert wrong == []


@pytest.mark.parametrize("way", ["mine", "theirs"])
def test_a_conflict_is_settled_as_one_side_has_it(interleavings: list[tuple[Shared, list[Met]]], way: Way) -> None:
    wrong = []
    for met in (met for _, told in interleavings for met in told if met.way == way):
        side = met.mine if way == "mine" else met.theirs
        keys = {key for clash in flat(met.conflicts) for key in clash}
        wrong += [key for key in keys if (met.settled or {}).get(key) != side.get(key)]
    assert wrong == []


@pytest.mark.parametrize("seed", range(20))
def test_a_merge_is_what_the_slow_twin_says(seed: int) -> None:
    dice = random.Random(seed)
    base: Bank = of(*(Question("q1", question_id("q1", text), text) for text in WORDS[:4]))
    for _ in range(50):
        base = edited(base, dice) or base
        mine, theirs = edited(base, dice, 4), edited(base, dice, 4)
        merging = three_way(base, mine, theirs)
        bank, clashes = slow_merge(base, mine, theirs)
        assert flat(merging.conflicts) == clashes
        kept = {
            key: one
            for key, one in applied(theirs, merging.changes).items()
            if not any(key in clash for clash in clashes)
        }
        assert {key: plain(one) for key, one in kept.items()} == {key: plain(one) for key, one in bank.items()}


@pytest.mark.parametrize("seed", range(20))
def test_who_is_first_makes_no_difference(seed: int) -> None:
    dice = random.Random(seed)
    base: Bank = of(*(Question("q1", question_id("q1", text), text) for text in WORDS[:4]))
    mine, theirs = edited(base, dice), edited(base, dice)
    one, other = three_way(base, mine, theirs), three_way(base, theirs, mine)
    assert flat(one.conflicts) == flat(other.conflicts)
    assert set(one.settled("mine", bank="b", version=2).values()) == set(
        other.settled("theirs", bank="b", version=2).values()
    )


def test_whatever_stays_of_a_conflict_no_two_questions_have_the_same_words(
    interleavings: list[tuple[Shared, list[Met]]],
) -> None:
    for bank in (bank for history, _ in interleavings for bank in history.versions):
        words = [(one.query_id, one.text) for one in bank.values() if one.enabled]
        assert len(words) == len(set(words))


def test_a_diff_names_what_a_merge_brought() -> None:
    both = settled(three_way(BASE, with_changes(WHOM), with_changes(HOW)), "mine")
    assert [one.how for one in diff(BASE, both)] == ["reworded", "added"]
