"""The search alone, on tables of chances in place of a model, against a slow twin without tensors."""

import math
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from exam_core.grading.t5.decoder import BestAnswer, Search, search

END, START, VOCABULARY = 1, 0, 14


class Table:
    """Steps without a model: a rule says what comes next, from a row's seed and the tokens of the path.

    It reads each hypothesis' path from `visible`, as a decoder would, so a wrong mask gives wrong answers.
    """

    device = torch.device("cpu")

    def __init__(self, seeds, rule):
        self.seeds = list(seeds)
        self.rule = rule
        self.fed: list[list[tuple[int, int]]] = [[] for _ in seeds]

    @property
    def rows(self):
        return len(self.seeds)

    def step(self, tokens, times, visible):
        for fed, new in zip(self.fed, tokens.tolist(), strict=True):
            fed += zip(times.tolist(), new, strict=True)
        return torch.tensor(
            [
                [self.rule(seed, path_of(fed, sees)) for sees in seen]
                for seed, fed, seen in zip(self.seeds, self.fed, visible.tolist(), strict=True)
            ]
        )

    def keep(self, rows):
        self.seeds = [self.seeds[row] for row in rows.tolist()]
        self.fed = [self.fed[row] for row in rows.tolist()]


def path_of(fed, sees):
    seen = [entry for entry, yes in zip(fed, sees, strict=True) if yes]
    assert [time for time, _ in seen] == list(range(len(seen)))
    return tuple(token for _, token in seen)


def noise(eagerness):
    """A rule of random chances; an answer ends ever more likely, the sooner the more eager."""

    def rule(seed, path):
        draw = random.Random(f"{seed} {path}")
        values = [draw.gauss(0, 2) for _ in range(VOCABULARY)]
        values[END] += eagerness * len(path) - 3
        return values

    return rule


def always(*chances):
    """A rule that gives these chances at each step; the other tokens share the rest."""
    rest = (1 - sum(chances)) / (VOCABULARY - len(chances))
    values = [math.log(chance) for chance in (*chances, *[rest] * (VOCABULARY - len(chances)))]
    return lambda _seed, _path: values


def slow_search(seed, eagerness, how):
    """Beam search for one prompt as a list of (sum, path), with no way to stop but the rule itself."""
    going = [(0.0, (START,))]
    finished = []
    for length in range(1, how.limit + 1):
        candidates = [
            (total + chance, (*path, token))
            for total, path in going
            for token, chance in enumerate(torch.log_softmax(torch.tensor(noise(eagerness)(seed, path)), 0).tolist())
        ]
        candidates = sorted(candidates, reverse=True)[: 2 * how.beams]
        last = length == how.limit
        ending = [path for _, path in candidates if last or path[-1] == END]
        finished += [(total / length, path) for total, path in candidates[: how.beams] if path in ending]
        finished = sorted(finished, reverse=True)[: how.beams]
        going = [(total, path) for total, path in candidates if path not in ending][: how.beams]
        if len(finished) == how.beams:
            break
    score, path = finished[0]
    return list(path[1:]), score


@pytest.mark.parametrize("limit", [1, 2, 5, 9])
@pytest.mark.parametrize("beams", [1, 2, 5])
def test_search_finds_what_the_slow_twin_finds(beams, limit):
    how = Search(beams, limit, START, END)
    for eagerness in (0.2, 1.0, 3.0):
        found = {answer.row: answer for answer in search(Table(range(8), noise(eagerness)), how)}
        assert sorted(found) == list(range(8))
        for row, answer in found.items():
            tokens, score = slow_search(row, eagerness, how)
            assert (answer.tokens, answer.score) == (tokens, pytest.approx(score, abs=1e-5))


@settings(max_examples=15)
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=5), st.floats(-1, 4))
def test_a_row_is_answered_alike_in_any_company(seeds, eagerness):
    how = Search(3, 6, START, END)
    alone = [next(search(Table([seed], noise(eagerness)), how)).tokens for seed in seeds]
    together = {answer.row: answer.tokens for answer in search(Table(seeds, noise(eagerness)), how)}
    assert [together[row] for row in range(len(seeds))] == alone


def test_a_score_is_the_mean_over_the_tokens_with_the_end():
    # Token 2 (0.5), then the end (0.3): (ln 0.5 + ln 0.3) / 2 = -0.949; the end at once: ln 0.3 = -1.204.
    # Token 2 twice, then the end: (2 ln 0.5 + ln 0.3) / 3 = -0.863, which is the best of three tokens.
    [found] = search(Table([0], always(1e-6, 0.3, 0.5)), Search(1, 3, START, END))
    assert found == BestAnswer(0, [2, 2, 2], pytest.approx(math.log(0.5)), None)
    [found] = search(Table([0], always(1e-6, 0.3, 0.5)), Search(5, 2, START, END))
    assert found.tokens == [2, 2]
    assert found.margin == pytest.approx(math.log(0.5) - (math.log(0.5) + math.log(0.3)) / 2)


def test_a_certain_answer_ends_the_search_at_once():
    table = Table([0], always(1e-6, 0.999))
    [found] = search(table, Search(5, 500, START, END))
    assert found.tokens == [END]
    # The best open hypothesis has one of twelve tokens that share what is left.
    assert found.margin == pytest.approx(math.log(0.999) - math.log((1 - 0.999 - 1e-6) / 12), abs=1e-3)


def test_few_long_answers_are_left_for_later():
    def rule(seed, _path):
        return [0.0, 30.0 if seed else -30.0, *[0.0] * (VOCABULARY - 2)]

    seeds = [*range(1, 10), 0]
    hurried, patient = Search(2, 40, START, END, patience=4), Search(2, 40, START, END)
    assert [found.row for found in search(Table(seeds, rule), hurried)] == list(range(9))
    assert [found.row for found in search(Table(seeds, rule), patient)] == list(range(10))
