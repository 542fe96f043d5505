"""What the tests of commands share."""

from tests.cli.conftest import examboard as examboard
