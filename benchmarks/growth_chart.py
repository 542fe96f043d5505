"""The chart of how processor time grows with grades: `python -m benchmarks.growth_chart > docs/pictures/growth.svg`."""

from __future__ import annotations

import io

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.figures import read


def growth_chart() -> str:
    """An SVG of the times that `growth.json` has, beside a line that grows as the grades do."""
    sizes = read("growth")["sizes"]
    grades = [size["grades"] / 1e6 for size in sizes]
    ours = [1000 * size["user_s"] for size in sizes]
    with rc_context({"svg.hashsalt": "growth", "svg.fonttype": "path", "font.size": 9}):
        figure = Figure((5.5, 3), layout="constrained")
        axes = figure.subplots()
        axes.loglog(grades, [ours[0] * one / grades[0] for one in grades], color="0.7", label="in proportion to grades")
        axes.loglog(grades, ours, "o-", color="#1f5fa8", label="all measures, five taus")
        axes.set(xlabel="million grades", ylabel="processor time (ms)")
        axes.set_xticks(grades, [f"{one:.1f}" for one in grades])
        axes.set_yticks(ours, [f"{one:.0f}" for one in ours])
        axes.minorticks_off()
        axes.legend(frameon=False)
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return written.getvalue()


if __name__ == "__main__":
    print(growth_chart(), end="")
