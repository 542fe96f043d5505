"""Pages of the dashboard under AppTest, alone and through app.py."""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button, Element

from pages.shared import frame
from pages.shared.menu import PAGES

ROOT = Path(__file__).parents[1]
SECONDS = 60
# AppTest looks for components in every installed package, at each run, which takes longer than a page.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)
WAYS = ["alone", "from app.py"]
_made = PagesManager.__init__
_ran = AppTest._run


def opened(page: str, store: Path, monkeypatch: pytest.MonkeyPatch, way: str = "alone", **query: str) -> AppTest:
    """A page, by its file or by its name, on a store, with parameters of its address."""
    page = next((one.path for one in PAGES if one.name == page), page)
    monkeypatch.setenv("EXAMBOARD_STORE", str(store))
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(frame, "MEETING", 0.0)  # no browser
    alone = way == "alone"
    if not alone:
        monkeypatch.setattr(PagesManager, "__init__", _of_app_py)
    test = AppTest.from_file(str(ROOT / (page if alone else "app.py")), default_timeout=SECONDS)
    for name, value in query.items():
        test.query_params[name] = value
    test = (test if alone or page == PAGES[0].path else test.switch_page(page)).run()
    assert (frame.KEPT in test.session_state) != alone  # app.py keeps it
    return test


def _run(test: AppTest, *settings: Any, **more: Any) -> AppTest:
    """A run of a page, which no test lets fail."""
    done = _ran(test, *settings, **more)
    assert [error.message for error in done.exception] == []
    return done


AppTest._run = _run  # type: ignore[assignment, method-assign]


def _of_app_py(manager: PagesManager, *settings: Any, **more: Any) -> None:
    """AppTest forgets at each run that app.py names its pages itself, and would run the page's file alone."""
    PagesManager.uses_pages_directory = False
    _made(manager, *settings, **more)


def unfolded(test: AppTest, *keys: str) -> AppTest:
    """The page with boxes open that are made when somebody opens them."""
    for key in keys:
        test.session_state[key] = True
    return test.run()


def at_tab(test: AppTest, key: str, name: str) -> AppTest:
    """The page with another tab open."""
    test.session_state[key] = name
    return test.run()


def sentences(test: AppTest) -> str:
    """All that the page says."""
    kinds = ("markdown", "info", "caption", "error", "warning")
    return "\n".join(
        [str(element.value) for kind in kinds for element in test.get(kind) if isinstance(element, Element)]
        + [element.proto.body for element in test.get("html")]
    )


def scrolled_to(test: AppTest) -> list[str]:
    """What the run of the page brought into view."""
    sent = [json.loads(one.proto.mixed.json or one.proto.json or "{}") for one in test.get("bidi_component")]
    return [one["to"] for one in sent if isinstance(one, dict) and set(one) == {"to", "times"}]


def button(test: AppTest, label: str) -> Button:
    """The button with a label."""
    return next(one for one in test.button if one.label == label)


def labels(test: AppTest) -> set[str]:
    """The labels of all buttons."""
    return {one.label for one in test.button}


def saves(test: AppTest) -> list[str]:
    """What the page offers to download."""
    return [one.proto.label.replace("\\", "") for one in test.get("download_button")]


def table(test: AppTest, column: str) -> pd.DataFrame:
    """The first table of the page that has a column."""
    return next(element.value for element in test.dataframe if column in element.value.columns)


@dataclass(frozen=True)
class Chart:
    """A chart of a page: the figure as the browser gets it, and its words."""

    figure: dict[str, Any]
    alt: str


def charts(test: AppTest) -> list[Chart]:
    """The charts of the page from top to bottom, those that can be clicked and those that can't."""
    found = []
    for element in test.main:
        if element.type == "plotly_chart":
            found.append(Chart(json.loads(element.proto.spec), element.proto.alt))
        elif element.type == "bidi_component":
            sent = json.loads(element.proto.mixed.json or element.proto.json)
            figure = json.loads(sent["figure"])
            figure["layout"]["template"] = json.loads(sent["template"])
            found.append(Chart(figure, sent["alt"]))
    return found
