"""Imports of what is in Python already, without files: checked, committed and undone as files are."""

from __future__ import annotations

from typing import Any

from exam_core.actions.committing import Imported, commit_all, nothing_in, refuse_blank, refuse_nothing
from exam_core.actions.importing import commit_labels, declared_scale, keep_known_queries
from exam_core.actions.importing_runs import bringing_runs, commit_runs
from exam_core.actions.replacing import Bringing
from exam_core.actions.verbs import verb
from exam_core.errors import visible
from exam_core.formats.given import described, given_dataset, given_labels, given_qrels, given_run, given_topics
from exam_core.store import Store
from exam_core.store.commits import Origin
from exam_core.tables import OFFICIAL


@verb("edit")
def import_given_run(
    store: Store, collection: str, run: Any, *, name: str | None = None, replace: bool = False
) -> Imported:
    """Import a run that is in Python. Raises BadInput where it is no run, or a run of that name is there.

    Parameters
    ----------
    run, name : see `given_run`
    replace : whether it may take the place of another run of its name; one with the same rankings always may
    """
    if name is not None:
        refuse_blank("name", name)
    reading = given_run(run, name)
    refuse_nothing("The run", reading)
    runs = list(dict.fromkeys(reading.frames["rankings"]["run_id"].tolist()))
    return commit_runs(store, collection, [bringing_runs(reading, runs, described(run))], _remedy(replace=replace))


def _remedy(*, replace: bool) -> str | None:
    return None if replace else "Give another name, or add replace=True to replace what is stored."


@verb("edit")
def import_given_qrels(
    store: Store, collection: str, qrels: Any, *, name: str = OFFICIAL, replace: bool = False
) -> Imported:
    """Import judgments that are in Python, under a name; those of the same name are replaced, as by `import_qrels`."""
    refuse_blank("name", name)
    reading = given_qrels(qrels, qrels_id=name)
    refuse_nothing("The judgments", reading)
    origin = Origin(f"qrels:{name}", described(qrels))
    return commit_all(store, collection, [Bringing(reading, origin, [("judgments", name)])], _remedy(replace=replace))


@verb("edit")
def import_given_labels(
    store: Store, collection: str, labels: Any, *, grader: str, scale: str | None = None, replace: bool = False
) -> Imported:
    """Import labels of a grading mode that are in Python; `scale` as of `LabelForm`."""
    refuse_blank("grader", grader)
    declared, notes = declared_scale(store, collection, grader, scale)
    reading = given_labels(labels, grader_id=grader, scale=declared)
    reading.notes += notes
    refuse_nothing("The labels", reading)
    origin = Origin(f"labels:{grader}", described(labels))
    return commit_labels(store, collection, reading, origin, _remedy(replace=replace))


@verb("edit")
def import_given_topics(store: Store, collection: str, topics: Any) -> Imported:
    """Import texts of queries that are in Python; queries that the collection doesn't have are left out and counted."""
    reading = given_topics(topics)
    refuse_nothing("The topics", reading)
    keep_known_queries(store, collection, "The topics", reading)
    return commit_all(store, collection, [Bringing(reading, Origin("topics:Python", described(topics)))])


@verb("edit")
def import_dataset(
    store: Store, collection: str, dataset: Any, *, name: str = OFFICIAL, replace: bool = False
) -> Imported:
    """Import judgments and topics of a data set of ir_datasets, both or none.

    Raises BadInput where ir_datasets is not installed or has no such data set, or what it has can't be taken.

    Parameters
    ----------
    dataset : its id, for instance msmarco-passage/trec-dl-2019/judged, or the data set itself
    name : of the judgments
    replace : as in `import_qrels`
    """
    refuse_blank("name", name)
    dataset_id, qrels, topics = given_dataset(dataset)
    dataset_id = visible(dataset_id, line_ends=False)
    file, brought = f"ir_datasets {dataset_id}", []
    if qrels:
        reading = given_qrels(qrels, qrels_id=name)
        brought.append(Bringing(reading, Origin(f"qrels:{name}", file), [("judgments", name)]))
    if topics:
        reading, judged = given_topics(topics), {record.query_id for record in qrels or ()}
        keep_known_queries(store, collection, file, reading, also=judged)
        brought.append(Bringing(reading, Origin(f"topics:{dataset_id}", file)))
    if not brought:
        raise nothing_in(file)
    return commit_all(store, collection, brought, _remedy(replace=replace))
