"""Pages of the dashboard under AppTest, alone and through app.py."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[1]
SECONDS = 60
WAYS = ["alone", "from app.py"]


def opened(page: str, store: Path, monkeypatch: pytest.MonkeyPatch, way: str = "alone", **query: str) -> AppTest:
    """A page on a store, with parameters of its address."""
    monkeypatch.setenv("EXAMBOARD_STORE", str(store))
    monkeypatch.chdir(ROOT)
    alone = way == "alone"
    test = AppTest.from_file(str(ROOT / (page if alone else "app.py")), default_timeout=SECONDS)
    for name, value in query.items():
        test.query_params[name] = value
    return test.run() if alone else test.switch_page(page).run()


def sentences(test: AppTest) -> str:
    """All that the page says."""
    kinds = ("markdown", "info", "caption", "error", "warning")
    return "\n".join(
        [str(element.value) for kind in kinds for element in test.get(kind)]
        + [element.proto.body for element in test.get("html")]
    )


def table(test: AppTest, column: str) -> pd.DataFrame:
    """The first table of the page that has a column."""
    return next(element.value for element in test.dataframe if column in element.value.columns)
