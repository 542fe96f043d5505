"""Beam search that gives the same answer as transformers' generate for each prompt alone.

Of the open hypotheses' continuations the best 2 * beams are looked at. One that ends among the best `beams` of them is
kept as finished, one that ends below is dropped; the best `beams` that don't end go on. A finished one is scored by
its log-likelihood over its number of tokens, the end token included, the start token not. With early stopping a
prompt is done when `beams` hypotheses are finished; at the last allowed token every hypothesis counts as finished.

Two things are cheaper. A prompt that is done leaves the batch. And it is done earlier when no open hypothesis can
overtake the best finished one, even if all its further tokens were certain and it grew to the greatest length.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

NOTHING = -math.inf


class Steps(Protocol):
    """What is searched: `exam_core.grading.t5.decoder.Decoding` says what these mean."""

    @property
    def rows(self) -> int: ...

    @property
    def device(self) -> torch.device: ...

    def step(self, tokens: Tensor, times: Tensor, visible: Tensor) -> Tensor: ...

    def keep(self, rows: Tensor) -> None: ...


@dataclass(frozen=True)
class Search:
    """How to search.

    Parameters
    ----------
    beams : hypotheses that are followed; 1 is greedy
    limit : most tokens of an answer, the end token included
    early_stopping : stop at `beams` finished hypotheses; otherwise go on while an open one scores better than the
        worst of them
    start, end : token that opens, that ends an answer
    patience : after so many tokens, leave out the rows that are still open if they are less than an eighth of the
        batch: they would keep the device waiting for a few long answers; None: never
    """

    beams: int
    limit: int
    start: int
    end: int
    early_stopping: bool = True
    patience: int | None = None


@dataclass(frozen=True)
class BestAnswer:
    """The best answer to one prompt.

    Parameters
    ----------
    row : its place in the batch
    tokens : without the start token; the end token last unless the limit was reached
    score : log-likelihood over number of tokens
    margin : how far the next best finished hypothesis is behind; the next best open one where the search ended with
        one finished; None if there is no other
    """

    row: int
    tokens: list[int]
    score: float
    margin: float | None


def search(steps: Steps, how: Search) -> Iterator[BestAnswer]:
    """Find each row's best answer; rows come as they are done.

    Source: Hugging Face's `generate` (num_beams, early_stopping, length_penalty 1, no sampling), transformers 5.23.
    """
    started = steps.rows
    rows = torch.arange(started, device=steps.device)
    tokens = torch.full((len(rows), 1), how.start, device=steps.device)
    visible = torch.ones(len(rows), 1, 1, dtype=torch.bool, device=steps.device)
    scores = torch.zeros(len(rows), 1, device=steps.device)
    paths = torch.empty(len(rows), 1, 0, dtype=torch.long, device=steps.device)
    itself = torch.eye(how.beams, dtype=torch.bool, device=steps.device)
    done = _Finished.none(len(rows), how.beams, steps.device)
    for length in range(1, how.limit + 1):
        times = torch.full((tokens.shape[1],), length - 1, device=steps.device)
        chances = torch.log_softmax(steps.step(tokens, times, visible), dim=-1)
        best, parents, tokens = _best(chances + scores[:, :, None], 2 * how.beams)
        paths = torch.cat([_take(paths, parents), tokens[:, :, None]], dim=2)
        ends = (tokens == how.end) | (length == how.limit)
        done = done.joined_by(best / length, paths, ends, how)

        scores, order = torch.where(ends, NOTHING, best).topk(how.beams)
        parents, tokens, paths = _take(parents, order), _take(tokens, order), _take(paths, order)
        over = _over(done, scores[:, 0], length, how)
        if over.any():
            yield from done.answers(over, rows, scores[:, 0] / length, how)
            left = (~over).nonzero()[:, 0]
            if not len(left):
                return
            steps.keep(left)
            done = _Finished(done.scores[left], done.paths[left])
            rows, scores, visible = rows[left], scores[left], visible[left]
            parents, tokens, paths = parents[left], tokens[left], paths[left]
        if how.patience is not None and length >= how.patience and len(rows) * 8 < started:
            return
        visible = torch.cat([_take(visible, parents), itself.expand(len(rows), -1, -1)], dim=2)


@dataclass(frozen=True)
class _Finished:
    """Each row's finished hypotheses, the best first.

    Parameters
    ----------
    scores : (rows, beams); NOTHING where there are fewer
    paths : (rows, beams, longest); behind the end of a shorter one stands the end token
    """

    scores: Tensor
    paths: Tensor

    @classmethod
    def none(cls, rows: int, beams: int, device: torch.device) -> _Finished:
        """Before the first step."""
        paths = torch.empty(rows, beams, 0, dtype=torch.long, device=device)
        return cls(torch.full((rows, beams), NOTHING, device=device), paths)

    def joined_by(self, scores: Tensor, paths: Tensor, ends: Tensor, how: Search) -> _Finished:
        """The best of these and of the first `beams` of the new ones, where they end."""
        new = torch.where(ends, scores, NOTHING)[:, : how.beams]
        longer = torch.nn.functional.pad(self.paths, (0, 1), value=how.end)
        best, order = torch.cat([self.scores, new], dim=1).topk(how.beams)
        return _Finished(best, _take(torch.cat([longer, paths[:, : how.beams]], dim=1), order))

    def answers(self, over: Tensor, rows: Tensor, open_scores: Tensor, how: Search) -> Iterator[BestAnswer]:
        """The best of each row that is over; `open_scores` are the best hypotheses' that could still go on."""
        second = self.scores[:, 1] if how.beams > 1 else torch.full_like(open_scores, NOTHING)
        rivals = torch.where(second > NOTHING, second, open_scores)
        columns = (rows, self.paths[:, 0], self.scores[:, 0], rivals)
        for row, path, score, rival in zip(*(column[over].tolist() for column in columns), strict=True):
            tokens = path[: path.index(how.end) + 1] if how.end in path else path
            yield BestAnswer(row, tokens, score, score - rival if rival > NOTHING else None)


def _over(done: _Finished, open_scores: Tensor, length: int, how: Search) -> Tensor:
    """Which rows are done, (rows): nothing that could still come changes the best finished hypothesis.

    A token's log-likelihood is at most 0, so an open hypothesis can't end with more than its sum over `limit` tokens.
    """
    full = done.scores[:, -1] > NOTHING
    if not how.early_stopping:
        full &= open_scores / length <= done.scores[:, -1]
    # The last of these ends also what has no numbers to compare (NaN).
    return full | (open_scores / how.limit < done.scores[:, 0]) | (length == how.limit)


def _best(sums: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """The `count` best of (rows, hypotheses, vocabulary): their sums, hypotheses and tokens, each (rows, count)."""
    best, places = sums.flatten(1).topk(count)
    return best, places // sums.shape[2], places % sums.shape[2]


def _take(values: Tensor, chosen: Tensor) -> Tensor:
    """From each row of (rows, n, ...) the ones at the places of (rows, m): (rows, m, ...)."""
    return values[torch.arange(len(values), device=values.device)[:, None], chosen]
