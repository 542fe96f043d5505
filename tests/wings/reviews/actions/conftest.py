"""What the tests of actions share."""

from tests.actions.conftest import acts as acts
from tests.actions.conftest import store as store
