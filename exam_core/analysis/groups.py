"""Runs of one system, such as its seeds or folds: the tag `group:NAME` makes them one system with its spread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from exam_core.errors import UsageError
from exam_core.numbers.arrays import Floats, Ints
from exam_core.store import Snapshot
from exam_core.tags import GROUP
from exam_core.wording import quoted

Systems = dict[str, list[int]]
"""By system the places of its runs; a run without a group is a system of its own, under its run_id."""


def systems_of(snapshot: Snapshot, run_ids: Sequence[str]) -> Systems:
    """The systems of some runs by their tags, in the order of their first runs.

    Raises UsageError where a run has two groups, or a group has no name, or that of a run outside it.
    """
    tags, systems, groups = dict(snapshot.tags), Systems(), set()
    for place, run_id in enumerate(run_ids):
        names = [tag.removeprefix(GROUP).strip() for tag in tags.get(run_id, ()) if tag.startswith(GROUP)]
        if len(names) > 1 or "" in names:
            raise UsageError(
                f"{run_id} has the tags {', '.join(tags[run_id])}: a run is in one group at most, which has a name. "
                f"Change its tags with: examboard tags {quoted(snapshot.collection)} {quoted(run_id)} TAG"
            )
        groups |= {*names}
        systems.setdefault(names[0] if names else run_id, []).append(place)
    for name in groups & {*run_ids}:
        if any(run_ids[place] == name and f"{GROUP}{name}" not in tags.get(name, ()) for place in systems[name]):
            raise UsageError(f"The group {name} has the name of a run outside it. Give the group another name.")
    return systems


def has_groups(snapshot: Snapshot) -> bool:
    """Whether a run has a group."""
    return any(tag.startswith(GROUP) for _, tags in snapshot.tags for tag in tags)


def refuse_without_groups(snapshot: Snapshot) -> None:
    """Raise UsageError where no run has a group."""
    if not has_groups(snapshot):
        raise UsageError(
            f"No run of {snapshot.collection} is in a group. Put runs of one system into one, each with: examboard "
            f"tags {quoted(snapshot.collection)} RUN {GROUP}NAME"
        )


def mean_of_runs(values: Floats, systems: Systems) -> Floats:
    """(G, ...) means over each system's runs of (R, ...) values; NaN does not count, and is the mean of nothing else.

    >>> mean_of_runs(np.array([0.2, 0.4, np.nan]), {"a": [0, 1], "b": [2]}).round(2).tolist()
    [0.3, nan]
    """
    means = np.empty((len(systems), *values.shape[1:]))
    for row, places in enumerate(systems.values()):
        known = ~np.isnan(values[places])
        n = known.sum(axis=0)
        means[row] = np.where(n > 0, np.where(known, values[places], 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)
    return means


def spread_of_runs(means: Floats, systems: Systems) -> tuple[Floats, Ints]:
    """(G,) sample standard deviation (n - 1) of the runs' means of each system, and how many of them are not NaN.

    The deviation of fewer than two is NaN.

    >>> spread, n = spread_of_runs(np.array([0.2, 0.4, 0.5]), {"a": [0, 1], "b": [2]})
    >>> print(spread.round(3), n)
    [0.141   nan] [2 1]
    """
    known = [means[places][~np.isnan(means[places])] for places in systems.values()]
    spread = [float(values.std(ddof=1)) if len(values) > 1 else np.nan for values in known]
    return np.array(spread, float), np.array([len(values) for values in known], np.int64)
