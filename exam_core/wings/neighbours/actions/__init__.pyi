"""Verbs of generated answers and their ranks."""

from exam_core.wings.neighbours.actions.importing_answers import import_answers as import_answers
from exam_core.wings.neighbours.actions.importing_answers import import_orders as import_orders
from exam_core.wings.neighbours.actions.importing_answers import import_ranks as import_ranks
from exam_core.wings.neighbours.actions.importing_responses import import_assignments as import_assignments
from exam_core.wings.neighbours.actions.importing_responses import import_responses as import_responses
from exam_core.wings.neighbours.actions.ranking import rank_answers as rank_answers
