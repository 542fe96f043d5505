"""The engine of the wing; it loads Ray when it loads a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from exam_core.grading.backend import Kind
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Answerer


def _cluster(
    load: Callable[..., Any], options: GradingOptions, kind: Kind, log: Path | None, waits: Callable[[], object]
) -> Answerer:
    from exam_core.wings.cluster.cluster import Cluster

    return Cluster(load, options, kind, log, waits)


ENGINES = (("ray", _cluster),)
