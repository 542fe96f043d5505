"""An import that dies at any step of its commit has stored everything or nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from thoroughly import thoroughly

from tests.wings import added_to

ROOT = Path(__file__).parents[2]
APART = int(os.environ.get("EXAMBOARD_STEPS_APART", "5"))
"""Of so many steps one is tried, to save time; 1 tries them all."""


@pytest.mark.parametrize("scenario", thoroughly("runs", "shared", *added_to({}, "STEPS")))
def test_several_runs_or_collections_or_an_edit_are_stored_together_whatever_step_is_the_last(tmp_path, scenario):
    script = Path(__file__).with_name("steps.py")
    command = [sys.executable, str(script), scenario, str(tmp_path), str(APART)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    assert (said["wrong"], said["changes"], said["steps"] > 10) == ([], True, True)
