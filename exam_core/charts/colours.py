"""Colours for charts where one thing has several traces: the theme gives every trace a colour of its own.

After Okabe and Ito, a little lighter or darker where that makes them legible on both the light and the dark ground.
"""

SERIES = ("#1F83C4", "#D55E00", "#009E73", "#C0679B", "#B38600", "#808080", "#8E62C0", "#9C6B5A", "#2A9090")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PROMOTED, DEMOTED = SERIES[0], SERIES[1]
QUIET = "rgba(128, 128, 128, 0.55)"
"""Grey for what only gives the others their place."""
CHOSEN = "#e66100"
"""Lines and frames at the chosen cut: every eye tells it from blue, and it shows on light and dark pages."""
PAPER, INK = [[0, "#f2f6fa"], [1, "#6baed6"]], {"color": "#1a1a1a"}
"""Colours of cells, all of them light, so that dark numbers can be read on them by day and by night."""
BOTH_WAYS = ((0.0, "#F2A37A"), (0.5, "#F4F4F4"), (1.0, "#6BAED6"))
"""The same from what is below 0 to what is above."""


def colour(place: int) -> str:
    """Colour of the series at a place; they begin again after the last."""
    return SERIES[place % len(SERIES)]


def dash(place: int) -> str:
    """Dash of the series at a place, so that colour is not the only cue."""
    return DASHES[place % len(DASHES)]


def translucent(place: int, opacity: float) -> str:
    """The colour of a series for an area that others must be seen through."""
    red, green, blue = (int(colour(place)[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"
