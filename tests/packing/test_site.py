"""The site has every document, and no link that leads out of it."""

import importlib.util

import pytest

from tests.test_docs import ROOT


def loaded():
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / ".ci" / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = loaded()


def test_every_document_has_a_place_in_the_site():
    listed = [page for folder in SITE.PARTS.values() for page in SITE.pages(folder)]
    assert sorted([*listed, "index.md"]) == sorted(
        path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")
    )
    assert [page for page in listed if page.endswith(("first-hour.md", "your-own-runs.md"))] == listed[:2]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[EXAM](../explanation/exam.md#what-tau-does)", "[EXAM](../explanation/exam.md#what-tau-does)"),
        (
            "[true means](../../exam_core/numbers/true_means/README.md)",
            "true means (`exam_core/numbers/true_means/README.md`)",
        ),
        ("[`CITATION.cff`](../../CITATION.cff)", "`CITATION.cff`"),
        ("[appendix](https://example.org/a)", "[appendix](https://example.org/a)"),
    ],
    ids=["document", "file", "named-file", "elsewhere"],
)
def test_a_link_out_of_the_documents_becomes_a_name(link, expected):
    assert SITE.LINK.sub(lambda found: SITE.within(found, "reference"), link) == expected
