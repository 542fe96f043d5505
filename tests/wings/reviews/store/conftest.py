"""What the tests of store share."""

from tests.store.conftest import store as store
