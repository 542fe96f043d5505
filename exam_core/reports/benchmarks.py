"""Tables of the documents, made from the figures in `benchmarks/`."""

from __future__ import annotations

from typing import Any


def coverage_table(answer: dict[str, Any]) -> str:
    """The answer of `examboard bench coverage` as a Markdown table: a row for each statistic."""
    sizes = sorted({row["queries"] for row in answer["rows"]})
    covered: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in answer["rows"]:
        key = (row["statistic"], row["measure"] or "", row["reference"] or "")
        covered.setdefault(key, {})[row["queries"]] = row["coverage"]
    names = [f"{size} queries" for size in sizes]
    lines = [_line("interval of", "measure", "reference", *names), _line(*["---"] * (3 + len(sizes)))]
    lines += [_line(*key, *(f"{found[size]:.1%}" for size in sizes)) for key, found in covered.items()]
    return "\n".join(lines)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")
