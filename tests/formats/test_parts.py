"""Files in blocks: what is read at once is what is read line by line, to the byte and to the word."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from exam_core.errors import BadInput
from exam_core.formats import Reading, corpus_files, lines, trec
from exam_core.formats.corpus_files import Corpus, passages_of
from exam_core.formats.labels import read_labels
from exam_core.tables import TABLES
from tests.thoroughly import thoroughly

from .conftest import Write

READ: dict[str, Callable[..., Reading]] = {
    "rankings": trec.read_run,
    "judgments": partial(trec.read_qrels, qrels_id="nist"),
    "grades": partial(read_labels, grader_id="Thomas"),
}
ODD: list[Callable[[str], str]] = [
    lambda line: f"{line} more",
    lambda line: f"# {line}",
    lambda line: line.replace("d", "d\u00e9"),
    lambda line: line.replace("d", "d\x85"),
    lambda line: line.replace("d", "d\x0b"),
    lambda line: line.replace("d", "d\x00"),
    lambda line: line.replace("d", "d" * 1001),
    lambda line: line.replace(" ", " \t"),
    lambda line: line.replace(" ", "\r"),
    lambda line: line.replace("2", "nan"),
    lambda line: line.replace("2", "+2"),
    lambda line: line.replace("2", "2_0"),
    lambda line: line.replace("2", "0x2"),
    lambda line: line.replace("2", "99999999999"),
    lambda line: line[:-3],
    lambda line: f'"{line} ',
    lambda _: " ",
]


def text_of(table: str, seed: int) -> bytes:
    """A file of some lines, many of them alike, as often as not with one or two odd ones."""
    rng = random.Random(seed)
    pairs = sorted((rng.choice("pq"), f"d{rng.randint(1, 30)}") for _ in range(rng.randint(1, 30)))
    if rng.random() < 0.3:
        rng.shuffle(pairs)
    if rng.random() < 0.7:
        pairs = list(dict.fromkeys(pairs))
    run = rng.choice(["bm25", "b", "7", "0.5"])
    number = rng.choice([0, 1, 2, 2])
    last = f"{number} {rng.choice([2, 2.5, '1e3'])} {run}" if table == "rankings" else f"{number}"
    made = [f"{query} Q0 {doc} {last}" for query, doc in pairs]
    for _ in range(rng.choice([0, 0, 1, 2])):
        at = rng.randrange(len(made))
        made[at] = rng.choice(ODD)(made[at])
    ends = rng.choice(["\n", "\n", "\n", "\r\n"])
    return (rng.choice(["", "\ufeff"]) + ends.join(made) + rng.choice([ends, ends, ""])).encode()


def outcome(table: str, path: Path) -> Any:
    """All that a reader says of a file, or why it refuses it."""
    try:
        found = READ[table](path)
    except BadInput as error:
        return str(error)
    packed = [column.to_pylist() for column in TABLES[table].arrow(found.frames[table]).columns]
    return packed, found.graders, found.counts, found.notes


def assert_mixed(found: list[Any]) -> None:
    assert 0.12 < sum(isinstance(one, str) for one in found) / len(found) < 0.88


@pytest.mark.parametrize("files", [25, *thoroughly(150)])
@pytest.mark.parametrize("table", READ)
def test_blocks_are_what_a_reader_line_by_line_finds(
    write: Write, monkeypatch: pytest.MonkeyPatch, table: str, files: int
) -> None:
    paths = [write(text_of(table, seed), str(seed)) for seed in range(files)]
    found: dict[bool, list[Any]] = {}
    for at_once in (True, False):
        monkeypatch.setattr(lines, "_COPIED", 100 if at_once else 10_000)
        if not at_once:
            monkeypatch.setattr(trec, "texts_of", lambda *_: None)
        found[at_once] = [outcome(table, path) for path in paths]
    assert found[True] == found[False]
    assert_mixed(found[True])


ODD_PASSAGES: list[Callable[[str], str]] = [
    *ODD,
    lambda _: "",
    lambda line: f" {line}",
    lambda line: f"{line}\t",
    lambda line: f"{line}{line}",
    lambda line: line.replace("d", "\ud800"),
    lambda line: line.replace('"id"', '"pid": 7, "id"'),
    lambda line: line.replace("d1", ""),
    lambda line: line.replace("}", ', "title": "t"}'),
    lambda line: line.replace("text", "body"),
    lambda line: line.replace(", ", ",\n"),
    lambda line: line.replace("}", "").replace(":", ":\n{", 1),
    lambda line: f"[{line}]",
]


def corpus_of(seed: int) -> bytes:
    """A corpus of some passages, many of them alike, as often as not with one or two odd ones."""
    rng = random.Random(seed)
    forms = ('{{"id": "{}", "text": "{}"}}', "{}\t{}", "{}\t\u00e9 {}", '{{"_id": "{}", "contents": "\u00e9{}"}}')
    form, ids = rng.choice(forms), rng.choice([2, 99])
    made = [
        form.format(f"d{n}", rng.choice(["x"] * 20 + ["y", ""])) for n in rng.choices(range(ids), k=rng.randint(1, 30))
    ]
    if rng.random() < 0.2:
        made.insert(0, "docid\ttext")
    for _ in range(rng.choice([0, 0, 1, 2])):
        at = rng.randrange(len(made))
        made[at] = rng.choice(ODD_PASSAGES)(made[at])
    ends = rng.choice(["\n", "\n", "\n", "\r\n"])
    text = rng.choice(["", "\ufeff"]) + ends.join(made) + rng.choice([ends, ends, ""])
    return text.encode("utf-8", "surrogatepass")


def kept(path: Path) -> Any:
    """All that is kept of a corpus, or why it is refused."""
    found = Corpus({f"d{n}" for n in range(0, 99, 3)} if path.name.endswith("3") else None, files=[path])
    try:
        for file, some in passages_of([path]):
            found.add(some, file)
        parts = [part.astype(object) for part in found.frames()]
    except BadInput as error:
        return str(error)
    said = (found.read, found.kept, found.blank, found.rows.merged, found.first_blank, found.strangers)
    return [row for part in parts for row in part.itertuples(index=False, name=None)], said


@pytest.mark.parametrize("files", [60, *thoroughly(400)])
def test_passages_of_lines_at_once_are_those_of_line_by_line(
    write: Write, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    paths = [write(corpus_of(seed), str(seed)) for seed in range(files)]
    found: dict[int, list[Any]] = {}
    for together in (1, 4, 1000):
        monkeypatch.setattr(lines, "_COPIED", 100 if together == 4 else 10_000)
        monkeypatch.setattr(corpus_files, "TOGETHER", together)
        found[together] = [kept(path) for path in paths]
    assert found[1] == found[4] == found[1000]
    assert_mixed(found[1])
