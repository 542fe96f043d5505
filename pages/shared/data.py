"""Cached calls into the analysis: the only place for Streamlit's caches."""

from __future__ import annotations

import atexit
import gc
from typing import Any

import streamlit as st

from exam_core.analysis import comparison, printed
from exam_core.store import Snapshot, Store, default_store
from exam_core.store import summary as holdings
from pages.shared.chosen import Chosen


@st.cache_resource(show_spinner=False)
def _store(path: str) -> Store:
    return Store(path)


@st.cache_resource(show_spinner=False)
def settle() -> None:
    """Take what is loaded out of the garbage collector's rounds: Streamlit collects after every run."""
    gc.collect()
    gc.freeze()
    # DuckDB complains at the end of the process about objects that nobody collected.
    atexit.register(gc.unfreeze)


def store() -> Store:
    """The store that $EXAMBOARD_STORE names, else ./store."""
    return _store(str(default_store()))


def collections() -> list[str]:
    """Names of the collections, the demo and the user's own before the published ones."""
    return sorted(store().collections(), key=lambda name: (name.endswith("-published"), name))


def snapshot(collection: str) -> Snapshot:
    """The collection as it is now; new imports show at the next run of a page."""
    return store().snapshot(collection)


@st.cache_data(max_entries=64, show_spinner=False)
def _holdings(_snapshot: Snapshot, collection: str, fingerprint: str) -> dict[str, Any]:
    del collection, fingerprint
    return holdings.summary(_snapshot) | {
        "printed": printed.is_printed(_snapshot),
        "columns": printed.printed_columns(_snapshot),
        "graded_banks": holdings.graded_banks(_snapshot),
    }


def about(found: Snapshot) -> dict[str, Any]:
    """Counts and names of a collection, and whether it holds printed figures only."""
    return _holdings(found, found.collection, found.fingerprint)


@st.cache_data(max_entries=256, show_spinner="Computing ...")
def _compared(
    _snapshot: Snapshot, collection: str, fingerprint: str, series: tuple[str, ...], options: dict[str, Any]
) -> comparison.Comparison:
    del collection, fingerprint
    return comparison.compare(_snapshot, series, **options)


def compare(chosen: Chosen) -> comparison.Comparison:
    """The chosen series side by side."""
    found = chosen.snapshot
    made: comparison.Comparison = _compared(
        found, found.collection, found.fingerprint, tuple(chosen.series), chosen.options()
    )
    return made
