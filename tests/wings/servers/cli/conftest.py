"""What the tests of cli share."""

from tests.cli.conftest import examboard as examboard
