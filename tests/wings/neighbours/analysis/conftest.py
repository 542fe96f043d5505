"""What the tests of analysis share."""

from tests.analysis.conftest import random_world as random_world
