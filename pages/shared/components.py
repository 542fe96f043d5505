"""Components of our own: what they look like and do stands beside the file that draws them, under its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st


def beside(file: str | Path, ending: str) -> str:
    """The text of the file that has a module's name with another ending."""
    return Path(file).with_suffix(ending).read_text(encoding="utf-8")


def component(name: str, file: str | Path, **more: Any) -> Any:
    """A component whose script stands beside a module; `more` is its HTML and CSS."""
    return st.components.v2.component(f"examboard_{name}", js=beside(file, ".js"), isolate_styles=False, **more)
