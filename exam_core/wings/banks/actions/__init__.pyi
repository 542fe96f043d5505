"""Verbs of banks."""

from exam_core.wings.banks.actions.bank_generating import GenerationPlan as GenerationPlan
from exam_core.wings.banks.actions.bank_generating import generate_bank as generate_bank
from exam_core.wings.banks.actions.bank_generating import plan_generation as plan_generation
from exam_core.wings.banks.actions.bank_generating import prepare_generation as prepare_generation
from exam_core.wings.banks.actions.banking import Edited as Edited
from exam_core.wings.banks.actions.banking import edit_bank as edit_bank
from exam_core.wings.banks.actions.banking import edit_bank_from_file as edit_bank_from_file
from exam_core.wings.banks.actions.banking import merge_banks as merge_banks
from exam_core.wings.banks.actions.banking import revert_bank as revert_bank
from exam_core.wings.banks.actions.drafting import Open as Open
from exam_core.wings.banks.actions.drafting import begin_draft as begin_draft
from exam_core.wings.banks.actions.drafting import commit_draft as commit_draft
from exam_core.wings.banks.actions.drafting import drop_draft as drop_draft
from exam_core.wings.banks.actions.drafting import edit_draft as edit_draft
from exam_core.wings.banks.actions.drafting import move_draft as move_draft
from exam_core.wings.banks.actions.drafting import open_draft as open_draft
from exam_core.wings.banks.actions.drafting import open_drafts as open_drafts
from exam_core.wings.banks.actions.drafting import reword_in_draft as reword_in_draft
from exam_core.wings.banks.actions.exporting_banks import Exported as Exported
from exam_core.wings.banks.actions.exporting_banks import bank_text as bank_text
from exam_core.wings.banks.actions.exporting_banks import export_bank as export_bank
