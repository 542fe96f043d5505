"""Collections on disk; every SQL statement."""

from exam_core.defaults import default_store
from exam_core.store.snapshot import Snapshot
from exam_core.store.store import Store

__all__ = ["Snapshot", "Store", "default_store"]
