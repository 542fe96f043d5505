"""Collections on disk; every SQL statement."""

from exam_core.store.snapshot import Snapshot
from exam_core.store.store import DEFAULT_STORE, Store, default_store

__all__ = ["DEFAULT_STORE", "Snapshot", "Store", "default_store"]
