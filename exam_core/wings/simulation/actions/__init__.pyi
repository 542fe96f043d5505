"""The verb of the wing."""

from exam_core.wings.simulation.actions.simulating import simulate as simulate
