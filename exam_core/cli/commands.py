"""Every command: where it is, and what it is for. Only what is asked for is loaded."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import typer


class Command(NamedTuple):
    """A command, or a group of commands.

    Attributes
    ----------
    module : file of this folder
    function : in it; empty for a group, which is the file's `app`
    about : the first sentences of its help
    """

    module: str
    function: str
    about: str


COMMANDS = {
    "open": Command(
        "opening",
        "open_dashboard",
        "Start the dashboard, print its address and open it in the browser; Ctrl-C ends it.",
    ),
    "serve": Command(
        "serving",
        "serve",
        "Serve the dashboard to others: they sign in by OpenID Connect and have roles, or it is read-only; "
        "Ctrl-C ends it.",
    ),
    "list": Command(
        "reading",
        "list_collections",
        "The collections with their counts; one that is damaged is named, and the exit status is 1.",
    ),
    "leaderboard": Command(
        "reading",
        "leaderboard",
        "Runs by a measure: mean, standard error, re-normalised, rank, and the reference's rank.",
    ),
    "correlate": Command(
        "reading",
        "correlate",
        "Correlation with a reference: Spearman, Kendall, tau-AP, RBO, R2, RMSE, with 95% intervals over queries.",
    ),
    "agreement": Command(
        "reading",
        "agreement",
        "Confusion of predicted labels and human judgments; kappa with interval, precision, recall and F1.",
    ),
    "grid": Command(
        "cutoffs",
        "grid",
        "Spearman and Kendall of every grading mode at every tau, under several measures, as in table 3 of EXAM++.",
    ),
    "cutoffs": Command(
        "cutoffs",
        "cutoffs",
        "Every tau of a measure side by side, and which to use by cross-validation over the queries.",
    ),
    "significance": Command(
        "stability",
        "significance",
        "Which runs differ significantly: tiers, intervals of means and ranks, tests of all pairs (Holm).",
    ),
    "fidelity": Command(
        "fidelity",
        "fidelity",
        "Of the pairs of runs that differ significantly by judgments, which do by grades, and in which order?",
    ),
    "votes": Command(
        "fidelity",
        "votes",
        "How independent are the graders? Their agreement, the correlation of their errors, what a majority gains.",
    ),
    "stability": Command(
        "stability",
        "stability",
        "How the ranks and the correlation change with other queries, other questions, or fewer of them.",
    ),
    "swaps": Command(
        "stability",
        "swaps",
        "Pairs of runs that two leaderboards order differently, by how far their scores are apart.",
    ),
    "outliers": Command(
        "explaining",
        "outliers",
        "How far each run is displaced against a reference, by every method and by all together; with --run, why.",
    ),
    "tags": Command(
        "circularity",
        "tags",
        "What is known of runs that may make a grader prefer them; with a run and tags, tag it so.",
    ),
    "circularity": Command(
        "circularity",
        "circularity",
        "Is the grader biased towards some systems? Displacement of tagged against other runs, with 95% intervals.",
    ),
    "holes": Command(
        "explaining",
        "holes",
        "Ungraded passages at each depth, and the bounds of each run's score if they were graded.",
    ),
    "whatif": Command(
        "explaining",
        "whatif",
        "The leaderboard, its correlation and the labels if the bank had other questions; nothing is changed.",
    ),
    "citations": Command(
        "nuggets",
        "citations",
        "Whether the passages that a generated text cites support what the text says.",
    ),
    "nuggets": Command(
        "nuggets",
        "nuggets",
        "The six nugget scores of each run: vital, weighted and all nuggets, strict and with partial support as half.",
    ),
    "nrp": Command(
        "generated",
        "nrp",
        "Systems and prompts by how high their answers rank among the judged documents (NRP), with 95% intervals.",
    ),
    "nrp-expert": Command(
        "generated",
        "nrp_expert",
        "How well a ranker orders answers as an expert does: RBO with p = 1 and Kendall's tau, task by task.",
    ),
    "nrp-rankers": Command(
        "generated",
        "nrp_rankers",
        "Rankers (runs of documents) by nDCG@10 over several judgments of quality, the best by their mean first.",
    ),
    "nrp-rank": Command(
        "generated",
        "nrp_rank",
        "Rank every generated answer among the judged documents of its query, one answer at a time; ranks are stored.",
    ),
    "cite": Command(
        "citing",
        "cite",
        "A methods paragraph that states every choice and version, and BibTeX of the papers whose measures are used.",
    ),
    "reproduce": Command(
        "reproducing",
        "reproduce",
        "Every figure that the papers print of a collection, beside ours, with the known reason where they differ.",
    ),
    "grade": Command(
        "grading",
        "grade",
        "Grade what is missing: every passage on every question of its query, or as a whole.",
    ),
    "mode": Command(
        "modes",
        "",
        "Modes of grading: the papers' and your own.",
    ),
    "gullible": Command(
        "gullibility",
        "gullible",
        "How often non-relevant passages get more where the question, its words or praise are pasted in.",
    ),
    "jobs": Command(
        "grading",
        "jobs",
        "Grading jobs of this store, newest first, with how far they are.",
    ),
    "alias": Command(
        "naming",
        "alias",
        "What graders are called on pages, in charts and in tables for papers; with a name, call one so.",
    ),
    "doctor": Command(
        "doctoring",
        "doctor",
        "Look at Python, packages, devices, memory, models, network and the store.",
    ),
    "check": Command(
        "checking",
        "check",
        "Compare every file of the store with the hash of what was written, and every record with what it lists.",
    ),
    "clean": Command(
        "checking",
        "clean",
        "Remove files of the store that nothing lists and that are older than a day.",
    ),
    "simulate": Command(
        "simulating",
        "simulate",
        "A collection of any size whose grades, judgments and runs are drawn from a model; by default of CAR "
        "Y3's size.",
    ),
    "demo": Command(
        "simulating",
        "demo",
        "Build the embedded collections: the demo and the papers' printed figures.",
    ),
    "bank": Command(
        "banks",
        "",
        "Question banks: make, bring, look at, edit, compare.",
    ),
    "notes": Command(
        "noting",
        "notes",
        "What people noted on passages: who, when, and in which words.",
    ),
    "review": Command(
        "reviews",
        "",
        "Reviews: people check the grader's work.",
    ),
    "story": Command(
        "stories",
        "",
        "Stories: views that were pinned in the dashboard.",
    ),
    "import": Command(
        "importing",
        "",
        "Add files to a collection.",
    ),
    "template": Command(
        "templates",
        "template",
        "A small valid example file (run, qrels, bank, ...), to be filled in with your own; without a kind, lists "
        "them.",
    ),
    "export": Command(
        "exporting",
        "",
        "Write what a collection holds for other tools.",
    ),
    "bench": Command(
        "benching",
        "",
        "Time Examboard beside other tools; prints JSON. Without a command: analysis.",
    ),
}


def add(app: typer.Typer, name: str) -> None:
    """Load a command, or a group, and add it to the application."""
    found = COMMANDS[name]
    loaded: Any = import_module(f"exam_core.cli.{found.module}")
    if found.function:
        app.command(name)(getattr(loaded, found.function))
    else:
        app.add_typer(loaded.app, name=name)


def mention(app: typer.Typer, name: str) -> None:
    """Add what a command is for, for the list of all: nothing is loaded."""
    app.command(name, help=COMMANDS[name].about)(_nothing)


def _nothing() -> None:
    """Stands for a command in the list of all."""
