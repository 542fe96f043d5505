"""Wings: subjects that the core does without, and all that each adds to the core.

To leave one out, delete its entry in `WINGS`, its folder, its folders in `pages/`, and its tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from exam_core.command import BANKS, COMPARE, GRADE, LOOK, LOOK_AFTER, RELIABILITY, REVIEWS, SHARE, Command


@dataclass(frozen=True)
class Wing:
    """What a subject adds to the core: places, each a module of its folder and a name there; loaded when asked for.

    Attributes
    ----------
    commands : commands and groups of commands; one of another group, such as `export`, has both words as its name
    analyses : the function that answers each analysis; `headings` says under which heading its command is listed
    added_options : options that it adds to analyses of the core (`Added`)
    imports : the verb that takes files of each kind
    reports : ways to write what `export report` is asked for
    tables, compared : stored tables; what two imports must not say differently
    record_kinds, before : kinds of records of the catalogue; where version 1 of a store had them
    counts, whole : what `list` counts in a collection; tables of people's rows
    counted : columns for `counts`
    formats, backends, engines, measures : rows of those tables
    modes, unread_modes : grading modes that a store keeps, and what is said of those that can't be read
    orders, job_kinds, demos : what a job's order means; kinds of jobs; collections of the demo
    unlabelled : what measures look at that look at no grades
    studies : papers that print no leaderboard
    slides, report_parts : slides of its pages; parts of the report for print
    pages : its folders of `pages/`, whose `added.py` says what they add
    """

    commands: Mapping[str, Command] = field(default_factory=dict)
    analyses: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)
    added_options: tuple[str, ...] = ()
    imports: Mapping[str, str] = field(default_factory=dict)
    reports: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    record_kinds: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    unread_modes: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    job_kinds: tuple[str, ...] = ()
    demos: tuple[str, ...] = ()
    unlabelled: tuple[str, ...] = ()
    studies: tuple[str, ...] = ()
    slides: tuple[str, ...] = ()
    report_parts: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


def _bench(name: str, function: str, before: str) -> Command:
    return Command(f"benchmarks.wings.{name}.commands", function, before=before)


def _command(place: str, group: str = "", before: str = "") -> Command:
    """A command by the place of its function below this folder; a group of commands by its module."""
    module, _, function = place.partition(":")
    return Command(f"{__name__}.{module}", function, group, before=before)


_REPORT = Command("exam_core.cli.report_command", "report", before="duckdb")
WINGS = {
    "banks": Wing(
        pages=("questions",),
        commands={"bank": _command("banks.cli", BANKS)},
        analyses={"bank_health": "answers:answer"},
        formats=("bank_files:ROWS", "nuggetbank:ROWS"),
        job_kinds=("jobs:KINDS",),
        slides=("slides:SLIDES",),
        report_parts=("slides:PARTS",),
    ),
    "cluster": Wing(engines=("cluster:ENGINES",)),
    "comparing": Wing(
        pages=("compare", "methods", "reliability"),
        analyses={
            "cutoffs": "answers:answer_cutoffs",
            "grid": "answers:answer_grid",
            "significance": "answers:answer_significance",
            "stability": "answers:answer_stability",
            "swaps": "answers:answer_swaps",
            "whatif": "answers:answer_whatif",
        },
        slides=("slides:SLIDES", "cutoff_charts:SLIDES", "slides:RELIABILITY_SLIDES"),
        report_parts=("slides:PARTS",),
    ),
    "doctor": Wing(commands={"doctor": _command("doctor.cli:doctor", LOOK_AFTER, "check")}),
    "explanations": Wing(pages=("explanations",), added_options=("answers:ADDED",)),
    "holes": Wing(analyses={"holes": "answers:answer"}),
    "judges": Wing(
        pages=("judges",),
        analyses={"across": "answers:answer", "repeats": "answers:answer_repeats", "alike": "answers:answer_alike"},
        headings=dict.fromkeys(("across", "repeats", "alike"), RELIABILITY),
        slides=("slides:SLIDES",),
    ),
    "live": Wing(
        pages=("live",),
        commands={
            "export report": _REPORT,
            "export site": _command("live.cli:site", before="duckdb"),
            "bench site": _bench("live", "site", "visits"),
        },
        reports=("cli:REPORTS",),
    ),
    "modes": Wing(
        pages=("modes",),
        commands={"mode": _command("modes.cli", GRADE)},
        record_kinds=("mode_files:KINDS",),
        before=("mode_files:BEFORE",),
        modes=("mode_reading:KEPT",),
        unread_modes=("mode_reading:UNREAD",),
        orders=("actions:ORDERED",),
    ),
    "neighbours": Wing(
        pages=("neighbours",),
        commands={
            "nrp-rank": _command("neighbours.cli:nrp_rank", GRADE),
            "bench texts": _bench("neighbours", "texts", "corpus"),
            **{
                f"import {name}": _command(f"neighbours.cli:{name}", before="duckdb")
                for name in ("responses", "assignments", "answers", "ranks", "orders")
            },
        },
        analyses={
            "citations": "answers:answer_citations",
            "nuggets": "answers:answer_nuggets",
            "nrp": "answers:answer_nrp",
            "nrp_expert": "answers:answer_nrp_expert",
            "nrp_rankers": "answers:answer_nrp_rankers",
        },
        headings={"citations": LOOK, "nuggets": LOOK, "nrp": LOOK, "nrp_expert": COMPARE, "nrp_rankers": COMPARE},
        imports={
            "answers": "importing:import_answers",
            "ranks": "importing:import_ranks",
            "orders": "importing:import_orders",
            "responses": "importing:import_responses",
            "assignments": "importing:import_assignments",
        },
        formats=("answer_files:ROWS", "assessed_files:ROWS", "response_files:ROWS"),
        measures=("measures:NUGGET_MEASURES", "pourpre:ROWS", "measures:RANK_POSITION", "rouge:ROWS"),
        demos=("importing:DEMOS",),
        unlabelled=("texts:SOURCES",),
        studies=("nrp:STUDY", "texts:STUDY"),
        slides=("slides:SLIDES",),
        report_parts=("slides:REPORT_PARTS",),
    ),
    "paper_figures": Wing(
        pages=("paper_figures",), commands={"export figure": _command("paper_figures.cli:figure", before="duckdb")}
    ),
    "reproduction": Wing(
        pages=("reproduce",),
        commands={"reproduce": _command("reproduction.cli:reproduce", COMPARE, "agreement")},
        slides=("slides:SLIDES",),
        report_parts=("slides:PARTS",),
    ),
    "reviews": Wing(
        pages=("reviews",),
        commands={
            "bench reviews": _bench("reviews", "reviews", "dashboard"),
            "review": _command("reviews.cli", REVIEWS),
            "import reviews": _command("reviews.cli:reviews", before="duckdb"),
        },
        analyses={"review_agreement": "answers:answer"},
        added_options=("answers:ADDED",),
        imports={"reviews": "actions:import_reviews"},
        tables=("review:TABLES",),
        compared=("review:COMPARED",),
        record_kinds=("records:KINDS",),
        before=("records:BEFORE",),
        counts=("records:COUNTS",),
        whole=("records:WHOLE",),
        counted=("review:COUNTED",),
        formats=("review_files:ROWS",),
    ),
    "servers": Wing(
        pages=("servers",), backends=("backends:ROWS",), record_kinds=("ledger:KINDS",), before=("ledger:BEFORE",)
    ),
    "serving": Wing(pages=("serving",), commands={"serve": _command("serving.cli:serve", SHARE)}),
    "stage": Wing(
        pages=("stage",),
        commands={
            "story": _command("stage.cli", SHARE),
            "export report": _REPORT,
            "export story": _command("stage.cli:story", before="duckdb"),
        },
        reports=("cli:REPORTS",),
        record_kinds=("story:KINDS",),
        before=("story:BEFORE",),
        slides=("slides:BOARDS", "slides:CHANCES"),
        report_parts=("report_page:PARTS",),
    ),
    "trust": Wing(
        pages=("trust",),
        commands={
            "gullible": _command("trust.cli:gullible", RELIABILITY),
            "bench gullibility": _bench("trust", "gullibility", "dashboard"),
        },
        analyses={
            "fidelity": "answers:answer_fidelity",
            "votes": "answers:answer_votes",
            "circularity": "answers:answer_circularity",
            "taste": "answers:answer_taste",
        },
        headings=dict.fromkeys(("fidelity", "votes", "circularity", "taste"), RELIABILITY),
        record_kinds=("probes:KINDS",),
        before=("probes:BEFORE",),
        job_kinds=("jobs:KINDS",),
        slides=("slides:SLIDES",),
    ),
}


def declared(hook: str) -> Iterator[Any]:
    """What the wings add by a field of `Wing`, from all its places; they are loaded."""
    for name, wing in WINGS.items():
        for place in getattr(wing, hook):
            yield from _at(name, place)


def named(hook: str) -> dict[str, Any]:
    """The same of a field that gives each place a name."""
    return {key: _at(name, place) for name, wing in WINGS.items() for key, place in getattr(wing, hook).items()}


def _at(wing: str, place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(f"{__name__}.{wing}.{module}"), name)
