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
from exam_core.wings.banks.actions.exporting_banks import Exported as Exported
from exam_core.wings.banks.actions.exporting_banks import bank_text as bank_text
from exam_core.wings.banks.actions.exporting_banks import export_bank as export_bank
