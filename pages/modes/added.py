"""What modes of one's own add to the pages."""

from pages.modes.own_mode import edit_mode as edit_mode
from pages.modes.own_mode import keep_mode as keep_mode
