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
    reports, pinned : ways to write what `export report` is asked for; the views of a story
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
    pinned: tuple[str, ...] = ()
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
        commands={"bank": _command("banks.cli.bank_commands", BANKS)},
        analyses={"bank_health": "answers.bank_health:answer"},
        formats=(
            *("formats.lists:ROWS", "formats.nuggetbank:ROWS", "formats.question_runs:ROWS", "formats.ragtime26:ROWS"),
            *("formats.rubrics:ROWS", "formats.tqa:ROWS", "formats.squad:ROWS"),
        ),
        job_kinds=("jobs.kinds:KINDS",),
        slides=("slides.question_slide:ROWS",),
        report_parts=("reports.parts:PARTS",),
    ),
    "cluster": Wing(engines=("grading.engines:ENGINES",)),
    "comparing": Wing(
        pages=("compare", "methods", "reliability"),
        analyses={
            "cutoffs": "answers.cutoffs:answer",
            "grid": "answers.grid:answer",
            "significance": "answers.significance:answer",
            "stability": "answers.stability:answer",
            "swaps": "answers.swaps:answer",
            "whatif": "answers.whatif:answer",
        },
        slides=("slides.compare_slides:ROWS", "slides.methods:ROWS", "slides.reliability:ROWS"),
        report_parts=("reports.parts:PARTS",),
    ),
    "ctranslate": Wing(backends=("grading.backends:ROWS",)),
    "doctor": Wing(commands={"doctor": _command("doctor.cli.doctor_command:doctor", LOOK_AFTER, "check")}),
    "explanations": Wing(pages=("explanations",), added_options=("answers.adding:ADDED",)),
    "holes": Wing(analyses={"holes": "answers.holes:answer"}),
    "live": Wing(
        pages=("live",),
        commands={
            "export report": _REPORT,
            "export site": _command("live.cli.live:site", before="duckdb"),
            "bench site": _bench("live", "site", "visits"),
        },
        reports=("cli.reports:REPORTS",),
    ),
    "modes": Wing(
        pages=("modes",),
        commands={"mode": _command("modes.cli.mode_commands", GRADE)},
        record_kinds=("store.mode_files:KINDS",),
        before=("store.mode_files:BEFORE",),
        modes=("grading.kept_modes:KEPT",),
        unread_modes=("grading.kept_modes:UNREAD",),
        orders=("actions.adding:ORDERED",),
    ),
    "neighbours": Wing(
        pages=("neighbours",),
        commands={
            "nrp-rank": _command("neighbours.cli.answer_commands:nrp_rank", GRADE),
            "bench texts": _bench("neighbours", "texts", "corpus"),
            **{
                f"import {name}": _command(f"neighbours.cli.answer_commands:{name}", before="duckdb")
                for name in ("responses", "assignments", "answers", "ranks", "orders")
            },
        },
        analyses={
            "citations": "answers.citations:answer",
            "nuggets": "answers.nuggets:answer",
            "nrp": "answers.nrp:answer",
            "nrp_expert": "answers.nrp_expert:answer",
            "nrp_rankers": "answers.nrp_rankers:answer",
        },
        headings={"citations": LOOK, "nuggets": LOOK, "nrp": LOOK, "nrp_expert": COMPARE, "nrp_rankers": COMPARE},
        imports={
            "answers": "actions.importing_answers:import_answers",
            "ranks": "actions.importing_answers:import_ranks",
            "orders": "actions.importing_answers:import_orders",
            "responses": "actions.importing_responses:import_responses",
            "assignments": "actions.importing_responses:import_assignments",
        },
        formats=(
            *("formats.answers:ROWS", "formats.assessments:ROWS", "formats.ranks:ROWS", "formats.orders:ROWS"),
            *("formats.responses:ROWS", "formats.nuggets:ROWS"),
        ),
        measures=(
            *("measures.effectiveness.nuggets:ROWS", "measures.effectiveness.pourpre:ROWS"),
            *("measures.effectiveness.rank_position:ROWS", "measures.effectiveness.rouge:ROWS"),
        ),
        demos=("actions.demo:DEMOS",),
        unlabelled=("analysis.unlabelled:SOURCES",),
        studies=("analysis.printed.nrp_study:STUDIES", "analysis.printed.pourpre_study:STUDIES"),
        slides=("slides.answer_slides:ROWS",),
        report_parts=("reports.report_parts:PARTS",),
    ),
    "paper_figures": Wing(
        pages=("paper_figures",),
        commands={"export figure": _command("paper_figures.cli.figure:figure", before="duckdb")},
    ),
    "reproduction": Wing(
        pages=("reproduce",),
        commands={"reproduce": _command("reproduction.cli.reproduce_command:reproduce", COMPARE, "agreement")},
        slides=("slides.reproduced:ROWS",),
        report_parts=("reports.parts:PARTS",),
    ),
    "reviews": Wing(
        pages=("reviews",),
        commands={
            "bench reviews": _bench("reviews", "reviews", "dashboard"),
            "review": _command("reviews.cli.review_commands", REVIEWS),
            "import reviews": _command("reviews.cli.review_queue_commands:reviews", before="duckdb"),
        },
        analyses={"review_agreement": "answers.review_agreement:answer"},
        added_options=("answers.adding:ADDED",),
        imports={"reviews": "actions.review_files:import_reviews"},
        tables=("tables:TABLES",),
        compared=("tables:COMPARED",),
        record_kinds=("store.review_records:KINDS",),
        before=("store.review_records:BEFORE",),
        counts=("store.review_records:COUNTS",),
        whole=("store.review_records:WHOLE",),
        counted=("analysis.counted:COUNTED",),
        formats=("formats.label_studio:ROWS", "formats.review_tables:ROWS"),
    ),
    "servers": Wing(
        pages=("servers",),
        backends=("grading.backends:ROWS",),
        record_kinds=("store.ledger:KINDS",),
        before=("store.ledger:BEFORE",),
    ),
    "serving": Wing(pages=("serving",), commands={"serve": _command("serving.cli.serving:serve", SHARE)}),
    "stage": Wing(
        pages=("stage",),
        commands={
            "story": _command("stage.cli.story_commands", SHARE),
            "export report": _REPORT,
            "export story": _command("stage.cli.reports:story", before="duckdb"),
        },
        reports=("cli.reports:REPORTS",),
        pinned=("cli.pinned:PINNED",),
        record_kinds=("store.story_files:KINDS",),
        before=("store.story_files:BEFORE",),
        slides=("slides.boards:ROWS", "slides.chances:ROWS"),
        report_parts=("reports.parts:PARTS",),
    ),
    "trust": Wing(
        pages=("trust",),
        commands={
            "gullible": _command("trust.cli.gullible_command:gullible", RELIABILITY),
            "bench gullibility": _bench("trust", "gullibility", "dashboard"),
        },
        analyses={
            "fidelity": "answers.fidelity:answer",
            "votes": "answers.votes:answer",
            "circularity": "answers.circularity:answer",
        },
        headings={"fidelity": RELIABILITY, "votes": RELIABILITY, "circularity": RELIABILITY},
        record_kinds=("store.probes:KINDS",),
        before=("store.probes:BEFORE",),
        job_kinds=("jobs.kinds:KINDS",),
        slides=("slides.trust_slides:ROWS",),
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
