"""NRP as a measure: its row, with what may be chosen of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.asked import Convention
from exam_core.declared import Field
from exam_core.measures.info import MeasureInfo
from exam_core.measures.nrp import cell_means, nrp
from exam_core.numbers.arrays import Floats, Ints


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
