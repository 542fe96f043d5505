"""What the tests of pages share."""

from tests.pages.conftest import store as store
