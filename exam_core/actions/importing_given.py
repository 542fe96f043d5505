"""Imports of what is in Python already, without files: checked, committed and undone as files are."""

from __future__ import annotations

from typing import Any

from exam_core.actions.committing import (
    Imported,
    add_commit,
    commit_origin,
    nothing_in,
    refuse_blank,
    refuse_nothing,
)
from exam_core.actions.importing import commit_runs, keep_known, prepared_runs
from exam_core.errors import visible
from exam_core.formats.given import described, given_dataset, given_qrels, given_run, given_topics
from exam_core.store import Store
from exam_core.store.commits import Origin
from exam_core.tables import OFFICIAL


def import_given_run(store: Store, collection: str, run: Any, *, name: str | None = None) -> Imported:
    """Import a run that is in Python; one of the same name that is there already is replaced.

    Parameters
    ----------
    run : see `given_run`
    name : the run's name, where no column has it
    """
    if name is not None:
        refuse_blank("name", name)
    reading = given_run(run, name)
    refuse_nothing("The run", reading)
    runs = list(dict.fromkeys(reading.frames["rankings"]["run_id"].tolist()))
    done = Imported(collection, changed=False, counts=reading.counts, notes=list(reading.notes))
    return commit_runs(store, collection, done, [prepared_runs(store, collection, reading, runs, described(run))], runs)


def import_given_qrels(store: Store, collection: str, qrels: Any, *, name: str = OFFICIAL) -> Imported:
    """Import judgments that are in Python, under a name; those of the same name are replaced."""
    refuse_blank("name", name)
    reading = given_qrels(qrels, qrels_id=name)
    refuse_nothing("The judgments", reading)
    origin = Origin(f"qrels:{name}", described(qrels))
    return commit_origin(store, collection, reading, origin, [("judgments", name)])


def import_given_topics(store: Store, collection: str, topics: Any) -> Imported:
    """Import texts of queries that are in Python; queries that the collection doesn't have are left out and counted."""
    reading = given_topics(topics)
    refuse_nothing("The topics", reading)
    keep_known(store, collection, "The topics", reading)
    return commit_origin(store, collection, reading, Origin("topics:Python", described(topics)))


def import_dataset(store: Store, collection: str, dataset: Any, *, name: str = OFFICIAL) -> Imported:
    """Import judgments and topics of a data set of ir_datasets, both or none.

    Parameters
    ----------
    dataset : its id, for instance msmarco-passage/trec-dl-2019/judged, or the data set itself
    name : of the judgments

    Raises
    ------
    BadInput : ir_datasets is not installed or has no such data set, or what it has can't be taken
    """
    refuse_blank("name", name)
    dataset_id, qrels, topics = given_dataset(dataset)
    dataset_id = visible(dataset_id, line_ends=False)
    file, done = f"ir_datasets {dataset_id}", Imported(collection, changed=False)
    prepared = []
    if qrels:
        reading = given_qrels(qrels, qrels_id=name)
        prepared.append(store.prepare(collection, reading, Origin(f"qrels:{name}", file), owns=[("judgments", name)]))
        done.counts |= {"judgments": reading.counts["judgments"]}
        done.notes += reading.notes
    if topics:
        reading = given_topics(topics)
        judged = {record.query_id for record in qrels or ()}
        keep_known(store, collection, file, reading, also=judged)
        prepared.append(store.prepare(collection, reading, Origin(f"topics:{dataset_id}", file)))
        done.counts |= {"queries": reading.counts["queries"]}
        done.notes += reading.notes
    if not prepared:
        raise nothing_in(file)
    for committed in store.commit_together(prepared):
        add_commit(done, committed)
    return done
