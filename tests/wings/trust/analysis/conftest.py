"""What the tests of analysis share."""

from tests.analysis.conftest import dl19 as dl19
