"""What modes of one's own add to the pages."""

from pages.modes.own_mode import draw as draw_mode

__all__ = ["draw_mode"]
