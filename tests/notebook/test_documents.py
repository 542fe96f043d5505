"""The documents with Python in them say what Python says: they are executed on the demo."""

import copy
import json
import re

import pytest

import exam_core as eb
from tests.notebook.executing import BLOCK, GUIDE, NOTEBOOK, ROOT, cells, executed, guide_rewritten, rewritten


@pytest.fixture
def _demo_here(own_store, monkeypatch):
    """A folder with the demo as its store, where documents are executed."""
    monkeypatch.chdir(own_store.parent)


def rounded(value):
    """Outputs with numbers to nine digits: machines differ in the last ones."""
    return json.loads(json.dumps(value), parse_float=lambda text: f"{float(text):.9g}")


@pytest.mark.usefixtures("_demo_here")
def test_the_notebook_has_the_outputs_that_its_cells_have():
    kept = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    again = rewritten(copy.deepcopy(kept))
    for before, now in zip(cells(kept), cells(again), strict=True):
        assert rounded(now) == rounded(before), "".join(now["source"])


@pytest.mark.usefixtures("_demo_here")
def test_the_guide_prints_what_it_says():
    text = GUIDE.read_text(encoding="utf-8")
    assert guide_rewritten(text) == text
    assert len(BLOCK.findall(text)) == text.count("```python") > 5


@pytest.mark.usefixtures("_demo_here")
def test_what_the_readme_asks_in_python_is_drawn():
    (block,) = BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8"))
    _, figure = executed(block["code"], {})
    assert len(figure.data[0].x) == 15


def test_every_method_of_a_collection_stands_in_the_guide():
    public = [name for name in vars(eb.Collection) if not name.startswith("_")]
    text = GUIDE.read_text(encoding="utf-8")
    assert [name for name in public if not re.search(rf"\b{name}\(", text)] == []
    assert [
        name for name in eb.NOTEBOOK if name not in ("Answer", "Collection", "OpenStore") and f"eb.{name}" not in text
    ] == []


def test_the_notebook_is_one_that_jupyter_opens():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in notebook["cells"]:
        assert set(cell) >= {"cell_type", "id", "metadata", "source"}
        assert ("outputs" in cell) == ("execution_count" in cell) == (cell["cell_type"] == "code")
