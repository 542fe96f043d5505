"""What the tests of commands share."""

from tests.cli.conftest import examboard as examboard
from tests.cli.conftest import memory as memory
