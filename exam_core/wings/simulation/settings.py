"""What a simulated collection is like: its size, and the numbers of the latent model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.declared import Field
from exam_core.errors import UsageError


@dataclass(frozen=True)
class CollectionSizes:
    """How large a simulated collection is, what is judged and read of it, and how far exam and judges part.

    `scale` multiplies queries and passages, which are (query, passage) pairs, spread evenly. Judged are those passages
    first that some run returned early; CAR Y3: 6,352.
    """

    queries: Annotated[int, Field("Queries, before scaling.")] = 721
    passages: Annotated[int, Field("(query, passage) pairs, before scaling.")] = 85_329
    runs: Annotated[int, Field("Runs.")] = 22
    questions: Annotated[int, Field("Questions of each query.")] = 10
    depth: Annotated[int, Field("Passages that a run returns for a query.")] = 20
    scale: Annotated[int, Field("Multiplies queries and passages.")] = 1
    seed: Annotated[int, Field("One seed always gives one collection.")] = 0
    official_runs: Annotated[int | None, Field("Runs that the official leaderboard ranks; by default 16 of 22.")] = None
    judged: Annotated[float, Field("Share of the passages that is judged.")] = 0.0744
    unreadable: Annotated[float, Field("Share of the grades that can't be read.")] = 0.0
    taste: Annotated[float, Field("How far the exam disagrees with the official leaderboard.")] = 0.23
    texts: Annotated[bool, Field("Give every passage a text.")] = True

    def __post_init__(self) -> None:
        """Refuse sizes that make no collection. Raises UsageError where an option is out of its range."""
        for name in ("queries", "questions", "depth", "scale"):
            _require(getattr(self, name) >= 1, name, getattr(self, name), "give at least 1")
        _require(self.runs >= 2, "runs", self.runs, "give at least 2")
        _require(self.passages >= self.queries, "passages", self.passages, f"give one for each query, {self.queries:,}")
        _require(self.seed >= 0, "seed", self.seed, "give 0 or more")
        _require(0 < self.judged <= 1, "judged", self.judged, "give a share above 0 and up to 1")
        _require(0 <= self.unreadable < 1, "unreadable", self.unreadable, "give a share from 0 to below 1")
        ranked = self.official_runs
        _require(ranked is None or 2 <= ranked <= self.runs, "official-runs", ranked, f"give 2 to {self.runs}")

    @property
    def total_queries(self) -> int:
        """Queries of the collection, scaled."""
        return self.queries * self.scale

    @property
    def total_passages(self) -> int:
        """(query, passage) pairs of the collection, scaled."""
        return self.passages * self.scale

    @property
    def ranked_runs(self) -> int:
        """How many runs the official leaderboard ranks."""
        return self.official_runs or max(2, round(self.runs * 16 / 22))


@dataclass(frozen=True)
class Settings(CollectionSizes):
    """Size and model of a simulated collection; the defaults have the size of TREC CAR Y3.

    Relevance, ease and noise are in units of the standard deviation of passages' relevance. `taste` is how much runs
    differ in following answers beyond relevance, which parts the two leaderboards.

    Parameters
    ----------
    query_spread, question_spread : how much queries and questions differ in how easily they are answered
    grading_noise, judging_noise : of one grade beside the passage's latent answers; of one judgment
    beyond : share of a passage's latent answers that is not its relevance
    least_noise, most_noise : of the best and the worst run
    grade_shares : of the grades 0 to 5
    relevance_shares : of the relevance 0 to 3, over all passages, judged or not
    """

    query_spread: float = 0.7
    question_spread: float = 0.8
    grading_noise: float = 0.6
    judging_noise: float = 0.7
    beyond: float = 0.4
    least_noise: float = 0.5
    most_noise: float = 6.0
    grade_shares: tuple[float, ...] = (0.86, 0.005, 0.012, 0.018, 0.09, 0.015)
    relevance_shares: tuple[float, ...] = (0.83, 0.06, 0.09, 0.02)


def _require(holds: bool, option: str, value: object, advice: str) -> None:
    if not holds:
        raise UsageError(f"--{option} {value}: {advice}.")
