"""Where bytes enter trust."""

from __future__ import annotations

from benchmarks.seams import of_kind
from exam_core.wings.trust.probes import PROBE, Probe, Setting

SETTING = Setting("b@1", "g", {"llm": "t5"}, "official", 1, 2, 3)
SAID = Probe(SETTING, 2, {"as it is": ""}, ("q1",), ("d1",), ("a",), {"as it is": (1,)}, {"as it is": 0})
SEAMS = {"probe": of_kind(PROBE, SAID)}
