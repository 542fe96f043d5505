"""The commands on trust."""

from __future__ import annotations

ANALYSES = (("fidelity", "votes"),)
