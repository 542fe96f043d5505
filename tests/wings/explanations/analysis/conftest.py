"""What the tests of analysis share."""

from tests.analysis.conftest import dl19 as dl19
from tests.analysis.conftest import plain_world as plain_world
from tests.analysis.conftest import planted_world as planted_world
from tests.analysis.conftest import printed_store as printed_store
from tests.analysis.conftest import random_world as random_world
