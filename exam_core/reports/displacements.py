"""What an answer about displaced runs says in sentences, and the board around a run."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd

from exam_core.analysis.causes.explanation import neighbours_of
from exam_core.analysis.causes.outliers import ALL, ALPHA, Outliers
from exam_core.analysis.columns import REFERENCE_RANK, RUN
from exam_core.results import ResultTable, rank

OVER = {
    "questions": "over exam questions",
    "labels": "over passage labels",
    "texts": "over what runs wrote",
    "scores": "over stored scores",
}
NAMED = 5
"""Runs that a sentence names; the table has them all."""
AROUND = ResultTable(
    "outliers: around",
    "A run and its neighbours in the reference; a column for each method",
    RUN,
    REFERENCE_RANK,
    rank("method", "Method", "Rank by this method.", "rank"),
)


def flagged_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with those that are flagged first, otherwise as they were."""
    order = rows["flagged"].fillna(False).astype(bool).sort_values(ascending=False, kind="stable").index
    return rows.loc[order].reset_index(drop=True)


def runs_to_explain(found: Outliers) -> list[str]:
    """The runs, flagged ones first, then by how far all methods of a kind together displace them."""
    together = found.combined
    if len(together):
        together = together[together["over"] == together["over"].iloc[0]]
    names = pd.concat([flagged_first(rows)["run_id"] for rows in (together, found.rows) if len(rows)])
    flagged = found.rows.loc[found.rows["flagged"].fillna(False).astype(bool), "run_id"]
    return list(dict.fromkeys([*flagged, *names]))


def flag_sentences(found: Outliers) -> list[str]:
    """Which displacements are told from 0; where none is, the largest one."""
    if not found.draws:
        return []
    rows = found.rows[found.rows["flagged"].fillna(False).astype(bool)]
    if len(rows):
        return [f"Flagged: {displacement_sentence(row)}" for row in rows.head(NAMED).itertuples()] + _more(len(rows))
    n = found.methods["n_runs"].max()
    sentences = [f"No run is flagged: after Holm's adjustment over {n} runs, no displacement has p < {ALPHA}."]
    known = found.rows[found.rows["rank_displacement"].notna()]
    return sentences + [f"The largest: {displacement_sentence(row)}" for row in known.head(1).itertuples()]


def displacement_sentence(row: object) -> str:
    """One run under one method, in words; `row` is a row of `Outliers.rows`."""
    of = {name: getattr(row, name) for name in ("run_id", "method", "rank", "reference_rank", "low", "high", "p_holm")}
    moved = float(row.rank_displacement)  # type: ignore[attr-defined]
    if math.isnan(moved):
        return f"{of['run_id']} has no displacement by {of['method']}."
    how = f"is {'promoted' if moved > 0 else 'demoted'} by {_places(abs(moved))}" if moved else "is not displaced"
    ranks = f"rank {of['rank']:g}, {of['reference_rank']:g} in the reference"
    drawn = ""
    if not (math.isnan(of["low"]) or math.isnan(of["p_holm"])):
        drawn = f"; 95% of the draws {of['low']:+.1f} to {of['high']:+.1f}, Holm p = {of['p_holm']:.3f}"
    return f"{of['run_id']} {how} by {of['method']}: {ranks}{drawn}."


def agreement_sentences(found: Outliers) -> list[str]:
    """Which runs all methods of a kind displace the same way, with the places by each method."""
    sentences = []
    together = "of both kinds" if found.methods["of"].nunique() < 3 else "of all kinds"
    for over, rows in found.combined.groupby("over", sort=False):
        methods = found.methods
        names = methods.loc[(methods["of"] == over) | (over == ALL), "method"].tolist()
        sentences.append(f"{len(names)} methods {OVER.get(str(over), together)}: {'; '.join(names)}.")
        for word, sign in (("promote", 1), ("demote", -1)):
            same = rows[rows["agree"].astype(bool) & (sign * rows["rank_displacement"] > 0)]
            told = [f"{run} ({_each(found, run, names)})" for run in same["run_id"].head(NAMED)]
            more = f", and {len(same) - NAMED} more" if len(same) > NAMED else ""
            sentences.append(f"All of them {word}: {', '.join(told) or 'no run'}{more}.")
    return sentences


def around(found: Outliers, run_id: str) -> pd.DataFrame:
    """The run and its neighbours in the reference, two above and two below, fewer at the ends: `around_columns`."""
    ranks = found.rows.drop_duplicates("run_id").set_index("run_id")["reference_rank"].sort_index()
    run = ranks.index.get_loc(run_id)
    names = [ranks.index[place] for place in (run, *neighbours_of(ranks.to_numpy(float), run))]
    rows = found.rows[found.rows["run_id"].isin(names)]
    wide = rows.pivot(index="run_id", columns="method", values="rank").reindex(columns=found.methods["method"])
    wide.columns.name = None
    wide.insert(0, "reference_rank", ranks)
    return wide.reset_index().sort_values(["reference_rank", "run_id"], ignore_index=True)


def around_columns(found: Outliers) -> ResultTable:
    """`AROUND` with a column for each method."""
    of_method = AROUND["method"]
    methods = (replace(of_method, name=name, label=name) for name in found.methods["method"])
    return ResultTable(AROUND.name, AROUND.meaning, RUN, REFERENCE_RANK, *methods)


def _each(found: Outliers, run_id: str, methods: list[str]) -> str:
    """The places by each method: 3, 4 and 3 places."""
    mine = found.rows[found.rows["run_id"] == run_id].set_index("method")["rank_displacement"]
    numbers = [f"{abs(mine[name]):g}" for name in methods]
    return f"{' and '.join([', '.join(numbers[:-1]), numbers[-1]])} places"


def _places(n: float) -> str:
    return f"{n:g} place{'' if n == 1 else 's'}"


def _more(n: int) -> list[str]:
    return [f"{n - NAMED} more are flagged; see the table."] if n > NAMED else []
