"""One function for each analysis: options in, an answer out. Values are those of `analysis`; none is computed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from exam_core.analysis.beside.grid import GRID
from exam_core.analysis.causes import explanation, outliers
from exam_core.analysis.causes.circularity import ROWS as TAGGED
from exam_core.analysis.chance.fidelity import PAIRS as PAIRS_OF_RUNS
from exam_core.analysis.chance.fidelity import ROWS as TOLD_APART
from exam_core.analysis.columns import TAU
from exam_core.analysis.evaluation.by_query import BY_QUERY, by_query
from exam_core.analysis.evaluation.choice import TAUS
from exam_core.analysis.evaluation.choosing import MOST_DRAWS, check_draws, check_range, leave_out, usual
from exam_core.analysis.evaluation.leaderboard import ROWS, title
from exam_core.analysis.evaluation.references import refuse_without_values
from exam_core.analysis.figures import figures_of
from exam_core.analysis.figures.graded import Graded
from exam_core.analysis.figures.printed import Printed
from exam_core.analysis.figures.protocol import Sampling
from exam_core.analysis.holdings import tagged
from exam_core.analysis.judges import matrices
from exam_core.analysis.judges import votes as voting
from exam_core.analysis.judges.agreement import PER_QUERY
from exam_core.analysis.reviews.boards import corrected_boards
from exam_core.analysis.reviews.corrected import ROWS as CORRECTED_ROWS
from exam_core.asked import Asked
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.notebook import drawing
from exam_core.notebook.answer import Answer, described
from exam_core.notebook.options import ALL, asked_of
from exam_core.reports.agreement import ROW, agreement_lines, agreement_rows, per_query_rows
from exam_core.reports.answers import (
    CORRECTED,
    agreement_answer,
    corrected_answer,
    correlation_answer,
    leaderboard_answer,
    with_corrected,
)
from exam_core.reports.boards import board_lines, corrected_lines
from exam_core.reports.circularity import circularity_answer, circularity_question, circularity_sentences
from exam_core.reports.coefficients import CORRELATED
from exam_core.reports.displaced import Displacing, displaced
from exam_core.reports.fidelity import fidelity_answer, fidelity_lines
from exam_core.reports.grid import method_grid_answer
from exam_core.reports.stability import undefined_answer
from exam_core.reports.votes import votes_answer, votes_lines
from exam_core.results import ResultColumn, ResultTable
from exam_core.store import Snapshot, Store
from exam_core.store.reviews import reviews_of

Options = Mapping[str, Any]


def evaluate(snapshot: Snapshot, options: Options) -> Answer:
    """A measure for every run and query."""
    figures, (asked, taus) = _figures(snapshot, options), _asked(snapshot, options)
    choice = figures.evaluation(asked)
    if choice is None:
        raise UsageError(f"{snapshot.collection} has printed figures only: no values by query are printed.")
    if not taus:
        rows = by_query(figures.snapshot, choice)
        return Answer(f"{snapshot.collection} {title(choice)}, query by query", described(rows, BY_QUERY))
    frames = [by_query(figures.snapshot, replace(choice, tau=tau)).assign(tau=tau) for tau in taus]
    rows = described(pd.concat(frames, ignore_index=True), _with(BY_QUERY, TAU))
    return Answer(f"{snapshot.collection} {asked.measure}, query by query, at every tau", rows)


def leaderboard(store: Store, snapshot: Snapshot, options: Options) -> Answer:
    """Runs by a measure; of the store are the reviews that correct it."""
    figures, (asked, taus) = _figures(snapshot, options), _asked(snapshot, options)
    boards = figures.boards(asked, taus)
    answers, frames = [leaderboard_answer(board) for board in boards], [ROWS.of(board.rows) for board in boards]
    notes, table = [line for board in boards for line in board_lines(board)[0 if taus else 1 :]], ROWS
    if options["corrected"]:
        by_reviews = corrected_boards(figures, asked, taus, reviews_of(store, figures.snapshot))
        answers = [corrected_answer(*both) for both in zip(answers, by_reviews, strict=True)]
        frames = [with_corrected(*both) for both in zip(frames, by_reviews, strict=True)]
        notes += [line for one in by_reviews for line in corrected_lines(one)]
        table = _with(table, *(CORRECTED_ROWS[name] for name in CORRECTED if name in CORRECTED_ROWS.by_name))
        table = _with(table, replace(CORRECTED_ROWS["rank"], name="corrected_rank", label="Corrected rank"))
    if len(boards) > 1:
        frames = [frame.assign(tau=board.tau) for frame, board in zip(frames, boards, strict=True)]
    first = boards[0]
    return Answer(
        f"{first.collection} {first.measure} at every tau" if taus else f"{first.collection} {first.title}",
        described(pd.concat(frames, ignore_index=True), _with(table, TAU)),
        notes,
        told=answers if taus else answers[0],
        draw=lambda: drawing.boards({board.title: board for board in boards}),
    )


def correlate(snapshot: Snapshot, options: Options) -> Answer:
    """Coefficients of a leaderboard and its reference."""
    asked, taus = _asked(snapshot, options)
    found = _figures(snapshot, options).correlations(asked, taus)
    told = correlation_answer(found)
    rows = described(CORRELATED.of(pd.DataFrame(told, columns=CORRELATED.names)), CORRELATED)
    against = " and ".join(dict.fromkeys(one.reference for one in found)) or "nothing"
    return Answer(
        f"{snapshot.collection} against {against}",
        rows,
        [note for one in found for note in one.notes],
        told=told,
        draw=lambda: drawing.coefficients(rows),
    )


def agreement(snapshot: Snapshot, options: Options) -> Answer:
    """Labels against human judgments."""
    judgments = str(options["judgments"])
    asked, _ = asked_of({name: value for name, value in options.items() if name != "judgments"})
    if asked.reference:
        refuse_without_values(snapshot, asked.reference)
    found = figures_of(snapshot, options["grader"]).agreement(asked, judgments)
    cells = matrices.graded_cells(found) if matrices.is_graded(found) else matrices.binary_cells(found)
    tables = {
        "confusion": agreement_rows(found, "table"),
        "graded": described(cells, matrices.MATRIX),
        "per query": described(per_query_rows(found), PER_QUERY),
    }
    cut = f"tau {found.tau}, relevant from {found.relevant_from}"
    whose = f" of {found.grader}" if found.grader else ""
    return Answer(
        f"{snapshot.collection} agreement{whose} with {judgments} at {cut}",
        described(agreement_rows(found, "csv"), ROW),
        agreement_lines(found),
        tables=tables,
        told=agreement_answer(found, collection=snapshot.collection),
        draw=lambda: drawing.cells(cells, found.tau, found.relevant_from),
    )


def displacements(snapshot: Snapshot, options: Options) -> Answer:
    """How far each run is displaced, and why one is."""
    figures, asked = _figures(snapshot, options), _at_one_tau(snapshot, options, "outliers look")
    modes = options["graders"] or ([asked.grader] if asked.grader else [])
    sampling = Sampling(options["draws"], options["seed"])
    wanted = Displacing(options["measures"] or [asked.measure], modes, sampling, options["run"], options["top"])
    done = displaced(figures, asked, wanted)
    tables = {
        "methods": described(done.found.methods, outliers.METHODS),
        "combined": described(done.found.combined, outliers.COMBINED),
    }
    if why := done.explained:
        tables |= {
            "queries": described(why.queries, explanation.QUERIES),
            "questions": described(why.questions, explanation.QUESTIONS),
            "passages": described(why.passages, explanation.PASSAGES),
        }
    return Answer(
        f"{snapshot.collection}: displacement against {done.found.reference}",
        described(done.found.rows, outliers.ROWS),
        done.found.notes,
        tables=tables,
        told=done.answer,
        draw=lambda: drawing.displacements(done.found, done.explained),
    )


def grid(snapshot: Snapshot, options: Options) -> Answer:
    """Every grading mode at every tau under several measures."""
    asked, _ = asked_of(options)
    taus = TAUS if options["taus"] == ALL else sorted(set(options["taus"]))
    for tau in taus:
        check_range("--taus", tau, TAUS[0], TAUS[-1])
    measures = [Measure.parse(name) for name in options["measures"] or ()]
    found = _figures(snapshot, options).grid(asked, measures, options["graders"] or (), list(taus))
    return Answer(
        f"{snapshot.collection} against {found.reference}",
        described(found.rows, GRID),
        found.notes,
        told=method_grid_answer(found),
        draw=lambda: drawing.modes(found),
    )


def fidelity(snapshot: Snapshot, options: Options) -> Answer:
    """Pairs of runs that the grader and the judgments tell apart."""
    figures, asked = _figures(snapshot, options), _at_one_tau(snapshot, options, "fidelity looks")
    check_draws(options["draws"], options["seed"])
    check_range("--top", options["top"], 2, MOST_DRAWS)
    question = figures.question(asked)
    found = figures.fidelity(asked, options["test"], Sampling(options["draws"], options["seed"]), options["top"])
    if found is None:
        return _undefined("fidelity", undefined_answer(question, "test", TOLD_APART), TOLD_APART)
    return Answer(
        f"{snapshot.collection}: significantly different runs by {found.title} and {found.reference}",
        described(found.rows, TOLD_APART),
        [*fidelity_lines(found), *found.notes],
        tables={"pairs": described(found.pairs, PAIRS_OF_RUNS)},
        told=fidelity_answer(question, found),
        draw=lambda: drawing.told_apart(found.rows),
    )


def votes(snapshot: Snapshot, options: Options) -> Answer:
    """What grading modes are worth together."""
    check_draws(options["draws"], options["seed"])
    graders, judgments = options["graders"] or [], str(options["judgments"])
    asked = Asked(**{name: options[name] for name in ("bank", "label_rank", "relevant_from")})
    sampling = Sampling(options["draws"], options["seed"])
    found = figures_of(snapshot, *graders).votes(asked, graders, sampling, judgments)
    if found is None:
        question = {"collection": snapshot.collection}
        return _undefined("votes", undefined_answer(question, "vote on", voting.ROWS), voting.ROWS)
    return Answer(
        f"{snapshot.collection}: {len(found.graders)} grading modes that vote",
        described(found.rows, voting.ROWS),
        [*votes_lines(found), *found.notes],
        tables={
            "pairs": described(found.pairs, voting.PAIRS),
            "thresholds": described(found.thresholds, voting.THRESHOLDS),
        },
        told=votes_answer(found, collection=snapshot.collection),
        draw=(lambda: drawing.accuracies(found.rows)) if found.judged else None,
    )


def circularity(snapshot: Snapshot, options: Options) -> Answer:
    """Displacement of tagged runs."""
    check_draws(options["draws"], options["seed"])
    figures, asked = _figures(snapshot, options), _at_one_tau(snapshot, options, "circularity looks")
    measures = options["measures"] or [asked.measure]
    graders = options["graders"] or ([asked.grader] if asked.grader else [])
    sampling = Sampling(options["draws"], options["seed"])
    found = figures.circularity(asked, measures, graders, options["tag"] or [], sampling)
    question = circularity_question(snapshot.collection, asked, graders, measures)
    if found is None:
        return _undefined("circularity", undefined_answer(question, "leave out", TAGGED), TAGGED)
    return Answer(
        f"{snapshot.collection}: displacement of tagged runs against {found.reference}",
        described(found.rows, TAGGED),
        [*circularity_sentences(found), *found.notes],
        told=circularity_answer(question, found),
        draw=lambda: drawing.tagged(found.rows, found.reference),
    )


def tags(snapshot: Snapshot) -> Answer:
    """What is known of runs that may make a grader prefer them."""
    rows = tagged.listed_tags(snapshot)
    return Answer(
        f"{snapshot.collection}: tags of runs",
        described(rows, tagged.LISTED),
        tables={"runs": described(tagged.tags_of_runs(snapshot), tagged.RUNS)},
        told={"collection": snapshot.collection, "rows": rows, "notes": []},
    )


def _undefined(what: str, answer: Mapping[str, Any], table: ResultTable) -> Answer:
    """The answer where only printed figures are known: no rows, no figure, and a sentence."""
    return Answer(f"{answer['collection']}: {what}", described(answer["rows"], table), answer["notes"], told=answer)


def _asked(snapshot: Snapshot, options: Options) -> tuple[Asked, list[int]]:
    """What is asked for, with what is usual for the collection, and the taus where all of them are."""
    asked, taus = asked_of({name: value for name, value in options.items() if name != "measure"})
    return usual(snapshot, asked, options["measure"]), taus


def _at_one_tau(snapshot: Snapshot, options: Options, looks: str) -> Asked:
    """What is asked for, of an analysis that looks at one tau."""
    asked, taus = _asked(snapshot, options)
    if taus:
        raise UsageError(f"tau='all': {looks} at one tau; choose 1 to 5.")
    return asked


def _figures(snapshot: Snapshot, options: Options) -> Graded | Printed:
    """The collection's figures, without the runs that are left out."""
    named = (options.get("grader"), *(options.get("graders") or []), options.get("reference"))
    return figures_of(leave_out(snapshot, options["without"] or []), *named)


def _with(table: ResultTable, *columns: ResultColumn) -> ResultTable:
    """The table with more columns, as where rows of several taus stand below each other."""
    return ResultTable(table.name, table.meaning, *table.columns, *columns)
