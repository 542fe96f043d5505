"""Every printed figure that data of the papers' collections could reproduce, with how it is computed.

Sources: EXAM (arXiv 2402.00309), sections 4.1 to 4.4 and its tables; EXAM++ (LLM4Eval 2024), tables 3 and 4.
`figure_settings.csv` says which bank, grading, measure, tau and label rank a column or table belongs to, and
which the paper states where that is another; `figure_reasons.csv` says why a figure is known to differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import pandas as pd

from exam_core.printed import COLLECTIONS, canonical_names, table
from exam_core.tables import OVERALL

FIGURE = ("collection", "subject", "statistic", "system", "judged", "printed")
COEFFICIENTS = ("spearman", "kendall")
SETUP = {"queries": "queries", "passages_graded": "passages", "questions_per_query": "questions_per_query"}
STDERR_OF = "exam_cover"


@lru_cache
def figures() -> pd.DataFrame:
    """A row for each printed figure.

    Returns collection, subject (a column or table), statistic, system (a run, or the predicted labels), judged (the
    judged labels), printed (as text), paper, printed_in, leaderboard (the column's name in the published collection),
    bank, grading, measure, tau, stated_tau, label_rank, stated_label_rank, relevant_from; blank is an empty text.
    """
    rows = [*_cells(), *_correlations(), *_tables(), *_comparisons(), *_setup()]
    frame = pd.DataFrame(rows, columns=[*FIGURE, "where"])
    frame = frame.merge(table("figure_settings"), on=["collection", "subject"], how="inner", validate="many_to_one")
    frame["printed_in"] = frame["where"].where(frame["where"] != "", frame["printed_in"])
    return frame.drop(columns="where")


@lru_cache
def reason_of(collection: str, subject: str, statistic: str, basis: str, verdict: str) -> tuple[str, str]:
    """Why a figure is known not to be ours, and the source of that; empty texts if nothing is known.

    `basis`: "grades" or "print": what our figure is computed from. `verdict`: in what way it is not ours.
    """
    names = {"collection": collection, "subject": subject, "statistic": statistic, "basis": basis, "verdict": verdict}
    for row in table("figure_reasons").to_dict("records"):
        if all(row[name] in ("", value) for name, value in names.items()):
            return row["reason"], row["source"]
    return "", ""


def gradings(name: str) -> list[tuple[str, str]]:
    """(model, prompt class) pairs that a paper's way of grading goes by; an empty model is any."""
    known = table("figure_gradings")
    known = known[known["grading"] == name]
    return list(zip(known["llm"], known["prompt_class"], strict=True))


def _cells() -> Iterable[tuple[str, ...]]:
    """The printed leaderboards, cell by cell; a measure of all passages together is defined for Cover alone."""
    for key in COLLECTIONS:
        names = canonical_names(key)
        board = table(f"exam_{key}_leaderboard")
        for column in [name for name in board.columns if name.startswith(("exam_", "genq_exam_", "tqa_exam_"))]:
            for system, printed in zip(board["system"], board[column], strict=True):
                if system != OVERALL:
                    yield key, column, "mean", names.get(system, system), "", printed, ""
                elif column.endswith("cover"):
                    yield key, column, "overall", "", "", printed, ""


def _correlations() -> Iterable[tuple[str, ...]]:
    """The coefficients of the tables, and those of the running text that are rounded otherwise."""
    in_table = set()
    for row in table("exam_correlations").to_dict("records"):
        for name in COEFFICIENTS:
            in_table.add((row["collection"], row["measure"], name, float(row[name])))
            yield row["collection"], row["measure"], name, "", "", row[name], ""
    for row in table("exampp_table3").to_dict("records"):
        if row["measure"] == "cover@20" and row["tau"] in ("", "4") and row["spearman"]:
            for name in COEFFICIENTS:
                yield "car_y3", row["method"], name, "", "", row[name], ""
    for row in table("exam_text_claims").to_dict("records"):
        figure = row["collection"], row["measure"], row["statistic"]
        if row["statistic"] in COEFFICIENTS and row["value"] and (*figure, float(row["value"])) not in in_table:
            yield *figure, "", "", row["value"], row["printed_in"]


def _tables() -> Iterable[tuple[str, ...]]:
    """The agreement tables: counts, and for each row its total and kappa."""
    cells = table("exam_agreement")
    subjects = cells["bank"].where(cells["source"] == "seed000", "EXAM++") + " " + cells["mode"]
    rows = set()
    for subject, row in zip(subjects, cells.to_dict("records"), strict=True):
        key, predicted = row["collection"], row["predicted_labels"]
        yield key, subject, "count", predicted, row["judgment_labels"], row["count"], ""
        if (key, subject, predicted) not in rows:
            rows.add((key, subject, predicted))
            yield key, subject, "row_total", predicted, "", row["row_total"], ""
            if row["kappa"]:
                yield key, subject, "kappa", predicted, "", row["kappa"], ""


def _comparisons() -> Iterable[tuple[str, ...]]:
    """The other graders that EXAM is compared with; statistics that the text confuses are left out."""
    for row in table("baselines_agreement").to_dict("records"):
        if row["collection"] and row["statistic"] in (*COEFFICIENTS, "kappa"):
            yield row["collection"], row["baseline"], row["statistic"], "", "", row["value"], row["printed_in"]


def _setup() -> Iterable[tuple[str, ...]]:
    """Sizes of the collections, and the range of standard errors that is stated for all experiments."""
    for row in table("exam_setup").to_dict("records"):
        if row["collection"] in COLLECTIONS and row["key"] in SETUP:
            yield row["collection"], "setup", SETUP[row["key"]], "", "", row["value"], ""
        if row["key"] == "standard_error_range":
            ends = zip(("smallest_stderr", "largest_stderr"), row["value"].split("-"), strict=True)
            for statistic, printed in ends:
                for key in ("dl19", "dl20"):
                    yield key, STDERR_OF, statistic, "", "", printed, row["printed_in"]
                yield "car_y3", "genq_exam_cover", statistic, "", "", printed, row["printed_in"]
