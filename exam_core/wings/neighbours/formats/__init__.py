"""Generated answers, their ranks among documents, and orders of them by an expert."""

from exam_core.wings.neighbours.formats import answers, orders, ranks

__all__ = ["ROWS"]
ROWS = (*answers.ROWS, *ranks.ROWS, *orders.ROWS)
