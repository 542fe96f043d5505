"""Verbs of probes."""

from exam_core.wings.trust.actions.probing import plan_probe as plan_probe
from exam_core.wings.trust.actions.probing import prepare_probe as prepare_probe
from exam_core.wings.trust.actions.probing import probe_lexically as probe_lexically
from exam_core.wings.trust.actions.probing import run_probe as run_probe
