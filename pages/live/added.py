"""What the live page adds to the pages."""

from __future__ import annotations

from pages.live import saving

draw_shared = saving.draw
