"""The backend that runs T5 on this machine by CTranslate2."""

from __future__ import annotations

from exam_core.errors import UsageError
from exam_core.grading.backend import Backend, Kind, ModelOptions, Writing
from exam_core.grading.prompt import Answerer
from exam_core.grading.t5.backends import differences, size_of


def _load(options: ModelOptions, _: Kind, writing: Writing | None, __: object) -> Answerer:
    from exam_core.grading.t5.models import load
    from exam_core.wings.ctranslate.grading.ctranslate import CTranslate

    loaded = load(options.model, device=options.device)
    return CTranslate(loaded, precision=options.precision, beams=options.beams, **size_of(options, writing))


def _refuse(options: ModelOptions, _: Kind, __: bool) -> None:
    if options.precision == "int8" and options.backend != "ctranslate2":
        raise UsageError("int8 is a precision of CTranslate2: add --backend ctranslate2.")
    if options.backend == "ctranslate2" and options.precision not in CTRANSLATE2.precisions:
        raise UsageError(f"CTranslate2 computes in fp32 or int8, not in {options.precision}.")


CTRANSLATE2 = Backend("ctranslate2", "CTranslate2", _load, differences, refuse=_refuse, precisions=("fp32", "int8"))
ROWS = (CTRANSLATE2,)
