"""`bench coverage`: that it counts what it says, on every population."""

from benchmarks.boards import Shape
from benchmarks.simulation import coverage
from benchmarks.simulation.settings import Settings
from benchmarks.tables import coverage_table, populations_table, widths_table


def test_the_benchmark_counts_every_statistic_and_its_tables_show_them(monkeypatch):
    monkeypatch.setattr(coverage, "Settings", lambda **options: Settings(queries=40, passages=1200, **options))
    monkeypatch.setattr(coverage, "SIZES", (12,))
    monkeypatch.setattr("benchmarks.held.DRAWS", 50)
    monkeypatch.setattr(coverage, "SHAPES", (Shape("few", 6, 10, 0.9), Shape("families", 8, 12, 0.9, families=3)))
    monkeypatch.setattr(coverage, "HALVED", 2)
    answer = coverage.benchmark(2, 2)
    populations = dict.fromkeys(row["population"] for row in answer["rows"])
    assert list(populations) == ["simulated", "few", "families", "families, half of it and the other"]
    assert all(row["coverage"] is None or 0 <= row["coverage"] <= 1 for row in answer["rows"])
    assert coverage_table(answer).count("\n") == 1 + 2 * 11 + 1
    assert populations_table(answer).count("\n") == 1 + 3 * 3
    assert widths_table(answer).count("\n") == 1 + 2 * 2 + 2 * 3
    halves = [row for row in answer["rows"] if row["population"].startswith("families, half")]
    assert {(row["queries"], row["samples"]) for row in halves} == {(6, 4)}
