"""`examboard import ...`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from exam_core.cli import common as cli
from exam_core.cli.common import Columns, Commands, Into, Listing, Source, open_store, print_imported, progress_bar
from exam_core.errors import UsageError
from exam_core.progress import Progress
from exam_core.request import RunName
from exam_core.tables import OFFICIAL
from exam_core.wording import counted

if TYPE_CHECKING:
    from exam_core.actions.committing import ImportResult

SCALE_HELP = (
    "Scale of the labels, for instance 0-3; the default tau is one below its end, 5 at most. By default the scale of "
    "the prompt if known, else of the judgments, else guessed from the labels."
)
IMPORT_FIELDS = ["id", "file", "source", "created", "by", "counts"]
RUN = "Name of the run, in place of the run_id of its lines; all lines must name the same run."
Replace = Annotated[bool, typer.Option("--replace", help="Replace a run of the same name; refused without it.")]
Column = Annotated[
    str | None,
    typer.Option(help="Column or measure that is the score or label, such as nDCG@10, if the file has several."),
]
FILES = "files"


class _KindOrFiles(Listing):
    """Commands for kinds of files; where none is named, files of any kinds are meant."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        named = not args or args[0] in self.commands or args[0] in ("-h", "--help")
        return super().parse_args(ctx, args if named else [FILES, *args])


class _Imports(Commands):
    """Commands for kinds of files: each takes names of columns."""

    def command(self, *named: Any, **options: Any) -> Callable[..., Any]:
        """Add a command; the function stays as it is."""
        add = super().command(*named, **options)

        def decorate(function: Callable[..., None]) -> Callable[..., None]:
            options = signature(function).parameters.keys()
            reads = "collection" in options and bool({"file", "files"} & options) and "columns" not in options
            add(naming_columns(function, named[0] if named else function.__name__) if reads else function)
            return function

        return decorate


def naming_columns(function: Callable[..., None], kind: str) -> Callable[..., None]:
    """A command that reads files of a kind, and an option for what their columns are.

    What is named is kept for later files of the same header.
    """

    @wraps(function)
    def run(columns: str | None, **fields: Any) -> None:
        from exam_core.actions.import_plans import named_before, remember_columns
        from exam_core.formats.column_names import as_before, asked_columns, naming
        from exam_core.formats.registry import known_kinds

        own = known_kinds()[kind].columns_named(asked_columns(columns or ""))
        given = [fields.get("file"), *(fields.get("files") or ())]
        paths = [path for path in given if isinstance(path, Path) and path.is_file()]
        store = open_store()
        with ExitStack() as stack:
            stack.enter_context(naming(own))
            before = {} if own else named_before(store, kind, paths)
            for path, named in before.items():
                stack.enter_context(naming(named, path))
            function(**fields)
        remember_columns(store, [(path, kind, own) for path in paths] if own else [])
        for path, named in before.items():
            cli.say(as_before(path, named), err=True)

    hints = get_type_hints(function, include_extras=True)
    own = [parameter.replace(annotation=hints[name]) for name, parameter in signature(function).parameters.items()]
    last = Parameter("columns", Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=Columns)
    run.__signature__ = Signature([*own, last])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, last)}
    del run.__wrapped__
    return run


app = _Imports(cls=_KindOrFiles, help="Add files to a collection.", no_args_is_help=True)


@contextmanager
def _reading(kind: str, collection: str, *files: Path) -> Iterator[tuple[list[Path], Progress]]:
    """Files that can be read again, and a bar; a refusal names the kind of a file that is of another one."""
    from exam_core.formats.lines import LONGEST_CORPUS, settled
    from exam_core.formats.sniffing import naming_the_kind
    from exam_core.store.summary import has_official

    def is_judged() -> bool:
        return has_official(open_store(), collection)

    with ExitStack() as stack:
        most = LONGEST_CORPUS if kind == "passages" else None
        paths = [stack.enter_context(settled(file, most)) for file in files]
        for path in paths:
            stack.enter_context(naming_the_kind(kind, path, collection, is_judged))
        what = "runs" if kind == "run" else paths[0].name
        yield paths, stack.enter_context(progress_bar(f"Reading {what}"))


def import_by(
    verb: Callable[..., ImportResult], kind: str, collection: str, *files: Path, by_file: bool = False, **fields: Any
) -> ImportResult:
    """Import files of a kind by its verb, which takes `fields`; `by_file`: runs are named after files, which a pipe has
    not.
    """
    from exam_core.formats.trec_tables import names_no_run

    with _reading(kind, collection, *files) as (paths, progress):
        piped = [path for path, file in zip(paths, files, strict=True) if path != file]
        if piped and (by_file or (not fields.get("name") and any(names_no_run(kind, path) for path in piped))):
            raise UsageError("A pipe has no file name that could name the run. Name it yourself with --name.")
        return verb(open_store(), collection, *paths, **fields, progress=progress)


def import_and_print(
    verb: Callable[..., ImportResult], kind: str, collection: str, *files: Path, **fields: Any
) -> None:
    """As `import_by`, and say what the import brought."""
    print_imported(import_by(verb, kind, collection, *files, **fields))


@app.command(FILES)
def any_files(
    files: Annotated[list[Path], typer.Argument(help="Files and folders, of any kinds.", show_default=False)],
    collection: Annotated[
        str | None, typer.Option(help="Collection to add to, by default of the folder's name; it is made if new.")
    ] = None,
    skip_unknown: Annotated[bool, typer.Option("--skip-unknown", help="Leave out files of unknown kinds.")] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Also import files that share no query with the collection.")
    ] = False,
    replace: Replace = False,
    column: Column = None,
    columns: Columns = None,
) -> None:
    """Files and folders of any kinds: each is recognised, all are imported or none. The word `files` may be left out.

    Banks, leaderboards, judgments and grading modes take the names of their files. A single file of judgments is named
    official.

    Example: examboard import files mydata/

    Example: examboard import runs/*.run topics.tsv qrels.txt --collection mine
    """
    from exam_core.cli.import_files import bring, refuse_typing_errors

    refuse_typing_errors(files)
    if [file.suffix for file in files] == [".duckdb"]:
        duckdb(files[0])
        return
    flags = {"skip_unknown": skip_unknown, "anyway": anyway, "replace": replace}
    bring(files, collection, **flags, column=column, columns=columns or "")


@app.command()
def workbench(
    file: Source,
    collection: Into,
    bank: Annotated[str | None, typer.Option(help="Name of the bank that the graded questions form.")] = None,
    grader: Annotated[str | None, typer.Option(help="Name of the only grader of the file.")] = None,
) -> None:
    """Graded passages: JSONL of the authors' workbench with rankings and judgments, or a table of grades.

    A table has a row for each passage and question: query_id, doc_id, question_id, grade, and perhaps grader.

    Example: examboard import workbench graded.jsonl.gz --collection dl19 --bank genq

    Example: examboard import workbench grades.csv --collection mine
    """
    from exam_core.actions import importing

    import_and_print(importing.import_workbench, "workbench", collection, file, bank=bank, grader=grader)


@app.command()
def run(
    files: Annotated[list[Path], typer.Argument(help="TREC run files, or tables.", show_default=False)],
    collection: Into,
    name: Annotated[str | None, typer.Option(help="Name of the run, in place of its sixth column.")] = None,
    name_from: Annotated[RunName, typer.Option(help="Name runs by their sixth column, or by their file.")] = "tag",
    replace: Replace = False,
) -> None:
    """TREC runs, whose sixth column is a run's name, or tables with a header, or JSON: query, doc, rank, score, run.

    Many tools write one name into every file: --name-from file names each run after its file.

    Example: examboard import run runs/*.run --collection dl19

    Example: examboard import run bm25.txt rm3.txt --name-from file --collection dl19
    """
    from exam_core.actions import importing_runs

    named: dict[str, Any] = {"name": name, "name_from": name_from, "replace": replace}
    import_and_print(importing_runs.import_run, "run", collection, *files, by_file=name_from == "file", **named)


@app.command()
def qrels(
    file: Source,
    collection: Into,
    name: Annotated[str, typer.Option(help="Name of the judgments.")] = OFFICIAL,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace judgments of the same name and other queries; refused without it."),
    ] = False,
    column: Column = None,
) -> None:
    """Human judgments (TREC qrels, a table with a header such as BEIR's, or JSON).

    Example: examboard import qrels qrels.dl19-passage.txt --collection dl19
    """
    from exam_core.actions import importing

    import_and_print(importing.import_qrels, "qrels", collection, file, name=name, column=column, replace=replace)


@app.command()
def topics(file: Source, collection: Into) -> None:
    """Query texts (a table, JSON, TREC's <top> or XML), filled in by id.

    Example: examboard import topics topics.dl19-passage.txt --collection dl19
    """
    from exam_core.actions import importing

    import_and_print(importing.import_topics, "topics", collection, file)


@app.command()
def passages(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Files or folders of a corpus; gzip, bzip2, xz and zstd are recognised.", show_default=False
        ),
    ],
    collection: Into,
    every: Annotated[
        bool, typer.Option("--all", help="Keep all passages, also those that no run or judgment names.")
    ] = False,
    no_title: Annotated[bool, typer.Option("--no-title", help="Leave titles out of the texts.")] = False,
) -> None:
    """Texts of passages from a corpus: JSON lines (id, text, perhaps title) or a table with tabs, filled in by id.

    Passages that a run, a judgment or a grade of the collection names are kept. A folder holds corpus.jsonl, as BEIR's
    does, or the parts of a corpus.

    Example: examboard import passages corpus.jsonl.gz --collection scifact

    Example: examboard import passages collection.tsv --collection dl19
    """
    from exam_core.actions import importing_passages

    fields = {"every": every, "titles": not no_title}
    import_and_print(importing_passages.import_passages, "passages", collection, *files, **fields)


@app.command()
def bank(file: Source, collection: Into, bank: Annotated[str, typer.Option(help="Name of the bank.")]) -> None:
    """A question bank or nugget bank in any format; texts are filled in by id, a changed bank is a new version.

    Example: examboard import bank dl19-genq.jsonl.gz --bank genq --collection dl19
    """
    from exam_core.actions import importing

    import_and_print(importing.import_bank, "bank", collection, file, bank=bank)


@app.command()
def leaderboard(
    files: Annotated[list[Path], typer.Argument(help="Tables, or output of evaluation tools.", show_default=False)],
    collection: Into,
    name: Annotated[str, typer.Option(help="Name of the leaderboard.")],
    column: Column = None,
    run: Annotated[str | None, typer.Option(help="Name of the run whose values the file holds.")] = None,
    name_from: Annotated[
        RunName, typer.Option(help="Name runs by the line runid of their file, or by the file.")
    ] = "tag",
) -> None:
    """Leaderboards: tables of runs (CSV, TSV), output of trec_eval or ir_measures, or run, measure, topic, value.

    Files of one run each make one leaderboard. Values by topic are kept, for correlations by query and tests.

    Example: examboard import leaderboard official_dl19.csv --collection dl19 --name official

    Example: examboard import leaderboard *.treceval --name-from file --column map --collection dl19 --name map
    """
    from exam_core.actions import importing_boards

    named: dict[str, Any] = {"name": name, "read_as": importing_boards.ReadAs(column, run, name_from)}
    by_file = name_from == "file"
    import_and_print(importing_boards.import_leaderboard, "leaderboard", collection, *files, by_file=by_file, **named)


@app.command()
def labels(
    file: Source,
    collection: Into,
    grader: Annotated[str, typer.Option(help="Name of the grading mode.")],
    scale: Annotated[str | None, typer.Option(help=SCALE_HELP)] = None,
    column: Column = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the grader's labels of other queries; refused without it.")
    ] = False,
) -> None:
    """Labels that a grading mode gave to passages (qrels, a table with a header, or JSON).

    Example: examboard import labels umbrela.qrel.gz --grader umbrela --scale 0-3 --collection dl19
    """
    from exam_core.actions import importing

    fields: dict[str, Any] = {"grader": grader, "written": importing.LabelForm(scale, column), "replace": replace}
    import_and_print(importing.import_labels, "labels", collection, file, **fields)


@app.command()
def duckdb(file: Source) -> None:
    """Every collection of a file that `export duckdb` wrote.

    Example: examboard import duckdb shared.duckdb
    """
    from exam_core.actions import importing
    from exam_core.formats.lines import LONGEST_CORPUS, STANDARD_INPUT, settled

    if file == STANDARD_INPUT:
        raise UsageError("An exported store can't be read from standard input: save it as a file.")
    with settled(file, LONGEST_CORPUS, text=False) as path:
        for done in importing.import_shared(open_store(), path):
            print_imported(done)


@app.command("list")
def list_imports(
    collection: Annotated[str, typer.Option(help="The collection.")], form: cli.FormatOption = cli.OutputForm.TABLE
) -> None:
    """The imports that a collection consists of, oldest first, each with the id to undo it by.

    Example: examboard import list --collection dl19
    """
    import pandas as pd

    sources = open_store().snapshot(collection).sources
    rows = [{name: source.get(name, "") for name in IMPORT_FIELDS} for source in sources]
    frame = pd.DataFrame(rows, columns=IMPORT_FIELDS)
    cli.print_object(rows, frame.assign(counts=[counted(source["counts"]) for source in sources]), form)


@app.command()
def undo(
    collection: Annotated[str, typer.Option(help="The collection.")],
    import_id: Annotated[
        str | None,
        typer.Argument(help="ID of the import, as in `import list`; by default your newest.", show_default=False),
    ] = None,
) -> None:
    """Take an import back; the data that it replaced count again. Without an id, your newest import is taken back, with
    all that came with it.

    Example: examboard import undo --collection dl19
    """
    from exam_core.actions import undoing

    cli.say(undoing.undo_import(open_store(), collection, import_id).sentence)
