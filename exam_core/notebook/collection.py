"""A collection in a notebook: what can be asked of it, and what can be brought into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exam_core import answers
from exam_core.answers.answer import Answer, described
from exam_core.errors import UsageError
from exam_core.formats.lines import settled
from exam_core.formats.sniffing import naming_the_kind
from exam_core.notebook.analysis_methods import method, refuse_no_text
from exam_core.store import Snapshot, Store
from exam_core.tables import OFFICIAL, TABLES

if TYPE_CHECKING:
    import pandas as pd

    from exam_core.actions.committing import ImportResult


class Collection:
    """A collection of a store. Each answer is about the collection as it is at that moment.

    What can be asked has the options of the command line, by name: `help(eb.Collection.leaderboard)`. What is wrong is
    said in one message, an `eb.ExamboardError`. In examples `store` is `eb.open("store")`, with the demo.
    """

    def __init__(self, store: Store, name: str) -> None:
        self._store, self.name = store, name

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Answer]:
            """Each analysis is a method: `_with_analyses`."""

    def __repr__(self) -> str:
        return f"Collection {self.name} of {self._store.path}"

    def tags(self) -> Answer:
        """A row for each run and tag, as `examboard tags`; `tables` has every run with its tags.

        >>> len(store["demo"].tags().tables["runs"])
        15
        """
        from exam_core.analysis import contents

        snapshot = self._snapshot()
        rows = contents.listed_tags(snapshot)
        return Answer(
            f"{self.name}: tags of runs",
            described(rows, contents.LISTED),
            tables={"runs": described(contents.tags_of_runs(snapshot), contents.RUNS)},
            text={"collection": self.name, "rows": rows, "notes": []},
        )

    def table(self, name: str) -> pd.DataFrame:
        """A table of the store, as docs/reference/data-dictionary.md has it: rankings, judgments, grades, ...

        Raises ExamboardError where there is no such table.

        >>> store["demo"].table("judgments")[["query_id", "doc_id", "relevance"]].head(2)
          query_id   doc_id  relevance
        0  demo-01  skin-01          3
        1  demo-01  skin-02          3
        """
        if name not in TABLES:
            raise UsageError(f"There is no table {name!r:.80}. There are: {', '.join(TABLES)}.")
        rows = self._snapshot().frame(name)
        rows.attrs = {"table": name, "meanings": {column.name: column.meaning for column in TABLES[name].columns}}
        return rows

    def import_run(self, run: Any, *, name: str | None = None, replace: bool = False) -> ImportResult:
        """Bring a run: a PyTerrier result frame, ir_measures' records, a dictionary of dictionaries, or a TREC file.

        Parameters
        ----------
        run : DataFrame with qid, docno and score (or query_id, doc_id, score), perhaps rank and run_id; records with
            query_id, doc_id and score; {query: {passage: score}}; or the path of a file
        name : the run's name, where no column has it; of a file, whatever its column says
        replace : whether it may take the place of another run of its name, which is refused else

        Raises ExamboardError where a column is missing, an id is no text, a score no number, a passage has two scores,
        or another run of that name is there.

        >>> store.new("runs").import_run({"q1": {"d1": 2.0, "d2": 1.0}}, name="bm25").counts
        {'runs': 1, 'rankings': 2}
        """
        if name is not None:
            refuse_no_text(name=name)
        return self._bring("run", run, name=name, replace=replace)

    def import_qrels(self, qrels: Any, *, name: str = OFFICIAL, replace: bool = False) -> ImportResult:
        """Bring human judgments: a frame, ir_measures' records, a dictionary of dictionaries, or a TREC file.

        Parameters
        ----------
        qrels : DataFrame with qid, docno and label (or query_id, doc_id, relevance); records with query_id, doc_id and
            relevance; {query: {passage: relevance}}; or the path of a file
        name : of the judgments
        replace : whether they may take the place of judgments of that name and all other queries, refused else

        Raises ExamboardError where a column is missing, an id is no text, a relevance no whole number, or a passage has
        two.

        >>> store.new("judged").import_qrels({"q1": {"d1": 2, "d2": 0}}).counts
        {'queries': 1, 'judgments': 2}
        """
        refuse_no_text(name=name)
        return self._bring("qrels", qrels, name=name, replace=replace)

    def import_labels(
        self, labels: Any, *, grader: str, scale: str | None = None, replace: bool = False
    ) -> ImportResult:
        """Bring labels that a grading mode gave to passages, in the forms of `import_qrels`.

        Parameters
        ----------
        labels : as judgments, with label or relevance
        grader : name of the grading mode
        scale : from 0 to the largest label, for instance '0-3'; by default it is guessed, and a note says how
        replace : whether its labels of all other queries may go; refused otherwise

        Raises ExamboardError as `import_qrels`, or where the scale is not written so.

        >>> store.new("labelled").import_labels({"q1": {"d1": 3, "d2": 0}}, grader="umbrela", scale="0-3").counts
        {'queries': 1, 'labels': 2}
        """
        refuse_no_text(grader=grader, **({} if scale is None else {"scale": scale}))
        return self._bring("labels", labels, grader=grader, scale=scale, replace=replace)

    def import_topics(self, topics: Any) -> ImportResult:
        """Bring texts of queries: a frame (qid, query), records (query_id, text), {query: text}, or a file.

        Raises ExamboardError where a column is missing, an id or a query is no text, or none is in the collection.

        >>> topics = store.new("topics")
        >>> done = topics.import_run({"q1": {"d1": 2.0}}, name="bm25")
        >>> topics.import_topics({"q1": "why is the sky blue?", "q2": "of no run"}).counts
        {'queries': 1}
        """
        return self._bring("topics", topics)

    def import_passages(self, passages: Any, *, every: bool = False, titles: bool = True) -> ImportResult:
        """Bring texts of passages: those that a run, a judgment or a grade of the collection names are kept.

        Parameters
        ----------
        passages : records such as those of ir_datasets' docs_iter(), one after the other; dictionaries, {id: text}, or
            a DataFrame (docno, text); or the path of a file or folder. A title may stand beside the text.
        every : whether all passages are kept
        titles : whether a title is put before its text

        Raises ExamboardError where an id or a text is missing, a passage has two texts, or the collection names none.

        >>> texts = store.new("texts")
        >>> done = texts.import_run({"q1": {"d1": 2.0}}, name="bm25")
        >>> texts.import_passages({"d1": "Air scatters blue light.", "d2": "Of no run."}).counts
        {'passages': 1}
        """
        return self._bring("passages", passages, every=every, titles=titles)

    def undo(self, import_id: str | None = None) -> str:
        """Take an import back, by default your newest; returns what happened, in a sentence.

        `ImportResult.import_ids` and `examboard import list` name the ids.

        >>> undone = store.new("undone")
        >>> done = undone.import_run({"q1": {"d1": 2.0}}, name="bm25")
        >>> undone.undo().rpartition("is undone. ")[2]
        'Nothing else was in it, so the collection is gone.'
        """
        from exam_core.actions import undoing

        if import_id is not None:
            refuse_no_text(import_id=import_id)
        return undoing.undo_import(self._store, self.name, import_id).sentence

    def _snapshot(self) -> Snapshot:
        return self._store.snapshot(self.name)

    def _bring(self, kind: str, value: Any, **named: Any) -> ImportResult:
        """Import a file by its path, or what is in memory."""
        from exam_core.actions import importing
        from exam_core.actions.import_plans import import_of
        from exam_core.actions.importing_passages import import_given_passages

        of_given: dict[str, Any] = {
            "run": importing.import_given_run,
            "qrels": importing.import_given_qrels,
            "labels": importing.import_given_labels,
            "topics": importing.import_given_topics,
            "passages": import_given_passages,
        }
        if not isinstance(value, str | Path):
            return of_given[kind](self._store, self.name, value, **named)
        with settled(Path(value)) as path, naming_the_kind(kind, path, self.name):
            return import_of(kind)(self._store, self.name, path, **named)


for _name in answers.names():
    setattr(Collection, _name, method(_name))
