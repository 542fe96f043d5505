"""Displaced runs in tables and sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from exam_core.aliases import in_words
from exam_core.analysis.outliers import ALL, ALPHA, Outliers
from exam_core.analysis.shared_columns import FLAGGED, REFERENCE_RANK, RUN
from exam_core.names import enumerated
from exam_core.numbers.displacement import neighbours_of
from exam_core.numbers.true_means import FEWEST
from exam_core.results import ResultTable, rank
from exam_core.table_text import first_rows
from exam_core.tables import OFFICIAL
from exam_core.wording import counted, method_in_words, ordinal, reference_in_words

OVER = {
    "questions": "over exam questions",
    "labels": "over passage labels",
    "texts": "over the texts of runs",
    "scores": "over stored scores",
}
CERTAIN = 0.9995
"""A larger p would be written as 1.000."""
NAMED, SAID, FEW, MODES = 5, 3, 4, 8
"""Runs that a sentence names, displacements that have a sentence each, methods whose ranks are all said, and modes."""
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


def most_displaced(found: Outliers, most: int) -> pd.DataFrame:
    """The rows of the runs that are to be explained first."""
    return found.rows[found.rows["run_id"].isin(runs_to_explain(found)[:most])].reset_index(drop=True)


def called(found: Outliers, names: Mapping[str, str]) -> Outliers:
    """The same, methods by what their graders are called, their taus in words."""
    rows, methods = (
        frame.assign(method=[in_words(method_in_words(method), names) for method in frame["method"]])
        for frame in (found.rows, found.methods)
    )
    return replace(found, rows=rows, methods=methods)


def flagged_by(rows: Mapping[str, pd.DataFrame]) -> str:
    """How many runs each of several series displaces significantly; empty where nothing is tested.

    Parameters
    ----------
    rows : of each series by its name
    """
    tested = {name: int(_true(one["flagged"]).sum()) for name, one in rows.items() if one["flagged"].notna().any()}
    if not tested:
        return ""
    told = [f"{n} by {name}" for name, n in tested.items() if n]
    most = [*told[:MODES], f"some by {len(told) - MODES} more"] if len(told) > MODES else told
    return f"significantly displaced: {', '.join(most) or 'none'}"


def runs_to_explain(found: Outliers) -> list[str]:
    """The runs, flagged ones first, then by how far all methods of a kind together displace them."""
    together = found.combined
    if len(together):
        together = together[together["over"] == together["over"].iloc[0]]
    names = [run_id for rows in (together, found.rows) for run_id in flagged_first(rows)["run_id"]]
    flagged = found.rows.loc[found.rows["flagged"].fillna(False).astype(bool), "run_id"]
    return list(dict.fromkeys([*flagged, *names]))


def verdict(found: Outliers, *, tested: bool = True) -> list[str]:
    """What the displacements say, the most telling run first; intervals and p are left out where it is not `tested`.

    A run that all methods of a kind move the same way comes first, by its median move; of those that queries were drawn
    for, one that is flagged. Then runs that single methods flag; where none is flagged, why, and the largest move.
    Methods that are made of the same labels as the reference say nothing of a run; where all are, that is what is said.
    """
    methods = found.methods[~found.methods["same_labels"].astype(bool)]
    if methods.empty:
        return found.about_same_labels()
    found = replace(found, methods=methods, rows=found.rows[found.rows["method"].isin(methods["method"])])
    if found.rows["rank_displacement"].isna().all():
        return ["No displacement is known: all runs have the same score, or no run has a mean."]
    flagged = found.rows[_true(found.rows["flagged"])]
    over, same = _moved_by_all(found)
    sentences = _story(found, over, same, tested=tested) if len(same) else []
    if not found.draws and len(found.methods) == 1:
        return [displacement_sentence(row, found) for row in found.rows.head(1).itertuples()]
    if not found.draws:
        return sentences or [f"No run is moved the same way by every method against {found.reference}."]
    others = flagged[~flagged["run_id"].isin(same["run_id"].head(1))]
    if len(found.methods) > FEW:
        return sentences + _counted(found, flagged)
    left, more = others.head(SAID - len(sentences)), len(others) - SAID + len(sentences)
    sentences += [displacement_sentence(row, found, tested=tested) for row in left.itertuples()]
    if more > 0:
        sentences.append(f"{counted({'more are': more})} significant: see All figures.")
    return sentences or _none_flagged(found)


def _true(flags: pd.Series) -> pd.Series:
    return flags.fillna(False).astype(bool)


def _moved_by_all(found: Outliers) -> tuple[str, pd.DataFrame]:
    """The kind of methods of which all move some run the same way, and these runs, the largest median first."""
    for over, rows in found.combined.groupby("over", sort=False):
        same = rows[_true(rows["agree"]) & (_true(rows["flagged"]) if found.draws else True)]
        if len(same) and (over != ALL or not found.draws):
            moved = found.rows[found.rows["method"].isin(_methods(found, str(over)))]
            median = moved.groupby("run_id")["rank_displacement"].median().abs()
            keys = same.assign(median=same["run_id"].map(median), mean=same["rank_displacement"].abs())
            return str(over), keys.sort_values(["median", "mean"], ascending=False, kind="stable")
    return "", found.combined.head(0)


def _methods(found: Outliers, over: str) -> list[str]:
    of = found.methods["of"]
    return list(found.methods.loc[(of == over) | (over == ALL), "method"])


def _story(found: Outliers, over: str, same: pd.DataFrame, *, tested: bool) -> list[str]:
    """How all methods of a kind move a run, and which others they move so."""
    first, names = same.iloc[0], _methods(found, over)
    mine = found.rows[found.rows["run_id"] == first["run_id"]].set_index("method").loc[names]
    where = " to ".join(
        _ordinal(found, mine.loc[name], name) for name in (mine["rank"].idxmin(), mine["rank"].idxmax())
    )
    if len(names) <= FEW:
        said = [f"{_ordinal(found, mine.loc[name], name)} by {_without_bank(name, found.methods)}" for name in names]
        where = enumerated(said)
    every = "both methods" if len(names) == 2 else "every method"
    kind = "" if over == ALL else f" {OVER.get(over, '')}".rstrip()
    drawn = ""
    if found.draws:
        drawn = f", on average {places(abs(first['rank_displacement']))}"
        drawn += f" ({_tested(first, found)})" if tested else ""
    official = _ordinal(found, mine.loc[names[0]], names[0], "reference_rank")
    sentences = [
        f"{first['run_id']} ranks {way(first['rank_displacement'])} than {officially(found.reference)} by {every}"
        f"{kind}: {where} instead of {official}{drawn}."
    ]
    for sign in (1, -1):
        runs = same.iloc[1:].loc[sign * same["rank_displacement"] > 0, "run_id"].tolist()
        if runs:
            more = f" and {len(runs) - NAMED} more" if len(runs) > NAMED else ""
            also = f"{', '.join(runs[:NAMED])}{more}" if more else enumerated(runs)
            rank = "ranks" if len(runs) == 1 else "rank"
            sentences.append(f"By {'both' if len(names) == 2 else 'each'} of them {also} {rank} {way(sign)}.")
    return sentences


def _ordinal(found: Outliers, row: pd.Series, method: str, column: str = "rank") -> str:
    """A run's rank by a method, or in the reference, as it is said."""
    return ordinal(row[column], found.rows.loc[found.rows["method"] == method, column])


def _counted(found: Outliers, flagged: pd.DataFrame) -> list[str]:
    """Which runs are flagged by how many of many methods."""
    if flagged.empty:
        return _none_flagged(found)
    by_run = flagged["run_id"].value_counts(sort=False).sort_values(ascending=False, kind="stable")
    told = ", ".join(f"{run} by {n}" for run, n in by_run.head(NAMED).items())
    more = f", and {len(by_run) - NAMED} more" if len(by_run) > NAMED else ""
    of, verb = counted({"runs": found.rows["run_id"].nunique()}), "is" if len(by_run) == 1 else "are"
    by = f"by at least one of {len(found.methods)} methods"
    return [f"{len(by_run)} of {of} {verb} significantly displaced {by}: {told}{more}."]


def _none_flagged(found: Outliers) -> list[str]:
    """That no run is flagged, whether draws, size or the data are to blame, and the largest displacement."""
    n = int(found.methods["n_runs"].max())
    least = n / (found.draws + 1) if found.drawn_along else 0.0
    if found.rows["p"].isna().all():
        why = f"No run can be tested: a test needs {FEWEST} runs with different scores, and {FEWEST} queries."
    elif least >= ALPHA:
        why = (
            f"{found.draws:,} bootstrap samples are too few to call one of {n} runs significantly displaced: no p "
            f"could be below {least:.2g} after correction. Ask for more samples."
        )
    elif found.rows["p_holm"].min() < ALPHA:
        why = (
            f"No run is significantly displaced: those with p below {ALPHA} (Holm-corrected) move by less than one "
            "place, or only because of ties."
        )
    else:
        there = officially(found.reference)
        why = f"No run ranks higher or lower than {there} by more than chance explains (Holm-corrected)."
    known = found.rows[found.rows["rank_displacement"].notna()]
    # Beside the sentence that ties explain it, a small p would look like a contradiction.
    tested = not why.endswith("because of ties.")
    row = next(known.head(1).itertuples(), None)
    return [why, *([f"The largest: {displacement_sentence(row, found, tested=tested)}"] if row else [])]


def displacement_sentence(row: Any, found: Outliers, *, tested: bool = True) -> str:
    """One run under one method, in words; `row` is a row of `Outliers.rows`."""
    by = _without_bank(row.method, found.methods)
    moved = float(row.rank_displacement)
    if math.isnan(moved):
        return f"{row.run_id} has no displacement by {by}."
    there, said = officially(found.reference), pd.Series(row._asdict())
    own, other = (_ordinal(found, said, row.method, column) for column in ("rank", "reference_rank"))
    if not moved:
        return f"{row.run_id} ranks {own} by {by}, as it does {there}."
    known = ["ties count at their middle"] if moved % 1 else []
    known += [_tested(said, found)] if tested and row.low == row.low and pd.notna(row.flagged) else []
    drawn = f" ({'; '.join(known)})" if known else ""
    return f"{row.run_id} ranks {own} by {by}, {other} {there}: {places(abs(moved))} {way(moved)}{drawn}."


def _without_bank(method: str, methods: pd.DataFrame) -> str:
    """A method without the bank where it is the only one: `genq P@20 tau=4` as `P@20 (tau 4)`."""
    banks = methods["bank"].dropna().unique()
    if len(banks) == 1 and len(methods["method"][methods["method"].str.startswith(f"{banks[0]} ")]) == len(methods):
        method = method.removeprefix(f"{banks[0]} ")
    return method_in_words(method)


def _tested(row: Mapping[str, Any] | pd.Series, found: Outliers) -> str:
    """Interval of the size of a displacement, the p that belongs to it, and p corrected for all runs.

    At the smallest p that draws can give, p is no more than that. Beside a list that is not drawn along, p alone allows
    for the list's noise, which is said; a p of 1 beside an interval without 0 would look like a mistake.
    """
    sign = 1 if row["rank_displacement"] > 0 else -1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    ends = f"{_tenths(low)} to {_tenths(high)}"
    if low < 0:
        ends = f"{_tenths(-low)} {way(-sign)} to {_tenths(abs(high))} {way(sign if high > 0 else -sign)}"
    is_least = found.drawn_along and row["p"] <= 1 / (found.draws + 1) + 1e-12
    p, corrected = (_p_in_words(row[name], at_most=is_least) for name in ("p", "p_holm"))
    fixed, noisy = ("", "") if found.drawn_along else (" with the reference taken as exact", " with its noise")
    names = [row["method"]] if "method" in row else _methods(found, row["over"])
    runs = int(found.methods.loc[found.methods["method"].isin(names), "n_runs"].min())
    after = "not significant" if row["p_holm"] > CERTAIN else corrected.removeprefix("= ")
    told = (
        f"not significant{noisy}" if row["p"] > CERTAIN else f"p {p}{noisy}, after correction for {runs} runs {after}"
    )
    return f"95% interval {ends}{fixed}; {told}"


def _p_in_words(p: float, *, at_most: bool) -> str:
    if at_most:
        return f"≤ {math.ceil(1000 * p) / 1000:g}"
    return "< 0.001" if p < 0.0005 else f"= {p:.3f}"


def way(moved: float) -> str:
    return "higher" if moved > 0 else "lower"


def officially(reference: str) -> str:
    return "officially" if reference == OFFICIAL else f"by {reference_in_words(reference)}"


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


def places(n: float) -> str:
    return f"{_tenths(n)} place{'' if n == 1 else 's'}"


def _tenths(n: float) -> str:
    return f"{round(n, 1) + 0.0:g}"  # -0 becomes 0


METHODS_OVER = {"questions": "methods over questions", "labels": "methods over labels", ALL: "all methods"}


def outliers_lines(found: Outliers) -> list[str]:
    """The methods together, and notes."""
    lines = [f"Displacement = rank in {reference_in_words(found.reference)} - own rank; promoted runs are positive."]
    if found.draws:
        lines.append(
            f"95% intervals over {found.draws:,} bootstrap samples of the queries, seed {found.seed}. {FLAGGED.help}"
        )
    for name, rows in found.combined.groupby("over", sort=False):
        lines += ["", f"Mean displacement over {METHODS_OVER[str(name)]} ({rows['n_methods'].iloc[0]}):"]
        lines += first_rows(rows.drop(columns=["over", "n_methods"]))
        for word, sign in (("Higher", 1), ("Lower", -1)):
            same = rows[rows["agree"] & (sign * rows["rank_displacement"] > 0)]
            lines.append(f"{word} than {found.reference} by every method: {', '.join(same['run_id']) or 'no run'}.")
    return [*lines, *([""] if found.notes else []), *found.notes]
