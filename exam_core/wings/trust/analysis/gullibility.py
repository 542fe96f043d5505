"""Gullibility: how often non-relevant passages get a higher grade where they only claim, or repeat, to be an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from exam_core.numbers.arrays import Floats
from exam_core.results import ResultTable, count, interval, number, share, signed, text
from exam_core.store import Store
from exam_core.wings.trust.numbers.clustered import FEWEST, Share, clustered_difference, clustered_share
from exam_core.wings.trust.store.probes import PROBE, Probe, probes_of

SOURCE = "Wilson 1927; Korn & Graubard 1998"
OF_INTERVALS = (
    "95% intervals count a query as one observation, because its passages are similar. Where a share is 0 or 1 in "
    "every query, the interval is as wide as possible."
)
_HELD = "95%, queries as clusters."
GULLIBILITY = ResultTable(
    "gullible: rows",
    "For each probe and perturbation, how often the grades of non-relevant passages rise and fall; undefined "
    "intervals are None",
    text("grader_id", "Grading mode", "A prompt, a model and its options.", pinned=True),
    text("perturbation", "Perturbation", "The change to the passage, which makes it no better an answer."),
    share(
        "rises",
        "Grades that rise",
        "Share of the grades that are higher for the perturbed passage than for the unchanged passage; the mean over "
        "the queries.",
        unit="share of grades",
    ),
    interval("rises_interval", "Rise, 95%", _HELD, source=SOURCE),
    share("falls", "Grades that fall", "Share of the grades that are lower.", unit="share of grades"),
    interval("falls_interval", "Fall, 95%", _HELD, source=SOURCE),
    signed(
        "net",
        "Rise - fall",
        "Share that rises minus share that falls: the rise beyond accidental changes.",
        unit="share of grades",
    ),
    interval("net_interval", "Rise - fall, 95%", _HELD, source="Tango 1998; " + SOURCE),
    share(
        "label_rises",
        "Labels that rise",
        "Share of the passages whose label (the best grade of any question) is higher.",
        unit="share of passages",
    ),
    interval("label_rises_interval", "Labels, 95%", _HELD, source=SOURCE),
    count("queries", "Queries", unit="queries"),
    count("passages", "Passages", "Non-relevant passages that were drawn.", "passages"),
    count("grades", "Grades", "Passages times questions; grades that are readable for both texts.", "grades"),
    count("unreadable", "Unreadable", "Left out: one of the two grades is unreadable.", "grades"),
    count("cut", "Cut", "Perturbed passages, times questions, that were cut to fit the model.", "prompts"),
    text("bank", "Bank", "Question bank and its version; empty where passages are graded as a whole."),
    text("judgments", "Judgments", "The human judgments by which the passages are not relevant."),
    number("relevant_from", "Relevant from", "The drawn passages have a relevance below this.", "relevance"),
    number("sample", "Sample", "Number of passages that were to be drawn.", "passages"),
    number("seed", "Seed", "Seed of the draw.", unit="number"),
)


@dataclass(frozen=True)
class Gullibility:
    """How gullible graders are: `rows` are `GULLIBILITY`; notes are sentences on what they are of."""

    collection: str
    rows: pd.DataFrame
    notes: list[str]


def gullibility(store: Store, collection: str, probes: Sequence[Probe] | None = None) -> Gullibility:
    """How often grades rise, of each probe.

    Parameters
    ----------
    probes : None: all that are kept of the collection
    """
    damaged = store.damaged(PROBE, collection) if probes is None else []
    probes = probes_of(store, collection) if probes is None else probes
    rows = [_row(probe, variant) for probe in probes for variant in list(probe.variants)[1:]]
    return Gullibility(
        collection, GULLIBILITY.of(pd.DataFrame(rows, columns=GULLIBILITY.names)), [*_notes(probes), *damaged]
    )


def in_series(rows: pd.DataFrame) -> pd.DataFrame:
    """`GULLIBILITY` with a column `series`: the grader, and what of its probes differs where it has several."""
    told = rows["grader_id"].copy()
    for name in ("bank", "judgments", "relevant_from", "sample", "seed"):
        several = rows.groupby("grader_id")[name].transform("nunique") > 1
        told = told.where(~several, told + f", {name.replace('_', ' ')} " + rows[name].astype(str))
    return rows.assign(series=told)


def changes(probe: Probe, variant: str) -> tuple[Floats, Floats, Floats, int]:
    """How the grades of a perturbation compare with those of the passages as they are.

    Returns
    -------
    Of each query with readable grades, sorted: the share of its grades that rise, of its grades that fall, and of its
    passages whose label rises; and how many grades are readable for both texts
    """
    plain = next(iter(probe.variants))
    frame = pd.DataFrame(
        {
            "query_id": probe.query_id,
            "doc_id": probe.doc_id,
            "before": np.array(probe.grades[plain], float),
            "after": np.array(probe.grades[variant], float),
        }
    ).dropna()
    frame["rises"], frame["falls"] = frame["after"] > frame["before"], frame["after"] < frame["before"]
    by_query = frame.groupby("query_id")[["rises", "falls"]].mean()
    labels = frame.groupby(["query_id", "doc_id"])[["before", "after"]].max()
    label_rises = (labels["after"] > labels["before"]).groupby("query_id").mean()
    return by_query["rises"].to_numpy(float), by_query["falls"].to_numpy(float), label_rises.to_numpy(float), len(frame)


def _row(probe: Probe, variant: str) -> dict[str, object]:
    *shares, readable = changes(probe, variant)
    rises, falls, labels = map(clustered_share, shares)
    found = {"rises": rises, "falls": falls, "net": clustered_difference(shares[0], shares[1]), "label_rises": labels}
    setting = probe.setting
    row: dict[str, object] = {
        "grader_id": setting.grader,
        "perturbation": variant,
        "queries": len(shares[0]),
        "passages": len(set(zip(probe.query_id, probe.doc_id, strict=True))),
        "grades": readable,
        "unreadable": len(probe.query_id) - readable,
        "cut": probe.cut[variant],
        "bank": setting.bank or "",
        "judgments": setting.judgments,
        "relevant_from": setting.relevant_from,
        "sample": setting.sample,
        "seed": setting.seed,
    }
    for name, one in found.items():
        row |= {name: float(one.value), f"{name}_interval": _pair(one)}
    return row


def _pair(one: Share) -> tuple[float, float] | None:
    return None if np.isnan(one.low) else (float(one.low), float(one.high))


def _notes(probes: Sequence[Probe]) -> list[str]:
    """What the probes are of, and what their figures don't say."""
    if not probes:
        return []
    notes = [OF_INTERVALS]
    about = {name: words for probe in probes for name, words in list(probe.variants.items())[1:]}
    notes += [f"{name}: {words}" for name, words in about.items()]
    for probe in probes:
        of, passages = probe.setting, len(set(zip(probe.query_id, probe.doc_id, strict=True)))
        queries = len(set(probe.query_id))
        told = (
            f"{of.grader}: {passages:,} of {probe.population:,} passages with a relevance below {of.relevant_from} in "
            f"{of.judgments}, drawn evenly over {queries:,} queries with seed {of.seed}"
        )
        notes.append(
            f"{told}, with the {len(probe.query_id):,} questions asked of them in bank {of.bank}."
            if of.bank
            else f"{told}."
        )
        if queries < FEWEST:
            notes.append(f"{of.grader}: fewer than {FEWEST} queries are too few for intervals.")
        if cut := max(probe.cut.values()):
            prompts = f"up to {cut:,} of {len(probe.query_id):,} prompts of a perturbation"
            notes.append(f"{of.grader}: {prompts} had their passage cut to fit; grades may fall for that alone.")
    return notes
