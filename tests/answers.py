"""Records what every command answers and what every page shows and links to, and compares it with an earlier record.

    python -m tests.answers record FOLDER [SHARED]
    python -m tests.answers compare FOLDER [SHARED]

For redesigns that must change nothing that a user sees: record before, compare after. The collections are the embedded
ones and, where SHARED names the folder of real data, DL19 with its bank and two label files. One file for each answer;
`compare` records into a folder beside and says which files differ.
"""

import filecmp
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.testing import CliRunner

from exam_core.actions.demo import build_demo
from exam_core.actions.importing import import_bank, import_labels, import_workbench
from exam_core.actions.importing_boards import import_leaderboard
from exam_core.cli.tree import app
from exam_core.store import Store
from pages.shared.menu import PAGES

ROOT = Path(__file__).parents[1]
GRADED = "appendix/EXAM-graded-data/DL19-graded-t5-rating-genq-exam-qrels-runs-with-text.jsonl.gz"
PUBLISHED = ("car-y3-published", "dl19-published", "dl20-published")
IDS = re.compile(r"id: \"[^\"]*\"|T_[0-9a-f]{5}_|uuid: \"[0-9a-f]*\"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC")
"""What differs between two records of the same: numbers of elements, and when something was imported."""
FORMATS = ("table", "json", "csv", "latex")
READING = {
    "leaderboard": ["", "--measure P@20 --tau 3", "--measure Cover@20 --tau all", "--measure nDCG --depth all",
                    "--measure AP --label-rank 2 --tau 4", "--order rank --missing skip", "--rounded trec_eval",
                    "--measure nCover --ncover-pool ranked", "--reference none"],
    "correlate": ["", "--tau all", "--measure P@20 --tau all", "--reference qrels:nDCG@10", "--judgments official"],
    "agreement": ["", "--tau 4 --relevant-from 2 --label-rank 2", "--grid", "--per-query", "--label-map 5=3,4=1"],
    "grid": ["", "--measures AP,P@20 --taus 2,4", "--label-rank 2 --measures nDCG"],
    "cutoffs": ["", "--measure P@20 --tau all"],
    "significance": ["--tau 3", "--tau 3 --pairs --test randomisation"],
    "stability": ["--draws 20", "--curve bank-size --draws 5"],
    "swaps": ["", "--measure P@20 --tau 4"],
    "outliers": ["", "--draws 20 --measures Cover@20,P@20"],
    "holes": ["", "--measure P@20 --depths 5,20"],
    "whatif": [""],
    "reproduce": [""],
}  # fmt: skip
WITH_BANK = {"demo": " --bank open", "dl19": " --bank genq"}
"""Collections of several banks or graders are asked with and without naming one."""
CHOICES = {
    "demo": ["bank=open&tau=2&measure=P", "bank=manual&depth=5&scores=raw", "without=lsa-40"],
    "dl19": ["tau=3&measure=nDCG", "label_rank=2&tau=4&order=first+series"],
    "car-y3-published": ["columns=genq+Cover%4020+tau%3D4"],
}


def commands(collections: list[str]) -> Iterator[str]:
    """Every reading command on every collection, and the help of every command."""
    yield "list --format json"
    yield "list"
    for collection in collections:
        for command, options in READING.items():
            for option in options:
                for bank in dict.fromkeys(["", WITH_BANK.get(collection, "")]):
                    for form in FORMATS:
                        yield f"{command} {collection}{bank} {option} --format {form}"
    yield from (f"{' '.join(path)} --help" for path in paths(typer.main.get_command(app)))


def paths(command: object, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The names of all commands of the command tree."""
    yield before
    for name, inner in getattr(command, "commands", {}).items():
        yield from paths(inner, (*before, name))


def fill(folder: Path, shared: Path | None) -> list[str]:
    """A store with all collections; their names."""
    store = Store(folder)
    build_demo(store)
    if shared:
        import_workbench(store, "dl19", shared / GRADED, bank="genq")
        import_bank(store, "dl19", shared / "appendix/dl19-questions/dl19-genq.jsonl.gz", bank="genq")
        import_leaderboard(store, "dl19", ROOT / "data/published/official_dl19.csv", name="official")
        for name in ("Sun", "Thomas"):
            import_labels(store, "dl19", shared / f"data/dl19_labels/{name}.qrel.gz", grader=name)
    return store.collections()


def record(folder: Path, shared: Path | None) -> None:
    """Write an answer of every command and the words of every page into a folder."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as made:
        store = Path(made) / "store"
        collections = fill(store, shared)
        os.environ |= {"EXAMBOARD_STORE": str(store), "COLUMNS": "120"}
        for command in commands(collections):
            done = CliRunner().invoke(app, shlex.split(command))
            said = f"{done.stdout}\n--- {done.exit_code} {done.exception or ''}\n{done.stderr}"
            (folder / file_name(command)).write_text(said.replace(made, ""), "utf-8")
        for collection in collections:
            for choice in ["", *CHOICES.get(collection, [])]:
                for page in PAGES:
                    said = shown(page.path, f"collection={collection}&{choice}")
                    (folder / file_name(f"page {page.title} {collection} {choice}")).write_text(
                        said.replace(made, ""), "utf-8"
                    )


def shown(path: str, query: str) -> str:
    """What a page says and shows, its widgets with their values, and the address that it has then."""
    from urllib.parse import parse_qs

    from streamlit.testing.v1 import AppTest

    test = AppTest.from_file(str(ROOT / path), default_timeout=300)
    for name, values in parse_qs(query).items():
        test.query_params[name] = values
    test.run()
    lines = [f"address {dict(sorted(test.query_params.items()))}"]
    for element in [*test.sidebar, *test.main]:
        proto = getattr(element, "proto", None)
        lines.append(f"{element.type} {IDS.sub('', str(proto))}")
    return "\n".join(lines)


def file_name(words: str) -> str:
    """Words as the name of a file."""
    return re.sub(r"[^\w.=,@+-]+", "_", words)[:200] + ".txt"


def differing(before: Path, after: Path) -> list[str]:
    """The files of two records that are not equal, or in one of them only."""
    names = sorted({path.name for folder in (before, after) for path in folder.iterdir()})
    same, _, _ = filecmp.cmpfiles(before, after, names, shallow=False)
    return [name for name in names if name not in set(same)]


if __name__ == "__main__":
    verb, folder, *rest = sys.argv[1:]
    shared = Path(rest[0]) if rest else None
    if verb == "record":
        record(Path(folder), shared)
    else:
        with tempfile.TemporaryDirectory() as made:
            now = Path(f"{folder}.now")
            record(now, shared)
        wrong = differing(Path(folder), now)
        print(*wrong, sep="\n")
        sys.exit(bool(wrong))
