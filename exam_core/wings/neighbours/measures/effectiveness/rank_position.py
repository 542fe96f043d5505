"""NRP, normalised rank position: what the place of a generated answer among judged documents says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, get_args

import numpy as np

from exam_core.asked import Convention
from exam_core.declared import Field
from exam_core.measures.info import MeasureInfo
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.resampling import mean_interval

CONVENTIONS: tuple[Convention, ...] = get_args(Convention)


def nrp(ranks: Ints, sizes: Ints, convention: Convention = "released") -> Floats:
    """Normalised rank position of answers, larger is better.

    Parameters
    ----------
    ranks : (A,) places of the answers, 0 for the first, each in a ranking of its own
    sizes : (A,) length of that ranking, the answer counted
    convention : see `Convention`

    Returns
    -------
    (A,) in [0, 1]; NaN where the convention counts documents and there are none

    Source: Heineking et al. 2024 (Ranking Generated Answers), section 2.

    >>> nrp(np.array([0, 3]), sizes=np.array([4, 4])).tolist()
    [1.0, 0.25]
    """
    places = ranks + 1 if convention == "one-based" else ranks
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - places / (sizes - 1 if convention == "documents" else sizes))


def cell_means(values: Floats, rows: Ints, columns: Ints, shape: tuple[int, int]) -> tuple[Floats, Ints]:
    """Means of values by cell, and how many each cell has; NaN where it has none.

    Parameters
    ----------
    values : (A,); rows, columns : (A,) the cell of each, such as its run and its query

    >>> means, n = cell_means(np.array([0.2, 0.4]), rows=np.array([0, 0]), columns=np.array([1, 1]), shape=(1, 2))
    >>> print(means.round(2).tolist(), n.tolist())
    [[nan, 0.3]] [[0, 2]]
    """
    place = np.ravel_multi_index((rows, columns), shape)
    n = np.bincount(place, minlength=shape[0] * shape[1])
    total = np.bincount(place, values, minlength=shape[0] * shape[1])
    with np.errstate(invalid="ignore"):
        return (total / n).reshape(shape), n.reshape(shape)


def nrp_board(by_query: Floats, answers: Ints) -> dict[str, Floats | Ints]:
    """Mean of each run over its queries, with a 95% interval that takes a query's answers as one observation.

    Several answers to one query are alike: they meet the same documents. So a query's answers are averaged first, and
    the interval is Student's t over the queries' means, with Q - 1 degrees of freedom. For clusters of one size that is
    the cluster-robust standard error of the mean of all answers, with its factor Q/(Q - 1); queries weigh the same,
    however many answers they have.

    Parameters
    ----------
    by_query : (R, Q) mean of a run's answers to each query; NaN where it has none
    answers : (R, Q) how many answers these are

    Returns
    -------
    (R,) each: mean, low, high, stderr, n_queries, n_answers; low and high are in [0, 1] (`mean_interval`), and NaN
    for fewer than two queries

    Source: Donner & Klar 2000 (Design and Analysis of Cluster Randomization Trials), chapter 6; Cameron & Miller 2015,
    section VI.C (t with the number of clusters minus 1); Student 1908.

    >>> found = nrp_board(np.array([[0.5, 0.7, 0.9]]), answers=np.array([[1, 1, 4]]))  # 0.7 -+ 4.303 * 0.2 / 3**0.5
    >>> print(*(found[name].round(2) for name in ("mean", "low", "high", "n_answers")))
    [0.7] [0.2] [1.] [6]
    """
    mean, stderr, n = mean_and_stderr(by_query)
    low, high = mean_interval(by_query, bounds=NRP.bounds)
    known = {"n_queries": n, "n_answers": answers.sum(axis=-1)}
    return {"mean": mean, "low": low, "high": high, "stderr": stderr, **known}


@dataclass(frozen=True)
class NrpOptions:
    """What may be chosen of NRP.

    Parameters
    ----------
    convention : where ranks start, and what is divided by
    ranker : whose ranks; empty for the collection's only one
    """

    convention: Annotated[
        Convention, Field("released: r from 0, n with the answer; one-based: r from 1; documents: n without it.")
    ] = "released"
    ranker: Annotated[str, Field("Ranker of the answers, for instance monot5.")] = ""


def compute(
    ranks: Ints, sizes: Ints, places: tuple[Ints, Ints], shape: tuple[int, int], options: NrpOptions | None = None
) -> Floats:
    """(R, Q) mean NRP of each run's answers to each query, NaN where it has none.

    Parameters
    ----------
    ranks, sizes : (A,) each answer's place from 0, and the length of its ranking, the answer counted
    places : row and column of each answer: its run and its query
    shape : R runs and Q queries

    >>> import numpy as np
    >>> places = np.array([0, 0]), np.array([0, 0])  # two answers of the first run to the first query
    >>> compute(np.array([0, 2]), np.array([4, 4]), places, shape=(1, 1)).tolist()  # (1 + 1/2) / 2
    [[0.75]]
    """
    values = nrp(ranks, sizes, (options or NrpOptions()).convention)
    return cell_means(values, *places, shape)[0]


NRP = MeasureInfo(
    name="NRP",
    order=300,
    of="scores",
    cut="none",
    meaning="How high a generated answer ranks among the judged documents of its query",
    formula="1 - r/n, averaged over a query's answers",
    source="Heineking et al. 2024, section 2",
    compute=compute,
    tau_applies=False,
    options=NrpOptions,
)
ROWS = (NRP,)
