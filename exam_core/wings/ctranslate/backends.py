"""T5 by way of CTranslate2: faster on a CPU, and another grader, as its arithmetic isn't that of the papers.

In int8 it answers 2.9 times as many prompts of FLAN-T5-base on a processor as our own search in fp32.
"""

from __future__ import annotations

import copy
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exam_core.errors import GraderError, UsageError
from exam_core.grading.backend import Backend, Kind, ModelOptions, Writing
from exam_core.grading.prompt import Answerer, ModelAnswer, Prompt
from exam_core.grading.t5.backends import differences, size_of
from exam_core.installation import pip_install

if TYPE_CHECKING:
    from exam_core.grading.t5.models import Loaded
    from exam_core.grading.t5.truncation import Fitted

COMPUTE_TYPES = {"fp32": "float32", "int8": "int8_float32"}
"""Our precisions as CTranslate2 spells them; int8 has 8-bit weights, the rest is computed in fp32."""

LONGEST_ANSWER = 511


class CTranslate:
    """An Answerer that searches with beams in CTranslate2.

    The model is converted once, into a folder of the cache. Its answers are nearly those of the same model in torch,
    not all: near-ties go the other way now and then, so `about` says which engine and which arithmetic.

    `loaded` is a generating model in fp32, of which only the tokenizer is kept; with one of `beams` the search is
    greedy, and it ends when so many hypotheses have ended, as in the papers; `batch_tokens` of None is as many tokens,
    padding counted, as suit the device. Raises GraderError where CTranslate2 is missing, or can't convert or load the
    model; UsageError for a precision that it doesn't have.
    """

    def __init__(
        self,
        loaded: Loaded,
        *,
        precision: str = "fp32",
        beams: int = 5,
        max_new_tokens: int = LONGEST_ANSWER,
        max_tokens: int = 512,
        batch_tokens: int | None = None,
        cache: Path | None = None,
    ) -> None:
        if precision not in COMPUTE_TYPES:
            raise UsageError(f"{precision}: CTranslate2 computes in {' or '.join(COMPUTE_TYPES)}.")
        from exam_core.grading.t5.engine import Batches

        try:
            import ctranslate2
        except ImportError as error:
            raise GraderError(f"This needs CTranslate2 ({error}). Install it: {pip_install('grader,int8')}") from error
        self._tokenizer = loaded.tokenizer
        self._batches = Batches(loaded.device, batch_tokens)
        folder = converted(loaded, precision, cache or cache_folder())
        kind, _, number = loaded.device.partition(":")
        try:
            self._model: Any = ctranslate2.Translator(
                str(folder), device=kind, device_index=int(number or 0), compute_type=COMPUTE_TYPES[precision]
            )
        except (RuntimeError, ValueError, IndexError) as error:
            raise GraderError(
                f"CTranslate2 can't load {folder} on {loaded.device}: {error}\n"
                "Remove that folder to have the model converted again, or choose another device."
            ) from error
        decoding = {"beams": beams, "early_stopping": True, "max_new_tokens": max_new_tokens}
        # Where a processor lacks int8, CTranslate2 computes in another type.
        used = {"precision": precision, "compute_type": self._model.compute_type}
        self.about = loaded.about(max_tokens, engine="ctranslate2", decoding=decoding, **used)

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Tokens of each prompt after cutting, the end token included."""
        return [len(fitted.ids) for fitted in self._fit(prompts)]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The place of each prompt with its answer, batch by batch, long prompts first.

        Raises GraderError where a prompt leaves no room for its passage, or CTranslate2 can't go on.
        """
        fitted = self._fit(prompts)

        def search(batch: list[int]) -> list[tuple[str, bool]]:
            return self._search([fitted[place].ids for place in batch])

        for batch, pairs in self._batches.of([len(item.ids) for item in fitted], search):
            for place, (text, stopped) in zip(batch, pairs, strict=True):
                yield place, ModelAnswer(text, fitted[place].cut, stopped=stopped)

    def _fit(self, prompts: Sequence[Prompt]) -> list[Fitted]:
        from exam_core.grading.t5.truncation import fit_all

        return fit_all(self._tokenizer, prompts, self.about["max_tokens"])

    def _search(self, rows: Sequence[list[int]]) -> list[tuple[str, bool]]:
        """The answer to each row of token ids, and whether it has all tokens that an answer may have."""
        decoding = self.about["decoding"]
        try:
            frame = self._model.translate_batch(
                [self._tokenizer.convert_ids_to_tokens(row) for row in rows],
                beam_size=decoding["beams"],
                max_decoding_length=decoding["max_new_tokens"],
                min_decoding_length=0,
                max_input_length=0,
            )
        except RuntimeError as error:
            if "out of memory" in str(error):
                raise MemoryError(str(error)) from error
            raise GraderError(f"CTranslate2 stopped: {error}\nGrade without it, or choose another device.") from error
        ids = [self._tokenizer.convert_tokens_to_ids(item.hypotheses[0]) for item in frame]
        return [
            (
                self._tokenizer.decode(row, skip_special_tokens=True, clean_up_tokenization_spaces=False),
                len(row) >= decoding["max_new_tokens"],
            )
            for row in ids
        ]


def cache_folder() -> Path:
    """Where converted models are kept: $XDG_CACHE_HOME/examboard/ctranslate2, by default below ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "examboard" / "ctranslate2"


def converted(loaded: Loaded, precision: str, cache: Path) -> Path:
    """Folder of the model in CTranslate2's format; it is converted where it isn't there yet.

    Several processes may convert at once: each writes a folder of its own, the first to finish renames it.
    """
    name = loaded.name.rstrip("/").split("/")[-1]
    target = cache / f"{name}.{loaded.revision[:16]}.{precision}"
    if (target / "model.bin").is_file():
        return target
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".converting-", dir=cache) as unfinished:
            written = Path(unfinished) / target.name
            _convert(loaded, precision, written)
            try:
                written.rename(target)
            except OSError:
                if not (target / "model.bin").is_file():
                    shutil.rmtree(target, ignore_errors=True)
                    written.rename(target)
    except OSError as error:
        raise GraderError(f"The converted model can't be written to {cache}: {error}") from error
    return target


def _convert(loaded: Loaded, precision: str, folder: Path) -> None:
    import torch
    from ctranslate2.converters.converter import Converter
    from ctranslate2.converters.transformers import T5Loader
    from ctranslate2.specs.model_spec import OPTIONAL

    class Converting(Converter):  # type: ignore[misc]
        """From the model in memory."""

        def _load(self) -> Any:
            # A copy: the conversion to int8 overwrites the weights that it is given.
            spec = T5Loader()(copy.deepcopy(loaded.model).cpu(), loaded.tokenizer)
            # Its loader scales the head's input where the head is the embedding. transformers 5 says so of every
            # T5; which ones scale stands in an entry of its own.
            if not loaded.model.config.scale_decoder_outputs:
                spec.decoder.scale_outputs = OPTIONAL
            spec.config.layer_norm_epsilon = loaded.model.config.layer_norm_epsilon
            return spec

    if loaded.model.dtype != torch.float32:
        raise GraderError(f"{loaded.name} is loaded in {loaded.model.dtype}; CTranslate2 converts from fp32.")
    try:
        with torch.no_grad():
            Converting().convert(str(folder), quantization=COMPUTE_TYPES[precision])
    except (AttributeError, ValueError, NotImplementedError, RuntimeError) as error:
        raise GraderError(f"CTranslate2 can't convert {loaded.name}: {error}\nGrade it without CTranslate2.") from error


def _load(options: ModelOptions, _: Kind, writing: Writing | None, __: object) -> Answerer:
    from exam_core.grading.t5.models import load

    loaded = load(options.model, device=options.device)
    return CTranslate(loaded, precision=options.precision, beams=options.beams, **size_of(options, writing))


def _refuse(options: ModelOptions, _: Kind, __: bool) -> None:
    if options.precision == "int8" and options.backend != "ctranslate2":
        raise UsageError("int8 is a precision of CTranslate2: add --backend ctranslate2.")
    if options.backend == "ctranslate2" and options.precision not in CTRANSLATE2.precisions:
        raise UsageError(f"CTranslate2 computes in fp32 or int8, not in {options.precision}.")


CTRANSLATE2 = Backend("ctranslate2", "CTranslate2", _load, differences, refuse=_refuse, precisions=("fp32", "int8"))
ROWS = (CTRANSLATE2,)
