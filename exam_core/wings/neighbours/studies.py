"""Printed figures of the NRP and POURPRE papers, to be set beside computed ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from math import comb

from exam_core.analysis.printed import RANKS, RULES, Study, StudyFigure
from exam_core.printed import table
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids, run_ids
from exam_core.wings.neighbours.citations import is_of_nuggets
from exam_core.wings.neighbours.nrp import NrpResult, expert_agreement, nrp, rankers, stored_orders
from exam_core.wings.neighbours.pourpre import matches
from exam_core.wings.neighbours.ranking import RankedAnswers, ranked_answers, rankers_of
from exam_core.wings.neighbours.sides import Nugget, Sides

RANKER, PROMPT = "monot5", "multimedqa"
KNOWN_SYSTEMS = 5
"""Least number of the paper's eight systems that make a collection its."""
SYSTEMS = {
    "ChatGPT (GPT-3.5-turbo-0613)": "chatgpt",
    "Llama-2 7B": "meta-llama_Llama-2-7b-chat-hf",
    "Falcon 7B": "tiiuae_falcon-7b-instruct",
}
"""The systems with a printed mean, as the released ranks name them."""
MEANS = "mean NRP"
SOURCE = "the authors' released ranks, github.com/webis-de/arxiv24-ranking-generated-answers"
REASONS = {
    "chatgpt": (
        "The sentence names no prompt. The released ranks give 0.9989 with MultiMedQA, which is 0.998 where it is cut "
        "off and not rounded, and 0.9939 over all prompts; no convention gives 0.998.",
        SOURCE,
    ),
    "ndcg": (
        "The labels of relevance and credibility are swapped in print: the released scores have relevance 0.722 and "
        "credibility 0.645.",
        SOURCE,
    ),
}


def is_the_study(snapshot: Snapshot) -> bool:
    """Return whether a collection has ranks of enough of the paper's systems by its ranker."""
    if RANKER not in rankers_of(snapshot):
        return False
    known = set(table("nrp_models")["system"])
    return len(known & set(ranked_answers(snapshot, RANKER).systems)) >= KNOWN_SYSTEMS


def nrp_figures(snapshot: Snapshot) -> tuple[list[StudyFigure], list[str]]:
    """Return the printed figures that the collection gives, and notes on what the others need."""
    nrp_result = nrp(snapshot, ranker=RANKER)
    rows = [*_means(nrp_result), *_counts(ranked_answers(snapshot, RANKER))]
    notes = []
    if stored_orders(snapshot):
        rows += _expert(snapshot)
    else:
        notes.append("4 more printed figures need the expert's orders (import orders FILE).")
    if {"relevance", "readability", "credibility"} <= set(qrels_ids(snapshot)) and RANKER in run_ids(snapshot):
        rows += _rankers(snapshot)
    else:
        notes.append(
            "3 more printed figures, monoT5's nDCG@10, need its run as monot5, and judgments named relevance, "
            "readability and credibility; the authors released a run of ColBERTv2 alone."
        )
    notes += [
        "The means of the other systems are in figures 1 and 2 alone: no number is printed to compare with.",
        "The numbers of restored (6,692) and discarded documents need their texts, which are not released.",
    ]
    return rows, notes


def _fact(subject: str, quantity: str) -> tuple[str, str]:
    """Return a printed value and its place."""
    facts = table("nrp_results")
    (row,) = facts[(facts["subject"] == subject) & (facts["quantity"] == quantity)].to_dict("records")
    return row["value"], row["printed_in"]


def _means(nrp_result: NrpResult) -> Iterator[StudyFigure]:
    of_prompt = nrp_result.rows[nrp_result.rows["prompt"] == PROMPT].set_index("system")["mean"]
    for subject, system in SYSTEMS.items():
        if system in of_prompt.index:
            reason = REASONS.get(system, ("", ""))
            words = f"{MEANS} of {subject}"
            setting = "released convention, MultiMedQA prompt"
            yield StudyFigure(MEANS, words, *_fact(subject, "mean_nrp"), float(of_prompt[system]), setting, reason)


def _counts(answers: RankedAnswers) -> Iterator[StudyFigure]:
    pairs = set(zip(answers.run.tolist(), answers.query.tolist(), strict=True))
    per_pair = len(answers.run) / len(pairs)
    counts = (
        ("queries used", "queries", "queries", len(answers.queries)),
        ("models", "llms", "systems", len(answers.systems)),
        ("prompts", "prompts", "prompts", len(answers.prompts)),
        ("answers per query, model and prompt", "answers", "answers to a query and prompt", per_pair),
        ("answers ranked", "answers", "answers ranked", len(answers.run)),
    )
    for subject, quantity, words, count in counts:
        fact = _fact(subject, quantity)
        yield StudyFigure("size of the study", f"number of {words}", *fact, float(count), "as loaded")


def _expert(snapshot: Snapshot) -> Iterator[StudyFigure]:
    agreement, about = expert_agreement(snapshot), "expert study"
    subject = "expert vs ranking model"
    fact = _fact(subject, "rbo")
    yield StudyFigure(about, "mean RBO with the expert", *fact, agreement.rbo, "p = 1, mean over tasks")
    fact = _fact(subject, "kendall_tau")
    yield StudyFigure(about, "mean Kendall's tau with the expert", *fact, agreement.kendall, "mean")
    fact = _fact("topics in the user study", "topics")
    yield StudyFigure(about, "number of topics", *fact, float(agreement.n_tasks), "as loaded")
    places = agreement.places[agreement.places["kind"] == "gpt2"]
    is_last = (places["side"] == "expert") & (places["place"] == agreement.places["place"].max())
    words = "answers of GPT-2 at the expert's last place"
    fact = _fact("GPT-2", "answers at last rank (example)")
    yield StudyFigure(about, words, *fact, float(places.loc[is_last, "items"].sum()), "figure 3, as loaded")


def _rankers(snapshot: Snapshot) -> Iterator[StudyFigure]:
    row = rankers(snapshot, qrels=("relevance", "readability", "credibility")).rows.set_index("run_id").loc[RANKER]
    for name in ("relevance", "readability", "credibility"):
        value = float(row[name])
        reason = REASONS["ndcg"] if name != "readability" and not math.isnan(value) else ("", "")
        words = f"nDCG@10 of monoT5 on {name}"
        yield StudyFigure("ranking models", words, *_fact("monoT5", f"ndcg@10 {name}"), value, "as loaded", reason)


NRP_STUDY = (Study("clef21", "NRP", RANKS, is_the_study, nrp_figures, of_a_collection=True),)


NOTES = (
    "The printed numbers of rank swaps and of trials need the definition runs of TREC 2003 and 2004 with the "
    "assessors' nuggets and official scores, which NIST gives to participants. When these are loaded, swaps and "
    "nuggets --variability compute the same figures of these runs.",
    "Tables 2 to 4 (Kendall, R2 and stemming) are not in the text at hand: there is no printed value to compare with.",
)


def pourpre_figures(snapshot: Snapshot) -> tuple[list[StudyFigure], list[str]]:
    """Return the printed figures that follow from printed numbers, and notes on what the others need."""
    del snapshot
    return list(_figures()), list(NOTES)


def _figures() -> Iterator[StudyFigure]:
    facts = table("pourpre_facts").set_index("fact")

    def fact(name: str) -> tuple[str, str]:
        return str(facts.loc[name, "value"]), str(facts.loc[name, "printed_in"])

    strings = ("A", "B C D", "D", "A D")
    example = Sides(["answer"], ["example"], {(0, 0): strings}, [[Nugget("example", "A B C D")]])
    score = float(next(matches(example)).scores[0, 0])
    yield StudyFigure("definition", "match score of the example", *fact("example_match_score"), score, "as defined")
    runs, swaps, small = (int(fact(name)[0]) for name in ("runs", "rank_swaps", "rank_swaps_below_0.02"))
    setting = f"of the printed {runs} runs"
    yield StudyFigure("rank swaps", "pairs of runs", *fact("pairwise_comparisons"), float(comb(runs, 2)), setting)
    share = 100 * small / swaps
    setting = f"{small} of {swaps}, as printed"
    yield StudyFigure("rank swaps", "percent below 0.02", *fact("rank_swaps_below_0.02_share"), share, setting)


POURPRE_STUDY = (Study("pourpre", "POURPRE", RULES, is_of_nuggets, pourpre_figures),)
