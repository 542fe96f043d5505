"""What the tests of formats share."""

from tests.formats.conftest import refusal as refusal
from tests.formats.conftest import write as write
