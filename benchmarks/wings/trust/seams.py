"""Where bytes enter trust."""

from __future__ import annotations

from benchmarks.seams import Seam, record, sealed_of, whole
from exam_core.wings.trust.store.probes import Probe, Setting, probes_of

SETTING = Setting("b@1", "g", {"llm": "t5"}, "official", 1, 2, 3)
PROBES = sealed_of(Probe(SETTING, 2, {"as it is": ""}, ("q1",), ("d1",), ("a",), {"as it is": (1,)}, {"as it is": 0}))
SEAMS = {"probe": Seam(record(".probes/c/p.json", lambda: probes_of(whole(), "c")), PROBES)}
