"""Responses with their nuggets, generated answers, their ranks among documents, and orders of them by an expert."""

from exam_core.wings.neighbours.formats import answers, assessments, nuggets, orders, ranks, responses

__all__ = ["ROWS"]
ROWS = (*answers.ROWS, *assessments.ROWS, *ranks.ROWS, *orders.ROWS, *responses.ROWS, *nuggets.ROWS)
