"""NRP: how high answers of systems and prompts rank, how rankers agree with experts, and the paper's figures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
import pandas as pd

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.printed import RANKS, Study, StudyFigure
from exam_core.analysis.shared_columns import QUERY, RUN, STDERR
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.names import listed
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.rank_correlations import rank_correlation
from exam_core.printed import table
from exam_core.request import Convention, Request
from exam_core.results import ResultTable, count, number, text
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids, run_ids
from exam_core.wings.neighbours.answer_files import METHOD, SIDES, Orders
from exam_core.wings.neighbours.measures import CONVENTIONS, NrpOptions, cell_means, nrp_board
from exam_core.wings.neighbours.measures import nrp as nrp_of
from exam_core.wings.neighbours.ranking import (
    RankedAnswers,
    answers_with_texts,
    choose_ranker,
    known_answers,
    ranked_answers,
    rankers_of,
)
from exam_core.wording import counted

NRP_MEANING = (
    "Normalised rank position (Heineking et al. 2024, section 2): 1 - r/n, r the answer's place among the judged "
    "documents of its query. Mean over queries of the mean over a query's answers."
)
INTERVAL = (
    "95% interval of the mean over queries: Student's t of the queries' means, so that answers to one query count "
    "as one observation (Donner & Klar 2000, chapter 6). The upper end may be above 1."
)
SYSTEM = text("system", "System")
PROMPT = text("prompt", "Prompt")
MEAN = number("mean", "NRP", NRP_MEANING, "NRP", form="%.4f")
LOW = number("low", "from", INTERVAL, "NRP", form="%.4f")
HIGH = number("high", "to", INTERVAL, "NRP", form="%.4f")
N_QUERIES = count("n_queries", "Queries", "Queries with an answer.", "queries")
N_ANSWERS = count("n_answers", "Answers", unit="answers")
_SE = replace(STDERR, help="Standard error of the mean over queries.", unit="NRP", form="%.4f")
SCORES = ResultTable(
    "nrp: rows",
    "Systems and prompts by NRP, best first",
    RUN,
    SYSTEM,
    PROMPT,
    MEAN,
    LOW,
    HIGH,
    _SE,
    N_QUERIES,
    N_ANSWERS,
)
SYSTEMS = ResultTable(
    "nrp: systems",
    "Systems by NRP over all their prompts, best first",
    replace(SYSTEM, pinned=True),
    MEAN,
    LOW,
    HIGH,
    _SE,
    count("n_prompts", "Prompts", unit="prompts"),
    N_QUERIES,
    N_ANSWERS,
)
QUERIES = ResultTable(
    "nrp: queries",
    "Mean NRP of each system's answers to each query and prompt",
    RUN,
    SYSTEM,
    PROMPT,
    QUERY,
    number("value", "NRP", "Mean over the answers to the query.", "NRP", form="%.4f"),
    N_ANSWERS,
)


@dataclass(frozen=True)
class NrpResult:
    """NRP of a collection's answers: `rows` as `SCORES`, `systems` as `SYSTEMS`, `queries` as `QUERIES`."""

    collection: str
    ranker: str
    convention: Convention
    rows: pd.DataFrame
    systems: pd.DataFrame
    queries: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def options_in(measure: str | None) -> NrpOptions | None:
    """Return the ranker and the convention of a measure; None where that is not NRP."""
    parsed = Measure.parse(measure) if measure else None
    return parsed.options if parsed and parsed.name == "NRP" else None


def nrp(snapshot: Snapshot, *, ranker: str | None = None, convention: Convention = "released") -> NrpResult:
    """NRP of every system and prompt, and of every system over its prompts, with 95% intervals over queries.

    Intervals are NaN where there are fewer than two queries. No ranker stands for the only one.

    Raises UsageError where there are no ranks, no such ranker or convention, or several rankers to choose from.

    Source: Heineking et al. 2024, section 2; intervals as `nrp_board` has them.
    """
    if convention not in CONVENTIONS:
        raise UsageError(f"--convention {convention}: choose {', '.join(CONVENTIONS)}.")
    answers = ranked_answers(snapshot, choose_ranker(snapshot, ranker))
    n_queries = len(answers.queries)
    values = nrp_of(answers.rank, answers.size, convention)
    by_query, n = cell_means(values, answers.run, answers.query, (len(answers.runs), n_queries))
    rows = pd.DataFrame(nrp_board(by_query, n)).assign(
        run_id=answers.run_ids,
        system=[system for system, _ in answers.runs],
        prompt=[prompt for _, prompt in answers.runs],
    )
    # A query's answers to all prompts are one observation of a system.
    system_names = answers.systems
    of_run = np.array([system_names.index(system) for system, _ in answers.runs])
    by_system, n_by_system = cell_means(values, of_run[answers.run], answers.query, (len(system_names), n_queries))
    systems = pd.DataFrame(nrp_board(by_system, n_by_system))
    systems = systems.assign(system=system_names, n_prompts=np.bincount(of_run, minlength=len(system_names)))
    run, query = np.nonzero(n)
    cells = rows[["run_id", "system", "prompt"]].iloc[run].reset_index(drop=True)
    cells = cells.assign(
        query_id=[answers.queries[place] for place in query], value=by_query[run, query], n_answers=n[run, query]
    )
    return NrpResult(
        snapshot.collection,
        answers.ranker,
        convention,
        SCORES.of(rows.sort_values(["mean", "run_id"], ascending=[False, True], ignore_index=True)),
        SYSTEMS.of(systems.sort_values(["mean", "system"], ascending=[False, True], ignore_index=True)),
        QUERIES.of(cells),
        _notes(answers, convention, values, n),
    )


def _notes(answers: RankedAnswers, convention: Convention, values: Floats, n: Ints) -> list[str]:
    meaning = {
        "released": "r from 0, n counts the answer: the best value is 1 (as the authors' released scores)",
        "one-based": "r from 1, n counts the answer: the best value is 1 - 1/n",
        "documents": "r from 0, n counts the documents alone: the best value is 1",
    }[convention]
    notes = [f"NRP = 1 - r/n by {answers.ranker}; {meaning}."]
    queries = len(answers.queries)
    if fewer := [run for run, own in zip(answers.run_ids, n, strict=True) if np.count_nonzero(own) < queries]:
        notes.append(
            f"Of the {queries:,} queries, some have no answer of {listed(fewer)}: these means are over the others "
            "alone."
        )
    if alone := int(np.isnan(values).sum()):
        notes.append(
            f"{counted({'answers': alone})} ranked with no document: there is no value, and the mean is over other "
            "queries."
        )
    return notes


DOCUMENT = "Document"
"""The kind of an item that no system wrote."""
NO_ORDERS = "{} has no orders of an expert. Import them (import orders FILE)."
TASK = text("task", "Task", pinned=True)
TASKS = ResultTable(
    "nrp-expert: rows",
    "Agreement of the ranker's order with the expert's, task by task",
    TASK,
    text("query_text", "Query", width="large"),
    count("n", "Items", unit="items"),
    number(
        "rbo",
        "RBO, p = 1",
        "Rank-biased overlap at p = 1: the overlap of the first d items, averaged over every depth d (Webber et al. "
        "2010; Heineking et al. 2024, section 3).",
        form="%.3f",
    ),
    number("kendall", "Kendall", "Kendall's tau of the two orders, which have no ties.", form="%.3f"),
)
PLACES = ResultTable(
    "nrp-expert: places",
    "Items of each kind at each rank, for the ranker and the expert",
    text("side", "Order of", pinned=True),
    number("place", "Place", "Rank of the item, from 1.", "place"),
    text("kind", "Written by", "The system that wrote the answer, or Document."),
    count("items", "Items", unit="items"),
)
FLOWS = ResultTable(
    "nrp-expert: flows",
    "Transitions: pairs of kinds at successive ranks, for the ranker and the expert",
    text("side", "Order of", pinned=True),
    number("place", "Place", "Rank of the first of the two, from 1.", "place"),
    text("kind", "Written by"),
    text("next_kind", "Followed by"),
    count("items", "Tasks", unit="tasks"),
)


@dataclass(frozen=True)
class ExpertAgreement:
    """Agreement of a ranker with an expert; `rbo` and `kendall` are means over the tasks."""

    collection: str
    n_tasks: int
    rbo: float
    kendall: float
    rows: pd.DataFrame
    places: pd.DataFrame
    flows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


class _TaskParts(msgspec.Struct):
    items: list[str]
    query: str | None = None


def stored_orders(snapshot: Snapshot) -> list[Orders]:
    """Return the orders that the collection holds."""
    rows = snapshot.query("SELECT run_id, query_id, parts FROM scores WHERE method = ?", [METHOD])
    tasks: dict[str, dict[str, _TaskParts]] = {}
    for row in rows.itertuples():
        tasks.setdefault(row.query_id, {})[row.run_id] = msgspec.json.decode(row.parts, type=_TaskParts)
    return [
        Orders(task, sides["expert"].query, tuple(sides["ranker"].items), tuple(sides["expert"].items))
        for task, sides in tasks.items()
        if set(sides) == set(SIDES)
    ]


def expert_agreement(snapshot: Snapshot, orders: Sequence[Orders] | None = None) -> ExpertAgreement:
    """How well the ranker's orders agree with the expert's, by default those of the collection.

    RBO with p = 1 (average overlap) and Kendall's tau for each task, and their means; NaN for a task of one item.

    Raises UsageError where there are no orders.

    Source: Heineking et al. 2024, sections 3 and 4 and figure 3.
    """
    orders = stored_orders(snapshot) if orders is None else orders
    if not orders:
        raise UsageError(NO_ORDERS.format(snapshot.collection))
    rows = TASKS.of([_agreement(order) for order in orders])
    systems = known_answers(snapshot)
    kinds = [{item: systems.get(item, DOCUMENT) for item in order.ranker} for order in orders]
    tasks = counted({"tasks": len(orders)})
    notes = [f"Means over {tasks}. An item that is not a known answer of the collection is a {DOCUMENT}."]
    if single := int(rows["kendall"].isna().sum()):
        notes.append(f"{counted({'tasks': single})} of one item: Kendall's mean is over the others.")
    if all(kind == DOCUMENT for of_task in kinds for kind in of_task.values()):
        notes.append(f"{snapshot.collection} knows none of the ordered answers: import their ranks or texts.")
    return ExpertAgreement(
        snapshot.collection,
        len(orders),
        float(rows["rbo"].mean()),
        float(rows["kendall"].mean()),
        rows,
        PLACES.of([(*place, items) for place, items in _counted(orders, kinds, 1)]),
        FLOWS.of([(*place, items) for place, items in _counted(orders, kinds, 2)]),
        notes,
    )


def _agreement(orders: Orders) -> tuple[object, ...]:
    """Return a row of `TASKS`.

    The average overlap is rank-biased overlap at p = 1: what the first d of both orders share, averaged over d (Webber,
    Moffat & Zobel 2010, A Similarity Measure for Indefinite Rankings, section 3).
    """
    place = {item: -float(number) for number, item in enumerate(orders.expert)}
    expert = np.array([place[item] for item in orders.ranker])
    kendall = rank_correlation(-np.arange(len(expert), dtype=float), expert).kendall
    depths = range(1, len(orders.ranker) + 1)
    overlaps = [len({*orders.ranker[:depth]} & {*orders.expert[:depth]}) / depth for depth in depths]
    return orders.task, orders.query, len(orders.ranker), float(np.mean(overlaps)), kendall


def _counted(
    orders: Sequence[Orders], kinds: Sequence[dict[str, str]], width: int
) -> list[tuple[tuple[object, ...], int]]:
    """Return how often kinds occur at so many successive places, by side and first place."""
    counter: Counter[tuple[object, ...]] = Counter()
    for order, kind in zip(orders, kinds, strict=True):
        for side in SIDES:
            items = [kind[item] for item in getattr(order, side)]
            for place in range(len(items) - width + 1):
                counter[(side, place + 1, *items[place : place + width])] += 1
    sides = {side: number for number, side in enumerate(SIDES)}
    return sorted(counter.items(), key=lambda pair: (sides[str(pair[0][0])], pair[0][1], -pair[1], pair[0][2:]))


MEASURE = "nDCG@10"
CANNOT_JUDGE = {"credibility": 3}
"""Labels that say "cannot judge", by the judgments that have them: CLEF eHealth 2021's credibility. They count as 0."""
RANKERS = ResultTable(
    "nrp-rankers: rows",
    "Rankers by their mean over several judgments of quality, best first; a column for each of these is in between",
    replace(RUN, label="Ranker"),
    number("mean", "Mean", "Mean over the judgments; the best ranker has the largest.", "score", form="%.4f"),
)


@dataclass(frozen=True)
class Rankers:
    """Rankers by quality: `rows` are `RANKERS`, with a column for each qrels."""

    collection: str
    measure: str
    qrels: list[str]
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)

    @property
    def best(self) -> str | None:
        """The ranker with the largest mean; None without rankers."""
        return str(self.rows["run_id"].iloc[0]) if len(self.rows) else None


def rankers(snapshot: Snapshot, *, qrels: Sequence[str] = (), measure: str = MEASURE) -> Rankers:
    """Runs of documents by a measure over several judgments, and by its mean.

    Raises UsageError where there are no runs of documents or no judgments, or no such measure or judgments.

    `qrels` are the judgments, by default all. A label of `CANNOT_JUDGE` counts as 0, as an unjudged document does.

    Source: Heineking et al. 2024, section 3.
    """
    wanted = list(dict.fromkeys(qrels)) or qrels_ids(snapshot)
    answering = set(answers_with_texts(snapshot)["run_id"])
    documents = snapshot.without(answering)
    if not wanted or not run_ids(documents):
        missing = "runs of documents (import run FILE)" if wanted else "judgments (import qrels FILE --name NAME)"
        raise UsageError(f"{snapshot.collection} has no {missing}, by which rankers are compared.")
    boards, notes = [], list[str]()
    for name in wanted:
        label_map = None
        if (label := CANNOT_JUDGE.get(name)) is not None and name in qrels_ids(snapshot):
            label_map, note = _without(snapshot, name, label)
            notes += note
        request = Request(measure, judgments=name, depth=None, relevant_from=1, label_map=label_map)
        board = leaderboard(documents, choose(documents, request))
        boards.append(board.rows.set_index("run_id")["mean"].rename(name))
    rows = pd.concat(boards, axis=1).rename_axis("run_id").reset_index()
    rows["mean"] = np.mean(rows[wanted].to_numpy(float), axis=1)
    rows = rows.sort_values(["mean", "run_id"], ascending=[False, True], ignore_index=True)
    return Rankers(snapshot.collection, measure, wanted, rows, notes)


def _without(snapshot: Snapshot, name: str, label: int) -> tuple[str | None, list[str]]:
    """Return a map that makes a label 0, and a note on how often; None where no judgment has the label."""
    frame = snapshot.query(
        "SELECT relevance, count(*) AS n FROM judgments WHERE qrels_id = ? GROUP BY relevance ORDER BY relevance",
        [name],
    )
    counts = dict(zip(frame["relevance"].tolist(), frame["n"].tolist(), strict=True))
    if label not in counts:
        return None, []
    others = [other for other in counts if other > 0 and other != label]
    note = f"{name}: {counted({'judgments are': counts[label]})} {label}, the label for unknown; they count as 0."
    return ",".join(f"{other}={other}" for other in others) or f"{label}=0", [note]


def has_answers(snapshot: Snapshot) -> bool:
    """Return whether a collection has ranks of generated answers, or orders of an expert."""
    return bool(rankers_of(snapshot)) or bool(stored_orders(snapshot))


SIZES = ResultTable(
    "nrp: sizes",
    "Parameters of the models behind generated answers",
    text("system", "System", pinned=True),
    number(
        "parameters", "Parameters", "Parameters of the model; a dash where unknown.", "parameters", form="localized"
    ),
    text("source", "Known from", width="large"),
)
FROM_FILE = "the imported file, column parameters"
UNKNOWN = "not known: add a column parameters to the file"
_STATED = """
SELECT DISTINCT parts->>'$.system' AS system, try_cast(extra->>'$.parameters' AS DOUBLE) AS parameters FROM scores
WHERE extra->>'$.parameters' IS NOT NULL AND parts->>'$.system' IS NOT NULL
"""
_OF_TEXTS = """
SELECT doc_id, try_cast(extra->>'$.parameters' AS DOUBLE) AS parameters FROM passages
WHERE extra->>'$.parameters' IS NOT NULL
"""


def sizes(snapshot: Snapshot, systems: tuple[str, ...]) -> pd.DataFrame:
    """Parameters of each system's model: those of the imported files, else those of the NRP paper's eight models.

    Rows are as `SIZES`, in the order of `systems`; NaN where the number is unknown, or files contradict each other.
    """
    stated = snapshot.query(_STATED)
    if len(texts := snapshot.query(_OF_TEXTS)):
        of_texts = answers_with_texts(snapshot)[["doc_id", "system"]].merge(texts, on="doc_id")
        stated = pd.concat([stated, of_texts[["system", "parameters"]].drop_duplicates()])
    groups: dict[str, set[float]] = {}
    for row in stated.dropna().itertuples():
        groups.setdefault(row.system, set()).add(row.parameters)
    printed = {row["system"]: row for row in table("nrp_models").to_dict("records")}
    rows = []
    for system in systems:
        if len(values := groups.get(system, set())) == 1:
            rows.append((system, next(iter(values)), FROM_FILE))
        elif values:
            rows.append((system, np.nan, "files say " + " and ".join(f"{value:g}" for value in sorted(values))))
        elif system in printed:
            known = printed[system]
            rows.append((system, float(known["parameters"] or "nan"), known["source"]))
        else:
            rows.append((system, np.nan, UNKNOWN))
    return SIZES.of(rows)


RANKER, PRINTED_PROMPT = "monot5", "multimedqa"
KNOWN_SYSTEMS = 5
"""Least number of the paper's eight systems that make a collection its."""
PRINTED_SYSTEMS = {
    "ChatGPT (GPT-3.5-turbo-0613)": "chatgpt",
    "Llama-2 7B": "meta-llama_Llama-2-7b-chat-hf",
    "Falcon 7B": "tiiuae_falcon-7b-instruct",
}
"""The systems with a printed mean, as the released ranks name them."""
RELEASED = "the authors' released ranks, github.com/webis-de/arxiv24-ranking-generated-answers"
REASONS = {
    "chatgpt": "The sentence names no prompt. The released ranks give 0.9989 with MultiMedQA, which is 0.998 where it "
    "is cut off and not rounded, and 0.9939 over all prompts; no convention gives 0.998.",
    "ndcg": "The labels of relevance and credibility are swapped in print: the released scores have relevance 0.722 "
    "and credibility 0.645.",
}


def is_the_study(snapshot: Snapshot) -> bool:
    """Return whether a collection has ranks of enough of the paper's systems by its ranker."""
    if RANKER not in rankers_of(snapshot):
        return False
    known = set(table("nrp_models")["system"]) & set(ranked_answers(snapshot, RANKER).systems)
    return len(known) >= KNOWN_SYSTEMS


def nrp_figures(snapshot: Snapshot) -> tuple[list[StudyFigure], list[str]]:
    """Return the printed figures that the collection gives, and notes on what the others need."""
    printed = {(row.subject, row.quantity): (row.value, row.printed_in) for row in table("nrp_results").itertuples()}
    figures: list[StudyFigure] = []

    def add(about: str, words: str, fact: tuple[str, str], ours: float, setting: str, reason: str = "") -> None:
        why = (REASONS[reason], RELEASED) if reason in REASONS else ("", "")
        figures.append(StudyFigure(about, words, *printed[fact], float(ours), setting, why))

    rows = nrp(snapshot, ranker=RANKER).rows
    means = rows[rows["prompt"] == PRINTED_PROMPT].set_index("system")["mean"]
    for subject, system in PRINTED_SYSTEMS.items():
        if system in means.index:
            setting = "released convention, MultiMedQA prompt"
            add("mean NRP", f"mean NRP of {subject}", (subject, "mean_nrp"), means[system], setting, system)
    answers = ranked_answers(snapshot, RANKER)
    pairs = set(zip(answers.run.tolist(), answers.query.tolist(), strict=True))
    sizes_of_the_study = (
        ("queries", ("queries used", "queries"), len(answers.queries)),
        ("systems", ("models", "llms"), len(answers.systems)),
        ("prompts", ("prompts", "prompts"), len({prompt for _, prompt in answers.runs})),
        (
            "answers to a query and prompt",
            ("answers per query, model and prompt", "answers"),
            len(answers.run) / len(pairs),
        ),
        ("answers ranked", ("answers ranked", "answers"), len(answers.run)),
    )
    for words, fact, size in sizes_of_the_study:
        add("size of the study", f"number of {words}", fact, size, "as loaded")
    notes = []
    if stored_orders(snapshot):
        agreement, about, both = expert_agreement(snapshot), "expert study", "expert vs ranking model"
        add(about, "mean RBO with the expert", (both, "rbo"), agreement.rbo, "p = 1, mean over tasks")
        add(about, "mean Kendall's tau with the expert", (both, "kendall_tau"), agreement.kendall, "mean")
        add(about, "number of topics", ("topics in the user study", "topics"), agreement.n_tasks, "as loaded")
        places = agreement.places
        of_gpt2 = (places["kind"] == "gpt2") & (places["side"] == "expert")
        last = places.loc[of_gpt2 & (places["place"] == places["place"].max()), "items"].sum()
        words, fact = "answers of GPT-2 at the expert's last place", ("GPT-2", "answers at last rank (example)")
        add(about, words, fact, last, "figure 3, as loaded")
    else:
        notes.append("4 more printed figures need the expert's orders (import orders FILE).")
    qualities = ("relevance", "readability", "credibility")
    if {*qualities} <= set(qrels_ids(snapshot)) and RANKER in run_ids(snapshot):
        row = rankers(snapshot, qrels=qualities).rows.set_index("run_id").loc[RANKER]
        for name in qualities:
            reason = "ndcg" if name != "readability" and not math.isnan(row[name]) else ""
            words, fact = f"nDCG@10 of monoT5 on {name}", ("monoT5", f"ndcg@10 {name}")
            add("ranking models", words, fact, row[name], "as loaded", reason)
    else:
        notes.append(
            "3 more printed figures, monoT5's nDCG@10, need its run as monot5, and judgments named relevance, "
            "readability and credibility; the authors released a run of ColBERTv2 alone."
        )
    notes += [
        "The means of the other systems are in figures 1 and 2 alone: no number is printed to compare with.",
        "The numbers of restored (6,692) and discarded documents need their texts, which are not released.",
    ]
    return figures, notes


STUDY = (Study("clef21", "NRP", RANKS, is_the_study, nrp_figures, of_a_collection=True),)
