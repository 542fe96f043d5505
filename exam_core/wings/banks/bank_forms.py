"""The names of the forms that a bank is written in, which commands and pages know before they load what writes them."""

from typing import Literal

BankForm = Literal["workbench", "nuggetbank", "nuggetizer", "ragtime26", "rubrics", "csv", "json"]
