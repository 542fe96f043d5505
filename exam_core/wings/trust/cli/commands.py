"""The commands on trust."""

from __future__ import annotations

ANALYSES = (("fidelity", "stability"), ("votes", "stability"), ("circularity", "holes"))
