"""Tables of agreement to look at: the graded matrix and the 2 x 2 table with their sums; the papers' cuts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from exam_core.analysis.judges.agreement_columns import CELLS
from exam_core.analysis.judges.label_agreement import Agreement
from exam_core.analysis.judges.passage_evidence import FINDS, cell_of, in_cells
from exam_core.results import ResultTable, number, share, text
from exam_core.store.evidence import PassageSearch

ALL = "all"
NAMES = {cells[0]: name for name, cells in FINDS.items() if len(cells) == 1}
"""Words for tp, fp, fn and tn."""
MATRIX = ResultTable(
    "agreement: cells",
    "Cells of the graded matrix or of the 2 x 2 table, largest label and relevance first; a share of nothing is NaN",
    text("label", "Label"),
    text("relevance", "Judged"),
    number("n", "Passages", unit="passages"),
    share("of_label", "of the label", "Passages as a share of all with this label.", "share of passages"),
    share("of_relevance", "of the judgment", "Passages as a share of all with this judgment.", "share of passages"),
    text("name", "Cell", "For instance label 5, judged 3; of the 2 x 2 table, what grader and judge find."),
)
SUMS = ResultTable(
    "agreement: matrix",
    "The graded matrix or the 2 x 2 table: a row for each label, a column for each relevance (`judged 3`)",
    text("label", "label"),
    number("judged", "judged", "Passages with this label and this judgment.", "passages"),
    number(ALL, ALL, "Passages with this label, whatever their judgment.", "passages"),
)


@dataclass(frozen=True)
class Cut:
    """A way to cut labels and judgments in two.

    Parameters
    ----------
    name : what the paper calls it, and for which collection
    label_rank : with which the paper's counts come out, as far as that can be tested
    source : where it is printed
    """

    name: str
    tau: int
    relevant_from: int
    label_rank: int
    source: str


_TWO_QUESTIONS = (
    "The released DL19 ratings give the printed counts when two questions have to reach tau (label rank 2), not with "
    "equation 3, which takes the best rating (label rank 1)."
)
CUTS = (
    Cut("DL strict", 4, 2, 2, f"EXAM, tables of DL19 and DL20: ratings 4 and 5, judgments 2 and 3. {_TWO_QUESTIONS}"),
    Cut("DL lenient", 1, 2, 2, f"EXAM, tables of DL19 and DL20: ratings 1 to 5, judgments 2 and 3. {_TWO_QUESTIONS}"),
    Cut("CAR strict", 4, 1, 1, "EXAM, tables of CAR-Y3, and EXAM++, table 4: ratings 4 and 5, judgments 1 to 3."),
    Cut("CAR lenient", 1, 1, 1, "EXAM, tables of CAR-Y3: ratings 1 to 5, judgments 1 to 3."),
)
"""The cuts of the papers' agreement tables of self-ratings."""
BINARY = Cut("CAR binary", 1, 1, 1, "EXAM, table 4: answers that are right, judgments 1 to 3.")
NAMED_CUTS = (*CUTS, BINARY)


def cuts_in(grid: pd.DataFrame) -> list[Cut]:
    """Those cuts of the papers that are among a grid's rows."""
    known = set(zip(grid["tau"], grid["relevant_from"], strict=True))
    # Answers that are right or wrong have one cut, which is neither lenient nor strict.
    cuts = (BINARY,) if known == {(BINARY.tau, BINARY.relevant_from)} else CUTS
    return [cut for cut in cuts if (cut.tau, cut.relevant_from) in known]


def nearest_cut(grid: pd.DataFrame, tau: int, relevant_from: int) -> tuple[int, int]:
    """The cut of a grid's rows that is nearest to tau and relevant_from; of equally near ones the first.

    Parameters
    ----------
    grid : tau, relevant_from; not empty
    """
    far = (grid["tau"] - tau).abs() + (grid["relevant_from"] - relevant_from).abs()
    row = grid.loc[far.idxmin()]
    return int(row["tau"]), int(row["relevant_from"])


def is_graded(found: Agreement) -> bool:
    """Whether there is more than a 2 x 2 table: labels and judgments one by one."""
    names = [*found.graded, *next(iter(found.graded.values()), {})]
    return all(name.lstrip("-").isdigit() for name in names)


def graded_cells(found: Agreement) -> pd.DataFrame:
    """The graded matrix, a row for each cell, largest label and relevance first.

    Returns
    -------
    `MATRIX`
    """
    rows = [(label, relevance, n) for label, row in found.graded.items() for relevance, n in row.items()]
    return _matrix(rows, [f"label {label}, judged {relevance}" for label, relevance, _ in rows])


def binary_cells(found: Agreement) -> pd.DataFrame:
    """The 2 x 2 table like the graded matrix."""
    labels = f"≥ {found.tau}", f"< {found.tau}"
    relevances = f"≥ {found.relevant_from}", f"< {found.relevant_from}"
    counts = found.confusion.tolist()
    rows = [
        (label, relevance, counts[row][column])
        for row, label in enumerate(labels)
        for column, relevance in enumerate(relevances)
    ]
    return _matrix(rows, [NAMES[cell] for cell in CELLS])


def with_sums(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells as the table `sums_of` them."""
    labels, relevances = cells["label"].drop_duplicates(), cells["relevance"].drop_duplicates()
    table = cells.pivot(index="label", columns="relevance", values="n").loc[labels, relevances]
    table.columns = [f"judged {name}" for name in table.columns]
    table[ALL] = table.sum(axis=1)
    table.loc[ALL] = table.sum()
    return table.rename_axis("label").reset_index()


def sums_of(cells: pd.DataFrame) -> ResultTable:
    """`SUMS` with a column for each relevance that these cells have."""
    named = [f"judged {name}" for name in cells["relevance"].drop_duplicates()]
    judged = (replace(SUMS["judged"], name=name, label=name) for name in named)
    return ResultTable(SUMS.name, SUMS.meaning, SUMS["label"], *judged, SUMS[ALL])


def _matrix(rows: list[tuple[str, str, int]], names: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["label", "relevance", "n"]).assign(name=names)
    for name in ("label", "relevance"):
        whole = frame.groupby(name, sort=False)["n"].transform("sum").to_numpy(float)
        frame[f"of_{name}"] = np.divide(frame["n"], whole, out=np.full(len(frame), np.nan), where=whole > 0)
    return MATRIX.of(frame)


def above(found: Agreement) -> tuple[int, int]:
    """How many labels and relevances of the graded matrix count as relevant."""
    relevances = next(iter(found.graded.values()), {})
    return (
        sum(int(label) >= found.tau for label in found.graded),
        sum(int(relevance) >= found.relevant_from for relevance in relevances),
    )


def picks(found: Agreement) -> dict[str, tuple[str, ...]]:
    """Cells that hold passages, by name: of the 2 x 2 table (tp, ...), then of the graded matrix (label, relevance)."""
    binary = binary_cells(found)
    named: dict[str, tuple[str, ...]] = {
        name: (cell,) for cell, name, n in zip(CELLS, binary["name"], binary["n"], strict=True) if n
    }
    graded = graded_cells(found)
    held = graded[graded["n"] > 0]
    return named | {
        str(name): (label, relevance)
        for name, label, relevance in zip(held["name"], held["label"], held["relevance"], strict=True)
    }


def wanted(pick: tuple[str, ...], tau: int, relevant_from: int) -> PassageSearch:
    """The passages of one of the `picks`."""
    if len(pick) == 1:
        return in_cells(pick, tau, relevant_from)
    return cell_of(int(pick[0]), int(pick[1]))
