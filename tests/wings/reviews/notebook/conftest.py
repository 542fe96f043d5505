"""What the tests of notebooks share."""

from tests.notebook.conftest import demo as demo
from tests.notebook.conftest import own as own
