"""What an answer about displaced runs says in sentences, and the board around a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from exam_core.aliases import in_words
from exam_core.analysis.causes.explanation import neighbours_of
from exam_core.analysis.causes.outliers import ALL, ALPHA, Outliers
from exam_core.analysis.causes.rankings import Movers
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


def called(found: Outliers, names: Mapping[str, str]) -> Outliers:
    """The same, methods by what their graders are called."""
    rows, methods = (
        frame.assign(method=[in_words(method, names) for method in frame["method"]])
        for frame in (found.rows, found.methods)
    )
    return replace(found, rows=rows, methods=methods)


def runs_to_explain(found: Outliers) -> list[str]:
    """The runs, flagged ones first, then by how far all methods of a kind together displace them."""
    together = found.combined
    if len(together):
        together = together[together["over"] == together["over"].iloc[0]]
    names = [run_id for rows in (together, found.rows) for run_id in flagged_first(rows)["run_id"]]
    flagged = found.rows.loc[found.rows["flagged"].fillna(False).astype(bool), "run_id"]
    return list(dict.fromkeys([*flagged, *names]))


def flag_sentences(found: Outliers) -> list[str]:
    """Which displacements are told from 0; where none is, the largest one."""
    if not found.draws:
        return []
    rows = found.rows[found.rows["flagged"].fillna(False).astype(bool)]
    if len(rows):
        return [f"Flagged: {displacement_sentence(row)}" for row in rows.head(NAMED).itertuples()] + _more(len(rows))
    if found.rows.empty:
        return ["No run is displaced: none has a mean."]
    n = found.methods["n_runs"].max()
    sentences = [f"No run is flagged: after Holm's adjustment over {n} runs, no displacement has p < {ALPHA}."]
    known = found.rows[found.rows["rank_displacement"].notna()]
    return sentences + [f"The largest: {displacement_sentence(row)}" for row in known.head(1).itertuples()]


def flag_summary(found: Outliers) -> list[str]:
    """How many displacements by many methods are told from 0, and of which runs; without draws nothing."""
    if not found.draws:
        return []
    rows = found.rows[found.rows["flagged"].fillna(False).astype(bool)]
    if rows.empty:
        return [f"No run is flagged by any of {len(found.methods)} methods (Holm p < {ALPHA})."]
    by_run = rows["run_id"].value_counts(sort=False).sort_values(ascending=False, kind="stable")
    told = [f"{run} by {n} of {len(found.methods)} methods" for run, n in by_run.head(NAMED).items()]
    more = f", and {len(by_run) - NAMED} more" if len(by_run) > NAMED else ""
    return [f"{len(by_run)} runs are flagged (Holm p < {ALPHA}): {', '.join(told)}{more}."]


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


def mover_sentences(found: Movers, run_id: str) -> list[str]:
    """Where a run is, and which query moves it most."""
    moved = found.displacement
    there = ""
    if moved and not math.isnan(moved):
        there = f", {_places(abs(moved))} {'above' if moved > 0 else 'below'} where {found.reference} has it"
    sentences = [f"{run_id} is at rank {found.rank:g} of {found.n} by {found.title}{there}."]
    first = found.rows.iloc[0]
    if not first["lifts"] or math.isnan(first["lifts"]):
        how = "away from where the reference has it" if there else "to another rank"
        return [*sentences, f"No single query moves it {how}; the one on which it stands out most is first."]
    how = "lifts" if first["lifts"] > 0 else "lowers"
    return [
        *sentences,
        f"Query {first['query_id']} {how} it most: without that query it is at rank {first['rank_without']:g}.",
    ]


def agreement_sentences(found: Outliers, *, each: bool = True) -> list[str]:
    """Which runs all methods of a kind displace the same way.

    Parameters
    ----------
    each : name the methods, and the places by each of them; otherwise the mean alone
    """
    sentences = []
    together = "of both kinds" if found.methods["of"].nunique() < 3 else "of all kinds"
    for over, rows in found.combined.groupby("over", sort=False):
        methods = found.methods
        names = methods.loc[(methods["of"] == over) | (over == ALL), "method"].tolist()
        listed = f": {'; '.join(names)}." if each else ", on average:"
        sentences.append(f"{len(names)} methods {OVER.get(str(over), together)}{listed}")
        for word, sign in (("promote", 1), ("demote", -1)):
            same = rows[rows["agree"].astype(bool) & (sign * rows["rank_displacement"] > 0)]
            means = [_places(round(abs(places), 1)) for places in same["rank_displacement"].head(NAMED)]
            runs = same["run_id"].head(NAMED)
            told = [
                f"{run} ({_each(found, run, names) if each else mean})" for run, mean in zip(runs, means, strict=True)
            ]
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
