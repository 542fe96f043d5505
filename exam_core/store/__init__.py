"""Collections on disk; every SQL statement."""

from exam_core.store.snapshot import Snapshot
from exam_core.store.store import Store, default_store

__all__ = ["Snapshot", "Store", "default_store"]
