"""The form of documents: links lead somewhere, sentences and cells are short, each page says for whom it is."""

import re
from pathlib import Path

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


def wrong(pages, look):
    """What `look` says is wrong in the text of each page, by its name; empty where nothing is."""
    return {name(page): faults for page in pages if (faults := look(page.read_text(encoding="utf-8")))}


def test_links_of_a_document_lead_somewhere():
    dead = []
    for page in PAGES:
        for target, anchor in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
            there = page.parent / target if target else page
            if not there.exists() or (anchor and anchor not in anchors(there)):
                dead.append(f"{name(page)}: {target}#{anchor}")
    assert dead == []


def sentences(text):
    """What a reader reads as sentences: of paragraphs, list items, headings and cells."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*#|]|\d+\.) ?)|\|", text)
    return [one for part in parts for one in re.split(r"(?<=[.:;!?])[*_)\"]*\s+", " ".join(part.split()))]


def test_sentences_of_a_guide_are_short():
    def long(text):
        return [sentence for sentence in sentences(text) if len(sentence.split()) > LONGEST_SENTENCE]

    assert wrong(GUIDES, long) == {}


def test_cells_of_a_document_are_short():
    def long(text):
        rows = re.findall(r"^\|.*\|$", text, re.MULTILINE)
        cells = [re.sub(r"\]\([^)]*\)", "]", cell).strip() for row in rows for cell in row.split(" | ")]
        return [cell for cell in cells if len(cell) > LONGEST_CELL]

    assert wrong(WRITTEN, long) == {}


def test_a_document_names_no_commit():
    commit = re.compile(r"\bcommit \w*\d\w*|\bat (?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,40}\b")
    assert wrong(WRITTEN, commit.findall) == {}


def test_a_document_says_at_its_top_for_whom_it_is():
    begins = re.compile(r"# .+\n\n\*For .+\*\n")
    assert wrong((ROOT / "docs").rglob("*.md"), lambda text: not begins.match(text)) == {}
