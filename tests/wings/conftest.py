"""Fixtures of the core's tests that those of wings share."""

from tests.actions.conftest import acts as acts
from tests.actions.conftest import store as store
from tests.analysis.conftest import dl19 as dl19
from tests.analysis.conftest import plain_world as plain_world
from tests.analysis.conftest import planted_world as planted_world
from tests.analysis.conftest import printed_store as printed_store
from tests.analysis.conftest import random_world as random_world
from tests.cli.conftest import examboard as examboard
from tests.cli.conftest import tagged as tagged
from tests.cli.conftest import told as told
from tests.formats.conftest import refusal as refusal
from tests.formats.conftest import write as write
from tests.notebook.conftest import demo as demo_collection  # noqa: F401
from tests.notebook.conftest import own as own_collection  # noqa: F401
from tests.pages.conftest import labelled as labelled
