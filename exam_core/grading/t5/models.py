"""Finding, fetching and loading T5 models: from a folder, or from the model hub by way of its cache."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from exam_core.errors import GraderError, ModelMissing, UsageError
from exam_core.grading.backend import Kind
from exam_core.installation import pip_install
from exam_core.wording import plain_number

HUB_TIMEOUT_S = 10.0
PRECISIONS = ("fp32", "tf32", "bf16")
_CLASSES = {"generate": "T5ForConditionalGeneration", "extract": "T5ForQuestionAnswering"}
_WEIGHTS = ("*.safetensors", "*.bin")
_WHOLE = ("model.safetensors", "pytorch_model.bin")
_TOKENIZER_FILES = ("added_tokens.json", "special_tokens_map.json", "spiece.model", "tokenizer.json")
_JSON_FILES = ("config.json", "tokenizer_config.json")
_PASSING = ("transformers_version", "_name_or_path", "is_local", "local_files_only")
"""Entries of a configuration that say how it was saved or loaded, not what the model is."""


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to answer, in evaluation mode and without gradients.

    Parameters
    ----------
    device : as torch spells it: cpu, cuda, cuda:1
    name : the hub's name of the model, or the last part of its folder
    revision : the hub's commit, or a hash of the folder's files
    precision : fp32, tf32 or bf16
    """

    model: Any
    tokenizer: Any
    device: str
    name: str
    revision: str
    precision: str = "fp32"

    def about(self, max_tokens: int, **more: Any) -> dict[str, Any]:
        """What answers to prompts of so many tokens depend on, and more."""
        known = {"model": self.name, "revision": self.revision, "precision": self.precision, "max_tokens": max_tokens}
        return known | more


def load(name: str, kind: Kind = "generate", *, device: str = "auto", precision: str = "fp32") -> Loaded:
    """Load a T5 model with its tokenizer; a model that isn't here yet is fetched from the hub.

    Parameters
    ----------
    name : a folder, or the hub's name of a model; one that lies in the hub's cache is used as it is
    kind : generate (answers in words) or extract (marks a span of the passage)
    device : auto takes CUDA where there is some

    Raises
    ------
    GraderError : torch or transformers is missing; no such model, device or network; not a T5 of this kind
    UsageError : a precision that T5 can't have
    """
    if precision == "fp16":
        raise UsageError("fp16: T5 overflows in half precision and answers nonsense. Use bf16, tf32 or fp32.")
    if precision not in PRECISIONS:
        raise UsageError(f"{precision}: no such precision. There are {', '.join(PRECISIONS)}.")
    file = find(name)  # A mistyped folder is told before seconds go by with loading torch.
    torch, transformers = _need("torch", "transformers")
    where = _device(torch, device, precision)
    folder = file or _fetch(name)
    _check_t5(name, folder)
    _check_safe(name, [path.name for path in folder.iterdir()])
    model_class = getattr(transformers, _CLASSES[kind])
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    # A damaged file fails in many ways: safetensors, pickle, tokenizers each raise errors of their own.
    try:
        with quiet():
            model, loading = model_class.from_pretrained(
                folder, dtype=dtype, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
    except Exception as error:
        raise GraderError(
            f"The model {name} can't be read from {folder}: {_first_line(error)}\n"
            "Its files may be damaged or incomplete: remove the folder and fetch the model again."
        ) from error
    # transformers fills missing weights with random numbers and drops those left over: it would answer nonsense.
    if missing := loading["missing_keys"]:
        raise GraderError(
            f"The model {name} lacks weights of a {_CLASSES[kind]}: {', '.join(sorted(missing)[:3])}"
            f"{', ...' if len(missing) > 3 else ''}\nChoose a model that was made for this grading mode."
        )
    if kind == "generate" and any(key.startswith("qa_outputs.") for key in loading["unexpected_keys"]):
        raise GraderError(
            f"The model {name} marks answers in a passage, it writes none. Choose an extractive grading mode, "
            "or a model that generates."
        )
    try:
        model.requires_grad_(False).eval().to(where)
    except torch.OutOfMemoryError as error:
        raise GraderError(
            f"The model {name} does not fit into the memory of {where}: {_first_line(error)}\n"
            "Free the card, choose another device, or take a smaller model or bf16."
        ) from error
    return Loaded(model, tokenizer, where, *_identity(name, folder), precision)


def _check_safe(name: str, files: Iterable[str]) -> None:
    """Refuse weights that are pickled: a pickle can run whatever its author wants."""
    if not any(fnmatch(file, _WEIGHTS[0]) for file in files):
        raise GraderError(
            f"The model {name} has pickled weights, which could run code of others, and no safetensors.\n"
            "If you trust it, convert it and name the new folder: python -c "
            '"from transformers import AutoModelForSeq2SeqLM as M, AutoTokenizer as T; '
            f"[X.from_pretrained('{name}').save_pretrained('FOLDER') for X in (M, T)]\""
        )


def spec(name: str) -> tuple[str, str]:
    """Name and revision as `load` will give them, without loading the weights.

    Raises GraderError where the model is neither here nor can the hub be asked.
    """
    folder = find(name)
    if folder:
        return _identity(name, folder)
    return name, str(_ask_hub(name).sha)


def find(name: str) -> Path | None:
    """Folder of a model that needs no network: `name` itself, or its complete copy in the hub's cache.

    Raises GraderError where `name` is a folder without a model, or looks like a folder that doesn't exist.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not _is_complete(folder):
            raise GraderError(
                f"{name}: this folder holds no model. "
                "It needs config.json, model.safetensors and the tokenizer's files, as save_pretrained writes them."
            )
        return folder
    if folder.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise GraderError(f"{name}: no such folder. Name a folder with a model, or a model of the hub.")
    cached = _snapshot(name)
    return cached if cached and _is_complete(cached) else None


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries' progress bars and advice out of our output, for as long as it lasts."""
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging as transformers

    loggers = [logging.getLogger("huggingface_hub"), logging.getLogger("transformers")]
    levels = [logger.level for logger in loggers]
    bars = transformers.is_progress_bar_enabled(), not are_progress_bars_disabled()
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    transformers.disable_progress_bar()
    disable_progress_bars()
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if bars[0]:
            transformers.enable_progress_bar()
        if bars[1]:
            enable_progress_bars()


def _need(*names: str) -> list[Any]:
    try:
        return [import_module(name) for name in names]
    except ImportError as error:
        raise ModelMissing(
            f"Models of this machine need torch and transformers ({error}). Install them: {pip_install('grader')}"
        ) from error


def _device(torch: Any, device: str, precision: str) -> str:
    has_cuda = torch.cuda.is_available()
    where = ("cuda" if has_cuda else "cpu") if device == "auto" else device
    kind, _, number = where.partition(":")
    if kind not in ("cpu", "cuda") or (number and plain_number(number) is None):
        raise UsageError(f"{device}: no such device. There are auto, cpu, cuda, cuda:0, cuda:1, ...")
    if kind == "cuda" and not has_cuda:
        raise GraderError(
            f"{device}: this machine has no CUDA device that torch {torch.__version__} can use. "
            "Use the device auto or cpu; `examboard doctor` says what was found."
        )
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise GraderError(f"{device}: this machine has {torch.cuda.device_count()} CUDA devices, counted from 0.")
    if precision == "tf32" and kind == "cpu":
        raise UsageError("tf32: only NVIDIA cards have it. Use fp32 on a CPU.")
    return where


def _check_t5(name: str, folder: Path) -> None:
    if (kind := _read_json(folder / "config.json").get("model_type", "unknown")) != "t5":
        raise GraderError(
            f"The model {name} is of type {kind}; Examboard loads T5 models (FLAN-T5, monoT5, duoT5 and the like). "
            "Others can be asked by way of an OpenAI-compatible server."
        )


def _is_complete(folder: Path) -> bool:
    indexes = [set(_read_json(path)["weight_map"].values()) for path in folder.glob("*.index.json")]
    whole = any((folder / name).is_file() for name in _WHOLE)
    return (folder / "config.json").is_file() and (
        whole or any(all((folder / part).is_file() for part in parts) for parts in indexes)
    )


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise GraderError(f"{path} is not JSON ({error}). Fetch the model again.") from error


def _identity(name: str, folder: Path) -> tuple[str, str]:
    if Path(name).expanduser().is_dir():
        return folder.resolve().name, _digest(folder)
    return name, folder.name


def _digest(folder: Path) -> str:
    """Hash of everything that answers depend on: weights, configuration and tokenizer."""
    digest = hashlib.sha256()
    for file_name in _JSON_FILES:
        if (folder / file_name).is_file():
            values = _read_json(folder / file_name)
            fields = {key: value for key, value in values.items() if key not in _PASSING}
            digest.update(f"{file_name}\n{json.dumps(fields, sort_keys=True)}\n".encode())
    safe, pickled = (sorted(folder.glob(pattern)) for pattern in _WEIGHTS)
    tokenizer = [folder / file_name for file_name in _TOKENIZER_FILES if (folder / file_name).is_file()]
    for path in [*(safe or pickled), *tokenizer]:
        with path.open("rb") as file:
            digest.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()[:40]


def _snapshot(name: str) -> Path | None:
    """Where the hub's cache keeps the newest commit that it knows of a model."""
    _need("huggingface_hub")
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(name)
    except ValueError as error:
        raise GraderError(f"{name}: neither a folder nor a name of the hub, like google/flan-t5-large.") from error
    config = try_to_load_from_cache(name, "config.json")
    return Path(config).parent if isinstance(config, str) else None


def _ask_hub(name: str) -> Any:
    """What the hub knows of a model: its commit and its files."""
    _need("huggingface_hub")
    from huggingface_hub import HfApi

    # The hub's client raises what its HTTP library raises, and that library changes between versions.
    try:
        return HfApi().model_info(name, timeout=HUB_TIMEOUT_S)
    except Exception as error:
        _not_here(name, error)


def _fetch(name: str) -> Path:
    """Download a model's configuration, tokenizer and weights, the latter as safetensors."""
    from huggingface_hub import snapshot_download

    files = [file.rfilename for file in _ask_hub(name).siblings if "/" not in file.rfilename]
    safe, pickled = ([file for file in files if fnmatch(file, pattern)] for pattern in _WEIGHTS)
    if pickled:
        _check_safe(name, files)
    wanted = [file for file in files if file in (*_JSON_FILES, *_TOKENIZER_FILES) or file.endswith(".index.json")]
    try:
        with quiet():
            # No revision is given: only then does the cache remember that this one is the newest.
            snapshot_download(name, allow_patterns=[*wanted, *safe], etag_timeout=HUB_TIMEOUT_S)
    except Exception as error:
        _not_here(name, error)
    folder = find(name)
    if not folder:
        raise GraderError(f"The model {name} has neither config.json nor weights on the hub, so it can't be loaded.")
    return folder


def _not_here(name: str, error: Exception) -> NoReturn:
    from huggingface_hub import constants
    from huggingface_hub.errors import RepositoryNotFoundError

    if isinstance(error, RepositoryNotFoundError):
        raise GraderError(
            f"{constants.ENDPOINT} has no model {name} for you, and it is not in {constants.HF_HUB_CACHE}. "
            "Correct the name; for a private or gated model run `hf auth login` first."
        ) from error
    raise ModelMissing(
        f"The model {name} is not on this machine (looked in {constants.HF_HUB_CACHE}) and can't be fetched "
        f"from {constants.ENDPOINT}: {_first_line(error)}\n"
        "Without network, do one of these:\n"
        f"- on a machine with network run `hf download {name}`, copy its folder ~/.cache/huggingface to this one, "
        "and name the copy in HF_HOME\n"
        "- give a folder with the model in place of its name"
    ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
