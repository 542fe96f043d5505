"""How reviews and queues are written."""

from typing import Literal

ReviewForm = Literal["csv", "jsonl"]
"""How reviews are written."""
QueueForm = Literal["csv", "jsonl", "labelstudio"]
"""How a queue is written in which people review."""
