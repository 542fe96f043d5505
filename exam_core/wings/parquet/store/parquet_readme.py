"""What a folder of Parquet files says of itself: its tables, how tools read it, and a leaderboard by SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from exam_core.store.database import quoted
from exam_core.tables import TABLES
from exam_core.wings.parquet.formats.partitions import Partition


@dataclass(frozen=True)
class CoverBySql:
    """Whose Cover is the example: of a grader on a version of a bank."""

    grader: str
    bank: str
    version: int
    tau: int
    depth: int


@dataclass(frozen=True)
class Folder:
    """A folder that was written.

    Parameters
    ----------
    about : where it comes from, as each file says it too
    rows : of each table
    parted : tables with folders of their own, and by what
    command : that prints what the example computes
    """

    collection: str
    about: Mapping[str, str]
    rows: Mapping[str, int]
    parted: Mapping[str, Partition]
    example: CoverBySql | None = None
    command: str = ""


def readme(folder: Folder) -> str:
    """The folder's README as Markdown."""
    lines = [
        f"# {folder.collection} as Parquet",
        "",
        "Exam grades with what they are about, as Examboard exported them. "
        "Each table is a folder; each file says of itself, as Parquet metadata:",
        "",
        *(f"- `{name}`: {said}" for name, said in folder.about.items()),
        "",
        "| table | rows | files |",
        "| --- | --- | --- |",
        *(f"| {name} | {count:,} | `{_pattern(folder, name)}` |" for name, count in folder.rows.items()),
        *_about_parts(folder),
        *_reading(folder),
        *_example(folder),
        "",
        "# Columns",
        "",
        "Keys are in bold.",
    ]
    for name in folder.rows:
        lines += TABLES[name].described()
    return "\n".join(lines) + "\n"


def _pattern(folder: Folder, table: str) -> str:
    return f"{table}/{folder.parted[table].name}=*/*.parquet" if table in folder.parted else f"{table}/*.parquet"


def _about_parts(folder: Folder) -> Iterator[str]:
    named = [f"`{part.name}=` by `{part.column}`" for name, part in folder.parted.items() if name in folder.rows]
    if named:
        yield from (
            "",
            f"Folders part rows by a column that the files have too: {', '.join(named)}. Select by that column: it is "
            "always text, while tools take a folder's name for a number or a date where it looks like one. In names of "
            "folders, `%2F` is a slash, and so on; very long ones end in a hash.",
        )


def _reading(folder: Folder) -> Iterator[str]:
    table = next((name for name in folder.parted if name in folder.rows), next(iter(folder.rows)))
    yield from (
        "",
        "# Reading it",
        "",
        "In this folder, or with its path or address (`s3://...`) before the names:",
        "",
        "```python",
        f'pandas.read_parquet("{table}")',
        f'pyarrow.dataset.dataset("{table}", partitioning="hive")',
        f'polars.scan_parquet("{table}", hive_partitioning=True)',
        f'dask.dataframe.read_parquet("{table}")',
        f'spark.read.parquet("{table}")',
        "```",
        "",
        "DuckDB, for the query below too:",
        "",
        "```sql",
        *(
            f"CREATE VIEW {name} AS FROM read_parquet('{_pattern(folder, name)}', hive_partitioning = true);"
            for name in folder.rows
        ),
        "```",
    )


def _example(folder: Folder) -> Iterator[str]:
    if (one := folder.example) is None:
        return
    yield from (
        "",
        "# A leaderboard",
        "",
        f"Cover@{one.depth}, the share of a query's questions that a run's first {one.depth} passages answer, at tau "
        f"{one.tau}. It is that of `{folder.command}`, which also leaves queries out of a run's mean for which none of "
        "the run's grades can be read:",
        "",
        "```sql",
        *f"""
WITH asked AS (
    SELECT query_id, question_id FROM questions
    WHERE bank_id = {quoted(one.bank)} AND version = {one.version} AND enabled
        AND importance IS DISTINCT FROM 'avoid'
), rated AS (
    SELECT query_id, doc_id, question_id, grade
    FROM grades JOIN asked USING (query_id, question_id) WHERE grader_id = {quoted(one.grader)}
), answered AS (
    SELECT run_id, query_id, count(DISTINCT question_id) AS answers
    FROM rankings JOIN rated USING (query_id, doc_id)
    WHERE rank <= {one.depth} AND grade >= {one.tau} GROUP BY run_id, query_id
), query AS (
    SELECT query_id, count(*) AS questions FROM asked
    WHERE query_id IN (SELECT query_id FROM rated WHERE grade IS NOT NULL) GROUP BY query_id
), run AS (
    SELECT DISTINCT run_id FROM rankings
)
SELECT run_id, avg(1.0 * coalesce(answers, 0) / questions) AS mean, count(*) AS n_queries
FROM run CROSS JOIN query LEFT JOIN answered USING (run_id, query_id)
GROUP BY run_id ORDER BY mean DESC, run_id;
""".strip().splitlines(),
        "```",
    )
