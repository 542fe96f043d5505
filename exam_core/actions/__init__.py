"""The one door to all that changes something: pages and commands call its verbs, and reach past it for nothing.

Importing this loads no verb, so that a command's help is quick: each is loaded when it is first named. At every call of
one the door asks whether whoever acts has the right that the verb needs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

from exam_core.rights import Right, require

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
    from exam_core.actions.batching import cancel_batches as cancel_batches
    from exam_core.actions.bringing import Brought as Brought
    from exam_core.actions.bringing import FileOrder as FileOrder
    from exam_core.actions.bringing import first_names as first_names
    from exam_core.actions.bringing import import_files as import_files
    from exam_core.actions.bringing import preview_files as preview_files
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
    from exam_core.actions.exporting import board_of as board_of
    from exam_core.actions.exporting import export_bank as export_bank
    from exam_core.actions.exporting import export_labels as export_labels
    from exam_core.actions.exporting import export_leaderboard as export_leaderboard
    from exam_core.actions.exporting import export_run as export_run
    from exam_core.actions.exporting import export_store as export_store
    from exam_core.actions.exporting import export_values as export_values
    from exam_core.actions.exporting import export_workbench as export_workbench
    from exam_core.actions.exporting import labels_text as labels_text
    from exam_core.actions.exporting import leaderboard_text as leaderboard_text
    from exam_core.actions.exporting import stored_board as stored_board
    from exam_core.actions.exporting import without_labels as without_labels
    from exam_core.actions.generated import import_answers as import_answers
    from exam_core.actions.generated import import_assignments as import_assignments
    from exam_core.actions.generated import import_orders as import_orders
    from exam_core.actions.generated import import_ranks as import_ranks
    from exam_core.actions.generated import import_responses as import_responses
    from exam_core.actions.grading import prepare_job as prepare_job
    from exam_core.actions.grading import run_job as run_job
    from exam_core.actions.importing import ReadAs as ReadAs
    from exam_core.actions.importing import import_bank as import_bank
    from exam_core.actions.importing import import_labels as import_labels
    from exam_core.actions.importing import import_leaderboard as import_leaderboard
    from exam_core.actions.importing import import_qrels as import_qrels
    from exam_core.actions.importing import import_shared as import_shared
    from exam_core.actions.importing import import_topics as import_topics
    from exam_core.actions.importing import import_workbench as import_workbench
    from exam_core.actions.importing_given import import_dataset as import_dataset
    from exam_core.actions.importing_given import import_given_labels as import_given_labels
    from exam_core.actions.importing_given import import_given_qrels as import_given_qrels
    from exam_core.actions.importing_given import import_given_run as import_given_run
    from exam_core.actions.importing_given import import_given_topics as import_given_topics
    from exam_core.actions.importing_passages import import_given_passages as import_given_passages
    from exam_core.actions.importing_passages import import_passages as import_passages
    from exam_core.actions.importing_runs import import_run as import_run
    from exam_core.actions.jobs import repeat_job as repeat_job
    from exam_core.actions.jobs import start_job as start_job
    from exam_core.actions.jobs import stop_job as stop_job
    from exam_core.actions.lexical import grade_lexically as grade_lexically
    from exam_core.actions.lexical import plan_lexically as plan_lexically
    from exam_core.actions.modes import add_mode as add_mode
    from exam_core.actions.modes import with_mode as with_mode
    from exam_core.actions.naming import NamedGrader as NamedGrader
    from exam_core.actions.naming import name_grader as name_grader
    from exam_core.actions.noting import add_note as add_note
    from exam_core.actions.noting import remove_note as remove_note
    from exam_core.actions.noting import restore_note as restore_note
    from exam_core.actions.planning import Plan as Plan
    from exam_core.actions.planning import plan_job as plan_job
    from exam_core.actions.probing import plan_probe as plan_probe
    from exam_core.actions.probing import prepare_probe as prepare_probe
    from exam_core.actions.probing import probe_lexically as probe_lexically
    from exam_core.actions.probing import run_probe as run_probe
    from exam_core.actions.ranking import rank_answers as rank_answers
    from exam_core.actions.recognising import Recognised as Recognised
    from exam_core.actions.recognising import recognise_files as recognise_files
    from exam_core.actions.repairing import Repaired as Repaired
    from exam_core.actions.repairing import Rest as Rest
    from exam_core.actions.repairing import clean as clean
    from exam_core.actions.repairing import repair as repair
    from exam_core.actions.repairing import repair_layout as repair_layout
    from exam_core.actions.repairing import rests as rests
    from exam_core.actions.review_files import export_queue as export_queue
    from exam_core.actions.review_files import export_reviews as export_reviews
    from exam_core.actions.review_files import import_reviews as import_reviews
    from exam_core.actions.review_files import queue_text as queue_text
    from exam_core.actions.review_files import reviews_text as reviews_text
    from exam_core.actions.reviewing import draw_queue as draw_queue
    from exam_core.actions.reviewing import record_reviews as record_reviews
    from exam_core.actions.simulating import simulate as simulate
    from exam_core.actions.stories import damaged_stories as damaged_stories
    from exam_core.actions.stories import move_view as move_view
    from exam_core.actions.stories import open_story as open_story
    from exam_core.actions.stories import pin_view as pin_view
    from exam_core.actions.stories import remove_view as remove_view
    from exam_core.actions.stories import restore_view as restore_view
    from exam_core.actions.stories import reword_view as reword_view
    from exam_core.actions.stories import stories_of as stories_of
    from exam_core.actions.stories import story_of as story_of
    from exam_core.actions.tagging import Tagged as Tagged
    from exam_core.actions.tagging import tag_run as tag_run
    from exam_core.actions.tagging import tag_runs as tag_runs
    from exam_core.actions.tagging import undo_tags as undo_tags
    from exam_core.actions.undoing import undo_import as undo_import
    from exam_core.actions.undoing import undo_imports as undo_imports
    from exam_core.actions.uploading import UPLOAD_KINDS as UPLOAD_KINDS
    from exam_core.actions.uploading import UPLOAD_MEGABYTES as UPLOAD_MEGABYTES
    from exam_core.actions.uploading import Upload as Upload
    from exam_core.actions.uploading import UploadOrder as UploadOrder
    from exam_core.actions.uploading import import_uploads as import_uploads
    from exam_core.actions.uploading import kind_of_upload as kind_of_upload
    from exam_core.actions.uploading import names_of_uploads as names_of_uploads
    from exam_core.actions.uploading import plain_file_name as plain_file_name
    from exam_core.actions.uploading import preview_uploads as preview_uploads
    from exam_core.actions.uploading import undecided_of_upload as undecided_of_upload

VERBS = {
    "answering": "Recorded record_answers",
    "bank_generating": "Generated GenerationPlan generate_bank plan_generation prepare_generation",
    "batching": "cancel_batches",
    "banking": "Edited edit_bank edit_bank_from_file merge_banks revert_bank",
    "bringing": "Brought FileOrder first_names import_files preview_files",
    "demo": "build_demo",
    "drafting": "Open begin_draft commit_draft drop_draft edit_draft move_draft open_draft open_drafts reword_in_draft",
    "exporting": "Exported bank_text board_of export_bank export_labels export_leaderboard export_run export_store "
    "export_values export_workbench labels_text leaderboard_text stored_board without_labels",
    "grading": "prepare_job run_job",
    "committing": "Imported",
    "generated": "import_answers import_assignments import_orders import_ranks import_responses",
    "importing": "ReadAs import_bank import_labels import_leaderboard import_qrels import_shared import_topics "
    "import_workbench",
    "importing_given": "import_dataset import_given_labels import_given_qrels import_given_run import_given_topics",
    "importing_passages": "import_given_passages import_passages",
    "importing_runs": "import_run",
    "jobs": "repeat_job start_job stop_job",
    "lexical": "grade_lexically plan_lexically",
    "modes": "add_mode with_mode",
    "naming": "NamedGrader name_grader",
    "noting": "add_note remove_note restore_note",
    "planning": "Plan plan_job",
    "probing": "plan_probe prepare_probe probe_lexically run_probe",
    "ranking": "rank_answers",
    "repairing": "Repaired Rest clean repair repair_layout rests",
    "review_files": "export_queue export_reviews import_reviews queue_text reviews_text",
    "reviewing": "draw_queue record_reviews",
    "simulating": "simulate",
    "stories": "damaged_stories move_view open_story pin_view remove_view restore_view reword_view stories_of story_of",
    "tagging": "Tagged tag_run tag_runs undo_tags",
    "recognising": "Recognised recognise_files",
    "undoing": "undo_import undo_imports",
    "uploading": "UPLOAD_KINDS UPLOAD_MEGABYTES Upload UploadOrder import_uploads kind_of_upload names_of_uploads "
    "plain_file_name preview_uploads undecided_of_upload",
}
"""What passes the door, by the module where it stands: verbs, and what they take and give."""
PLACES = {name: module for module, names in VERBS.items() for name in names.split()}
"""The same by name."""
NEEDS: dict[Right, str] = {
    "read": "bank_text board_of damaged_stories export_bank export_labels export_leaderboard export_queue "
    "export_reviews export_run export_store export_values export_workbench labels_text leaderboard_text open_story "
    "plain_file_name plan_lexically queue_text recognise_files rests reviews_text stored_board stories_of story_of "
    "without_labels",
    "review": "add_note record_answers remove_note restore_note",
    "edit": "add_mode begin_draft build_demo cancel_batches clean commit_draft draw_queue drop_draft edit_bank "
    "edit_bank_from_file edit_draft first_names generate_bank grade_lexically import_answers import_assignments "
    "import_bank import_dataset import_files import_given_labels import_given_passages import_given_qrels "
    "import_given_run import_given_topics import_labels import_leaderboard import_orders import_passages "
    "import_qrels import_ranks import_responses import_reviews import_run import_shared import_topics import_uploads "
    "import_workbench kind_of_upload merge_banks move_draft move_view name_grader names_of_uploads open_draft "
    "open_drafts pin_view plan_generation plan_job plan_probe prepare_generation prepare_job prepare_probe "
    "preview_files preview_uploads probe_lexically rank_answers record_reviews remove_view repair repair_layout "
    "repeat_job restore_view revert_bank reword_in_draft reword_view run_job run_probe simulate start_job stop_job "
    "tag_run tag_runs undecided_of_upload undo_import undo_imports undo_tags with_mode",
}
"""What right each verb needs. Planning measures a model, whose answers are kept; drafts are their editor's own."""
UNNOTED = {name for name in NEEDS["read"].split() if not name.startswith("export_")} | {
    *("open_draft", "open_drafts", "plan_generation", "plan_job", "plan_probe"),
    *("first_names", "kind_of_upload", "names_of_uploads", "preview_files", "preview_uploads"),
    *("undecided_of_upload", "with_mode"),
}
"""What changes nothing and writes no file, and so leaves no line in the log; also where it takes the right to edit."""
_RIGHTS = {name: right for right, names in NEEDS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    if not callable(found) or isinstance(found, type):
        return found
    asked = _asking(found, _RIGHTS.get(name))
    return asked if name in UNNOTED else import_module(f"{__name__}.noted").noted(name, asked)


@cache
def _asking(verb: Callable[..., Any], right: Right | None) -> Callable[..., Any]:
    """A verb that asks, at each call, for the right that it needs."""

    @wraps(verb)
    def asked(*arguments: Any, **options: Any) -> Any:
        require(right)
        return verb(*arguments, **options)

    return asked
