"""The form of documents: links lead somewhere, sentences and cells are short, each page says for whom it is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("exam_core/**/*.md")]
GENERATED = ("commands", "measures", "data-dictionary", "licences")
WRITTEN = [page for page in (ROOT / "docs").rglob("*.md") if page.stem not in GENERATED] + [ROOT / "README.md"]
GUIDES = [page for page in WRITTEN if page.parent.name in ("tutorials", "how-to")]
LONGEST_SENTENCE, LONGEST_CELL = 30, 200
"""Words of a sentence in tutorials and how-to guides, characters of a cell."""
LINK = re.compile(r"\]\(((?![a-z]+:)[^)#\s]*)(?:#([^)\s]+))?\)")


def name(page):
    return page.relative_to(ROOT).as_posix()


def without_code(text):
    """A document without its blocks of code and what stands in backticks."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors(page):
    """The names that headings of a document can be linked by."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_of_a_document_lead_somewhere(page):
    for target, anchor in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        there = page.parent / target if target else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


def sentences(text):
    """What a reader reads as sentences: of paragraphs, list items, headings and cells."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*#|]|\d+\.) ?)|\|", text)
    return [one for part in parts for one in re.split(r"(?<=[.:;!?])[*_)\"]*\s+", " ".join(part.split()))]


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_sentences_of_a_guide_are_short(page):
    found = sentences(page.read_text(encoding="utf-8"))
    assert [one for one in found if len(one.split()) > LONGEST_SENTENCE] == []


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_cells_of_a_document_are_short(page):
    rows = re.findall(r"^\|.*\|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    cells = [re.sub(r"\]\([^)]*\)", "]", cell).strip() for row in rows for cell in row.split(" | ")]
    assert [cell for cell in cells if len(cell) > LONGEST_CELL] == []


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_a_document_names_no_commit(page):
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"\bcommit \w*\d\w*|\bat (?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,40}\b", text) == []


@pytest.mark.parametrize("page", [*(ROOT / "docs").rglob("*.md")], ids=name)
def test_a_document_says_at_its_top_for_whom_it_is(page):
    assert re.match(r"# .+\n\n\*For .+\*\n", page.read_text(encoding="utf-8"))
