"""The one door to all that changes something: pages and commands call its verbs, and reach past it for nothing.

Importing this loads no verb, so that a command's help is quick: each is loaded when it is first named.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exam_core.actions.answering import Recorded as Recorded
    from exam_core.actions.answering import record_answers as record_answers
    from exam_core.actions.bank_generating import Generated as Generated
    from exam_core.actions.bank_generating import GenerationPlan as GenerationPlan
    from exam_core.actions.bank_generating import generate_bank as generate_bank
    from exam_core.actions.bank_generating import plan_generation as plan_generation
    from exam_core.actions.bank_generating import prepare_generation as prepare_generation
    from exam_core.actions.banking import Edited as Edited
    from exam_core.actions.banking import edit_bank as edit_bank
    from exam_core.actions.banking import edit_bank_from_file as edit_bank_from_file
    from exam_core.actions.banking import merge_banks as merge_banks
    from exam_core.actions.banking import revert_bank as revert_bank
    from exam_core.actions.committing import Imported as Imported
    from exam_core.actions.demo import build_demo as build_demo
    from exam_core.actions.drafting import Open as Open
    from exam_core.actions.drafting import begin_draft as begin_draft
    from exam_core.actions.drafting import commit_draft as commit_draft
    from exam_core.actions.drafting import drop_draft as drop_draft
    from exam_core.actions.drafting import edit_draft as edit_draft
    from exam_core.actions.drafting import move_draft as move_draft
    from exam_core.actions.drafting import open_draft as open_draft
    from exam_core.actions.drafting import open_drafts as open_drafts
    from exam_core.actions.drafting import reword_in_draft as reword_in_draft
    from exam_core.actions.exporting import Exported as Exported
    from exam_core.actions.exporting import bank_text as bank_text
    from exam_core.actions.exporting import export_bank as export_bank
    from exam_core.actions.exporting import export_labels as export_labels
    from exam_core.actions.exporting import export_run as export_run
    from exam_core.actions.exporting import export_store as export_store
    from exam_core.actions.exporting import export_workbench as export_workbench
    from exam_core.actions.exporting import labels_text as labels_text
    from exam_core.actions.exporting import without_labels as without_labels
    from exam_core.actions.generated import import_answers as import_answers
    from exam_core.actions.generated import import_assignments as import_assignments
    from exam_core.actions.generated import import_orders as import_orders
    from exam_core.actions.generated import import_ranks as import_ranks
    from exam_core.actions.generated import import_responses as import_responses
    from exam_core.actions.grading import prepare_job as prepare_job
    from exam_core.actions.grading import run_job as run_job
    from exam_core.actions.importing import import_bank as import_bank
    from exam_core.actions.importing import import_labels as import_labels
    from exam_core.actions.importing import import_leaderboard as import_leaderboard
    from exam_core.actions.importing import import_qrels as import_qrels
    from exam_core.actions.importing import import_run as import_run
    from exam_core.actions.importing import import_shared as import_shared
    from exam_core.actions.importing import import_topics as import_topics
    from exam_core.actions.importing import import_workbench as import_workbench
    from exam_core.actions.importing_given import import_dataset as import_dataset
    from exam_core.actions.importing_given import import_given_qrels as import_given_qrels
    from exam_core.actions.importing_given import import_given_run as import_given_run
    from exam_core.actions.importing_given import import_given_topics as import_given_topics
    from exam_core.actions.jobs import repeat_job as repeat_job
    from exam_core.actions.jobs import start_job as start_job
    from exam_core.actions.jobs import stop_job as stop_job
    from exam_core.actions.lexical import grade_lexically as grade_lexically
    from exam_core.actions.planning import Plan as Plan
    from exam_core.actions.planning import plan_job as plan_job
    from exam_core.actions.ranking import rank_answers as rank_answers
    from exam_core.actions.review_files import export_queue as export_queue
    from exam_core.actions.review_files import export_reviews as export_reviews
    from exam_core.actions.review_files import import_reviews as import_reviews
    from exam_core.actions.review_files import queue_text as queue_text
    from exam_core.actions.review_files import reviews_text as reviews_text
    from exam_core.actions.reviewing import draw_queue as draw_queue
    from exam_core.actions.reviewing import record_reviews as record_reviews
    from exam_core.actions.simulating import simulate as simulate
    from exam_core.actions.undoing import undo_import as undo_import
    from exam_core.actions.uploading import UPLOAD_KINDS as UPLOAD_KINDS
    from exam_core.actions.uploading import UPLOAD_MEGABYTES as UPLOAD_MEGABYTES
    from exam_core.actions.uploading import Preview as Preview
    from exam_core.actions.uploading import Upload as Upload
    from exam_core.actions.uploading import UploadOrder as UploadOrder
    from exam_core.actions.uploading import graded_bank_of_upload as graded_bank_of_upload
    from exam_core.actions.uploading import import_upload as import_upload
    from exam_core.actions.uploading import kind_of_upload as kind_of_upload
    from exam_core.actions.uploading import plain_file_name as plain_file_name
    from exam_core.actions.uploading import preview_upload as preview_upload

VERBS = {
    "answering": "Recorded record_answers",
    "bank_generating": "Generated GenerationPlan generate_bank plan_generation prepare_generation",
    "banking": "Edited edit_bank edit_bank_from_file merge_banks revert_bank",
    "demo": "build_demo",
    "drafting": "Open begin_draft commit_draft drop_draft edit_draft move_draft open_draft open_drafts reword_in_draft",
    "exporting": "Exported bank_text export_bank export_labels export_run export_store export_workbench labels_text "
    "without_labels",
    "grading": "prepare_job run_job",
    "committing": "Imported",
    "generated": "import_answers import_assignments import_orders import_ranks import_responses",
    "importing": "import_bank import_labels import_leaderboard import_qrels import_run import_shared import_topics "
    "import_workbench",
    "importing_given": "import_dataset import_given_qrels import_given_run import_given_topics",
    "jobs": "repeat_job start_job stop_job",
    "lexical": "grade_lexically",
    "planning": "Plan plan_job",
    "ranking": "rank_answers",
    "review_files": "export_queue export_reviews import_reviews queue_text reviews_text",
    "reviewing": "draw_queue record_reviews",
    "simulating": "simulate",
    "undoing": "undo_import",
    "uploading": "UPLOAD_KINDS UPLOAD_MEGABYTES Preview Upload UploadOrder graded_bank_of_upload "
    "import_upload kind_of_upload plain_file_name preview_upload",
}
"""What passes the door, by the module where it stands: verbs, and what they take and give."""
_PLACES = {name: module for module, names in VERBS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
