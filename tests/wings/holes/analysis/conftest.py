"""What the tests of analysis share."""

from tests.analysis.conftest import dl19 as dl19
from tests.analysis.conftest import plain_world as plain_world
from tests.analysis.conftest import random_world as random_world
