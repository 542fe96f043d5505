"""Tables and sentences of displaced runs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from exam_core.aliases import in_words
from exam_core.analysis.outliers import ALL, ALPHA, Outliers
from exam_core.analysis.shared_columns import FLAGGED, REFERENCE_RANK, RUN
from exam_core.names import NAMED, enumerated, listed
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
SAID, FEW, MODES = 3, 4, 8
"""The most runs that a sentence names, displacements with a sentence each, methods with all ranks given, and modes."""
AROUND = ResultTable(
    "outliers: around",
    "A run and its neighbours in the reference; a column for each method",
    RUN,
    REFERENCE_RANK,
    rank("method", "Method", "Rank by this method.", "rank"),
)


def flagged_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with those that are flagged first, otherwise in their order."""
    order = _true(rows["flagged"]).sort_values(ascending=False, kind="stable").index
    return rows.loc[order].reset_index(drop=True)


def most_displaced(outliers: Outliers, most: int) -> pd.DataFrame:
    """The rows of the runs that are to be explained first."""
    return outliers.rows[outliers.rows["run_id"].isin(runs_to_explain(outliers)[:most])].reset_index(drop=True)


def with_names(outliers: Outliers, names: Mapping[str, str]) -> Outliers:
    """The outliers with the names of graders, and taus in words, in the names of methods."""
    rows, methods = (
        frame.assign(method=[in_words(method_in_words(method), names) for method in frame["method"]])
        for frame in (outliers.rows, outliers.methods)
    )
    return replace(outliers, rows=rows, methods=methods)


def flagged_by(rows: Mapping[str, pd.DataFrame]) -> str:
    """How many runs each of several series (rows by name) displaces significantly; empty where nothing is tested."""
    tested = {
        name: int(_true(series["flagged"]).sum()) for name, series in rows.items() if series["flagged"].notna().any()
    }
    if not tested:
        return ""
    counts = [f"{n} by {name}" for name, n in tested.items() if n]
    if len(counts) > MODES:
        counts[MODES:] = [f"some by {len(counts) - MODES} more"]
    return f"significantly displaced: {', '.join(counts) or 'none'}"


def runs_to_explain(outliers: Outliers) -> list[str]:
    """The runs, flagged ones first, then by the displacement by all methods of the first kind together."""
    together = outliers.combined
    if len(together):
        together = together[together["over"] == together["over"].iloc[0]]
    names = [run_id for rows in (together, outliers.rows) for run_id in flagged_first(rows)["run_id"]]
    flagged = outliers.rows.loc[_true(outliers.rows["flagged"]), "run_id"]
    return list(dict.fromkeys([*flagged, *names]))


def verdict(outliers: Outliers, *, tested: bool = True) -> list[str]:
    """Sentences on the displacements, the most telling run first; without intervals and p where it is not `tested`.

    A run that all methods of a kind move the same way comes first, by its median move; where queries were drawn, it
    must be flagged. Then come runs that single methods flag; where none is flagged, the reason and the largest move.
    Methods that are made of the same labels as the reference say nothing of a run; where all are, the sentence is that.
    """
    methods = outliers.methods[~outliers.methods["same_labels"].astype(bool)]
    if methods.empty:
        return outliers.about_same_labels()
    outliers = replace(outliers, methods=methods, rows=outliers.rows[outliers.rows["method"].isin(methods["method"])])
    if outliers.rows["rank_displacement"].isna().all():
        return ["No displacement is known: all runs have the same score, or no run has a mean."]
    flagged = outliers.rows[_true(outliers.rows["flagged"])]
    over, same = _moved_by_all(outliers)
    sentences = _sentences_of_same(outliers, over, same, tested=tested) if len(same) else []
    if not outliers.draws and len(outliers.methods) == 1:
        return [displacement_sentence(row, outliers) for row in outliers.rows.head(1).itertuples()]
    if not outliers.draws:
        return sentences or [f"No run is moved the same way by every method against {outliers.reference}."]
    others = flagged[~flagged["run_id"].isin(same["run_id"].head(1))]
    if len(outliers.methods) > FEW:
        return sentences + _counted(outliers, flagged)
    left, more = others.head(SAID - len(sentences)), len(others) - SAID + len(sentences)
    sentences += [displacement_sentence(row, outliers, tested=tested) for row in left.itertuples()]
    if more > 0:
        sentences.append(f"{counted({'more are': more})} significant: see All figures.")
    return sentences or _none_flagged(outliers)


def _true(flags: pd.Series) -> pd.Series:
    return flags.fillna(False).astype(bool)


def _moved_by_all(outliers: Outliers) -> tuple[str, pd.DataFrame]:
    """The first kind of methods that all move some run the same way, and these runs, the largest median first."""
    for over, rows in outliers.combined.groupby("over", sort=False):
        same = rows[_true(rows["agree"]) & (_true(rows["flagged"]) if outliers.draws else True)]
        if len(same) and (over != ALL or not outliers.draws):
            moved = outliers.rows[outliers.rows["method"].isin(_methods(outliers, str(over)))]
            median = moved.groupby("run_id")["rank_displacement"].median().abs()
            keys = same.assign(median=same["run_id"].map(median), mean=same["rank_displacement"].abs())
            return str(over), keys.sort_values(["median", "mean"], ascending=False, kind="stable")
    return "", outliers.combined.head(0)


def _methods(outliers: Outliers, over: str) -> list[str]:
    """The names of the methods of a kind, or of all."""
    kinds = outliers.methods["of"]
    return list(outliers.methods.loc[(kinds == over) | (over == ALL), "method"])


def _sentences_of_same(outliers: Outliers, over: str, same: pd.DataFrame, *, tested: bool) -> list[str]:
    """How all methods of a kind move the first of some runs, and which of the others they move the same way."""
    first, names = same.iloc[0], _methods(outliers, over)
    mine = outliers.rows[outliers.rows["run_id"] == first["run_id"]].set_index("method").loc[names]
    where = " to ".join(
        _ordinal(outliers, mine.loc[name], name) for name in (mine["rank"].idxmin(), mine["rank"].idxmax())
    )
    if len(names) <= FEW:
        texts = [
            f"{_ordinal(outliers, mine.loc[name], name)} by {_without_bank(name, outliers.methods)}" for name in names
        ]
        where = enumerated(texts)
    # Methods that are named need no other word for them.
    kind = "" if over == ALL else f" {OVER.get(over, '')}".rstrip()
    by_methods = "" if len(names) <= FEW else f" by every method{kind}"
    drawn = ""
    if outliers.draws:
        drawn = f", on average {places(abs(first['rank_displacement']))}"
        drawn += _tested(first, outliers).removesuffix(".") if tested else ""
    official = _ordinal(outliers, mine.loc[names[0]], names[0], "reference_rank")
    sizes = outliers.methods.set_index("method").loc[names, "n_runs"]
    ranked = f" of the {sizes.iloc[0]} runs that both rank" if sizes.nunique() == 1 else ""
    sentences = [
        f"{first['run_id']} ranks {direction(first['rank_displacement'])} than {officially(outliers.reference)}"
        f"{by_methods}: {where} instead of {official}{ranked}{drawn}{_otherwise(outliers, first['run_id'], names)}."
    ]
    for sign in (1, -1):
        runs = same.iloc[1:].loc[sign * same["rank_displacement"] > 0, "run_id"].tolist()
        if runs:
            also = (listed if len(runs) > NAMED else enumerated)(runs)
            same_methods = "The same two methods" if len(names) == 2 else "The same methods"
            sentences.append(f"{same_methods} rank {also} {direction(sign)}.")
    return sentences


def _otherwise(outliers: Outliers, run: str, names: Collection[str]) -> str:
    """How a run ranks by the few methods that are not of those; empty where there are none, or many."""
    others = outliers.rows[(outliers.rows["run_id"] == run) & ~outliers.rows["method"].isin(names)]
    if not 0 < len(others) <= FEW:
        return ""
    ranks = [
        f"{_ordinal(outliers, row, str(row['method']))} by {_without_bank(str(row['method']), outliers.methods)}"
        for _, row in others.iterrows()
    ]
    return f"; but {enumerated(ranks)}"


def _ordinal(outliers: Outliers, row: pd.Series, method: str, column: str = "rank") -> str:
    """A run's rank by a method, or in the reference, as an ordinal."""
    return ordinal(row[column], outliers.rows.loc[outliers.rows["method"] == method, column])


def _counted(outliers: Outliers, flagged: pd.DataFrame) -> list[str]:
    """A sentence on which runs are flagged by how many of many methods."""
    if flagged.empty:
        return _none_flagged(outliers)
    by_run = flagged["run_id"].value_counts(sort=False).sort_values(ascending=False, kind="stable")
    text = ", ".join(f"{run} by {n}" for run, n in by_run.head(NAMED).items())
    more = f", and {len(by_run) - NAMED} more" if len(by_run) > NAMED else ""
    runs, verb = counted({"runs": outliers.rows["run_id"].nunique()}), "is" if len(by_run) == 1 else "are"
    by = f"by at least one of {len(outliers.methods)} methods"
    return [f"{len(by_run)} of {runs} {verb} significantly displaced {by}: {text}{more}."]


def _none_flagged(outliers: Outliers) -> list[str]:
    """Sentences that no run is flagged, with the reason (draws, size or the data), and the largest displacement."""
    n = int(outliers.methods["n_runs"].max())
    least = n / (outliers.draws + 1) if outliers.drawn_along else 0.0
    if outliers.rows["p"].isna().all():
        why = f"No run can be tested: a test needs {FEWEST} runs with different scores, and {FEWEST} queries."
    elif least >= ALPHA:
        why = (
            f"{outliers.draws:,} bootstrap samples are too few to call one of {n} runs significantly displaced: no p "
            f"could be below {least:.2g} after correction. Ask for more samples."
        )
    elif outliers.rows["p_holm"].min() < ALPHA:
        why = (
            f"No run is significantly displaced: those with p below {ALPHA} (Holm-corrected) move by less than one "
            "place, or only because of ties."
        )
    else:
        text = officially(outliers.reference)
        why = f"No run ranks higher or lower than {text} by more than chance explains (Holm-corrected)."
    known = outliers.rows[outliers.rows["rank_displacement"].notna()]
    # After the sentence that ties explain the moves, a small p would look like a contradiction.
    tested = not why.endswith("because of ties.")
    row = next(known.head(1).itertuples(), None)
    return [why, *([f"The largest: {displacement_sentence(row, outliers, tested=tested)}"] if row else [])]


def displacement_sentence(row: Any, outliers: Outliers, *, tested: bool = True) -> str:
    """A sentence on a run's displacement by a method: a row of `Outliers.rows`."""
    by = _without_bank(row.method, outliers.methods)
    moved = float(row.rank_displacement)
    if math.isnan(moved):
        return f"{row.run_id} has no displacement by {by}."
    text, frame = officially(outliers.reference), pd.Series(row._asdict())
    own, other = (_ordinal(outliers, frame, row.method, column) for column in ("rank", "reference_rank"))
    if not moved:
        return f"{row.run_id} ranks {own} by {by}, as it does {text}."
    drawn = _tested(frame, outliers) if tested and row.low == row.low and pd.notna(row.flagged) else "."
    tied = ", ties at their middle" if moved % 1 else ""
    return f"{row.run_id} ranks {own} by {by}, {other} {text}: {places(abs(moved))} {direction(moved)}{tied}{drawn}"


def _without_bank(method: str, methods: pd.DataFrame) -> str:
    """A method without the bank where it is the only one: `genq P@20 tau=4` as `P@20 (tau 4)`."""
    banks = methods["bank"].dropna().unique()
    if len(banks) == 1 and len(methods["method"][methods["method"].str.startswith(f"{banks[0]} ")]) == len(methods):
        method = method.removeprefix(f"{banks[0]} ")
    return method_in_words(method)


def _tested(row: Mapping[str, Any] | pd.Series, outliers: Outliers) -> str:
    """The end of a sentence with the interval of a displacement's size, and a sentence with p, corrected for all runs.

    The smallest p that draws can give is an upper bound. Beside a list that is not drawn along, the words say that p
    alone allows for the list's noise; else a p of 1 beside an interval without 0 would look like a mistake.
    """
    sign = 1 if row["rank_displacement"] > 0 else -1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    ends = f"{_tenths(low)} to {_tenths(high)}"
    if low < 0:
        ends = f"{_tenths(-low)} {direction(-sign)} to {_tenths(abs(high))} {direction(sign if high > 0 else -sign)}"

    def p_in_words(p: float) -> str:
        if outliers.drawn_along and row["p"] <= 1 / (outliers.draws + 1) + 1e-12:
            return f"≤ {math.ceil(1000 * p) / 1000:g}"
        return "< 0.001" if p < 0.0005 else f"= {p:.3f}"

    fixed, noisy = (
        ("", "") if outliers.drawn_along else (", the reference taken as exact", "With the reference's noise: ")
    )
    names = [row["method"]] if "method" in row else _methods(outliers, row["over"])
    runs = int(outliers.methods.loc[outliers.methods["method"].isin(names), "n_runs"].min())
    before = p_in_words(row["p"]).removeprefix("= ")
    if row["p"] > CERTAIN:
        text = "not significant"
    elif row["p_holm"] > CERTAIN:
        text = f"not significant, p {p_in_words(row['p'])} even before correction for {runs} runs"
    else:
        text = f"p {p_in_words(row['p_holm'])} after correction for {runs} runs, {before} before"
    if outliers.drawn_along:
        return f" (95% interval {ends}; {text})."
    return f" (95% interval {ends}{fixed}). {noisy}{text}."


def direction(moved: float) -> str:
    return "higher" if moved > 0 else "lower"


def officially(reference: str) -> str:
    return "officially" if reference == OFFICIAL else f"by {reference_in_words(reference)}"


def neighbours_table(outliers: Outliers, run_id: str) -> pd.DataFrame:
    """`around_columns` of the run and its neighbours in the reference: two above and two below, fewer at the ends."""
    ranks = outliers.rows.drop_duplicates("run_id").set_index("run_id")["reference_rank"].sort_index()
    run = ranks.index.get_loc(run_id)
    names = [ranks.index[place] for place in (run, *neighbours_of(ranks.to_numpy(float), run))]
    rows = outliers.rows[outliers.rows["run_id"].isin(names)]
    wide = rows.pivot(index="run_id", columns="method", values="rank").reindex(columns=outliers.methods["method"])
    wide.columns.name = None
    wide.insert(0, "reference_rank", ranks)
    return wide.reset_index().sort_values(["reference_rank", "run_id"], ignore_index=True)


def around_columns(outliers: Outliers) -> ResultTable:
    """`AROUND` with a column for each method."""
    methods = (replace(AROUND["method"], name=name, label=name) for name in outliers.methods["method"])
    return ResultTable(AROUND.name, AROUND.meaning, RUN, REFERENCE_RANK, *methods)


def places(n: float) -> str:
    return f"{_tenths(n)} place{'' if n == 1 else 's'}"


def _tenths(n: float) -> str:
    return f"{round(n, 1) + 0.0:g}"  # -0 becomes 0


METHODS_OVER = {"questions": "methods over questions", "labels": "methods over labels", ALL: "all methods"}


def outliers_lines(outliers: Outliers) -> list[str]:
    """The lines below the table: how to read it, the methods together, and notes."""
    lines = [f"Displacement = rank in {reference_in_words(outliers.reference)} - own rank; promoted runs are positive."]
    if outliers.draws:
        lines.append(
            f"95% intervals over {outliers.draws:,} bootstrap samples of the queries, seed {outliers.seed}. "
            f"{FLAGGED.help}"
        )
    for name, rows in outliers.combined.groupby("over", sort=False):
        lines += ["", f"Mean displacement over {METHODS_OVER[str(name)]} ({rows['n_methods'].iloc[0]}):"]
        lines += first_rows(rows.drop(columns=["over", "n_methods"]))
        for word, sign in (("Higher", 1), ("Lower", -1)):
            same = rows[rows["agree"] & (sign * rows["rank_displacement"] > 0)]
            lines.append(f"{word} than {outliers.reference} by every method: {', '.join(same['run_id']) or 'no run'}.")
    return [*lines, *([""] if outliers.notes else []), *outliers.notes]
