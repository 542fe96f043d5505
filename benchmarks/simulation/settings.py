"""What a simulated collection is like: its size, and the numbers of the latent model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Size and model of a simulated collection; the defaults have the size of TREC CAR Y3.

    Relevance, ease and noise are in units of the standard deviation of passages' relevance.

    Parameters
    ----------
    passages : (query, passage) pairs, spread evenly
    depth : passages that a run returns for a query
    scale : multiplies queries and passages
    official_runs : runs that the official leaderboard ranks; by default 16 of 22
    judged : share of the passages that is judged, those first that some run returned early; CAR Y3: 6,352 of them
    unreadable : share of the grades that can't be read
    taste : how much runs differ in following answers beyond relevance, which parts the two leaderboards
    texts : whether every passage has a text
    query_spread, question_spread : how much queries and questions differ in how easily they are answered
    grading_noise, judging_noise : of one grade beside the passage's latent answers; of one judgment
    beyond : share of a passage's latent answers that is not its relevance
    least_noise, most_noise : of the best and the worst run
    grade_shares : of the grades 0 to 5
    relevance_shares : of the relevance 0 to 3, over all passages, judged or not
    """

    queries: int = 721
    passages: int = 85_329
    runs: int = 22
    questions: int = 10
    depth: int = 20
    scale: int = 1
    seed: int = 0
    official_runs: int | None = None
    judged: float = 0.0744
    unreadable: float = 0.0
    taste: float = 0.23
    texts: bool = True
    query_spread: float = 0.7
    question_spread: float = 0.8
    grading_noise: float = 0.6
    judging_noise: float = 0.7
    beyond: float = 0.4
    least_noise: float = 0.5
    most_noise: float = 6.0
    grade_shares: tuple[float, ...] = (0.86, 0.005, 0.012, 0.018, 0.09, 0.015)
    relevance_shares: tuple[float, ...] = (0.83, 0.06, 0.09, 0.02)

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
