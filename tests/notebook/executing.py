"""Documents with Python in them, executed without Jupyter; `python -m tests.notebook.executing` writes them anew.

That builds the demo in a folder of its own, and executes the notebook and docs/reference/python.md there.
"""

import ast
import base64
import contextlib
import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exam_core.table_text import plain

ROOT = Path(__file__).parents[2]
NOTEBOOK, GUIDE = ROOT / "docs" / "tutorials" / "notebook.ipynb", ROOT / "docs" / "reference" / "python.md"
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<said>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
"""Python of a Markdown document, with what it prints."""
Names = dict[str, Any]


def executed(source: str, names: Names) -> tuple[str, Any]:
    """What lines of Python print, and the value of the last one; None where that is no expression."""
    *lines, last = ast.parse(source).body or [ast.Pass()]
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as said:
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(lines, []), "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        else:
            exec(compile(ast.Module([*lines, last], []), "cell", "exec"), names)
    return said.getvalue(), value


def outputs(source: str, names: Names, count: int) -> list[dict[str, Any]]:
    """The outputs of a cell as a notebook has them."""
    said, value = executed(source, names)
    found: list[dict[str, Any]] = []
    if said:
        found.append({"name": "stdout", "output_type": "stream", "text": said.splitlines(keepends=True)})
    if value is not None:
        shown = _shown(value).items()
        data = {name: text.splitlines(keepends=True) if isinstance(text, str) else text for name, text in shown}
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def _shown(value: Any) -> dict[str, Any]:
    """What Jupyter shows of a value; of a figure its data, which Jupyter draws, and its description."""
    if hasattr(value, "to_plotly_json"):
        figure = plain(_unpacked(value.to_plotly_json()))
        figure["layout"].pop("template", None)
        return {"application/vnd.plotly.v1+json": figure, "text/plain": value.layout.meta["description"]}
    with pd.option_context("display.width", 80, "display.max_columns", 20):
        html = {"text/html": value._repr_html_()} if hasattr(value, "_repr_html_") else {}
        return html | {"text/plain": repr(value)}


def _unpacked(value: Any) -> Any:
    """A figure whose numbers can be read and compared: Plotly packs them into base64."""
    if isinstance(value, dict) and "bdata" in value:
        numbers = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
        return numbers.reshape([int(size) for size in value.get("shape", "-1").split(",")])
    if isinstance(value, dict):
        return {name: _unpacked(one) for name, one in value.items()}
    return [_unpacked(one) for one in value] if isinstance(value, list | tuple) else value


def cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a notebook that hold Python."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def rewritten(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs that its cells have, executed in order."""
    names: Names = {}
    for count, cell in enumerate(cells(notebook), 1):
        cell["execution_count"] = count
        cell["outputs"] = outputs("".join(cell["source"]), names, count)
    return notebook


def guide_rewritten(text: str) -> str:
    """The Markdown document with what its blocks print, executed in order."""
    names: Names = {}

    def block(found: re.Match[str]) -> str:
        said, _ = executed(found["code"], names)
        return f"```python\n{found['code']}```\n" + (f"\n```text\n{said}```\n" if said else "")

    return BLOCK.sub(block, text)


def main() -> None:
    """Write the outputs of both documents anew."""
    from exam_core.actions.demo import build_demo
    from exam_core.store import Store

    for path in (NOTEBOOK, GUIDE):
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            build_demo(Store("store"))
            if path is GUIDE:
                text = guide_rewritten(text)
            else:
                text = json.dumps(rewritten(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
            os.chdir(ROOT)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
