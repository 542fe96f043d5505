"""CTranslate2 beside transformers' own search, on small models."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

pytest.importorskip("ctranslate2", reason="this grader needs CTranslate2 (pip install 'examboard[int8]')")

from exam_core.errors import GraderError, UsageError
from exam_core.grading.asking import Prompt
from exam_core.grading.ctranslate import CTranslate, cache_folder, converted
from exam_core.grading.fitting import fit_all
from exam_core.grading.models import Loaded, load
from grading import tiny


@pytest.fixture(scope="module")
def loaded(model_folder: Path) -> Loaded:
    """The trained T5."""
    return load(str(model_folder), device="cpu")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where converted models are kept, for all tests here."""
    return tmp_path_factory.mktemp("cache") / "ctranslate2"


def generated(loaded: Loaded, prompts: list[Prompt], beams: int = 5, longest: int = 40) -> list[str]:
    """What transformers answers, each prompt alone."""
    answers = []
    for fitted in fit_all(loaded.tokenizer, prompts):
        ids = loaded.model.generate(
            torch.tensor([fitted.ids]),
            attention_mask=torch.ones((1, len(fitted.ids)), dtype=torch.long),
            num_beams=beams,
            early_stopping=beams > 1,
            max_new_tokens=longest,
        )
        answers.append(loaded.tokenizer.decode(ids[0], skip_special_tokens=True, clean_up_tokenization_spaces=False))
    return answers


def texts(answerer: CTranslate, prompts: list[Prompt]) -> list[str | None]:
    """The answers in the order of the prompts."""
    found = dict(answerer.answers(prompts))
    return [found[place].text for place in range(len(prompts))]


# Near-ties may go the other way: measured, fp32 gives 300 of 300 answers of transformers, int8 275 of 300.
@pytest.mark.parametrize(("precision", "least"), [("fp32", 98), ("int8", 85)])
def test_nearly_all_answers_are_those_of_transformers(loaded: Loaded, cache: Path, precision: str, least: int) -> None:
    prompts = tiny.prompts(100)
    expected = generated(loaded, prompts)
    found = texts(CTranslate(loaded, precision=precision, cache=cache, batch_tokens=300), prompts)
    assert sum(one == other for one, other in zip(found, expected, strict=True)) >= least
    assert len(set(found)) > 10


@pytest.mark.parametrize("beams", [1, 2])
def test_fewer_beams_answer_as_transformers_does(loaded: Loaded, cache: Path, beams: int) -> None:
    prompts = tiny.prompts(40, seed=8)
    expected = generated(loaded, prompts, beams)
    found = texts(CTranslate(loaded, beams=beams, cache=cache), prompts)
    assert sum(one == other for one, other in zip(found, expected, strict=True)) >= 38


@pytest.mark.parametrize(
    "shape", [{}, {"tie_word_embeddings": True, "feed_forward_proj": "relu"}], ids=["FLAN-T5", "first T5"]
)
def test_a_model_that_does_not_stop_is_stopped(tmp_path: Path, shape: dict[str, object]) -> None:
    loaded = load(str(tiny.save(tmp_path / "random", tiny.random_t5(3, **shape))), device="cpu")
    prompts = tiny.prompts(20)
    expected = generated(loaded, prompts, longest=6)
    found = texts(CTranslate(loaded, max_new_tokens=6, cache=tmp_path), prompts)
    assert sum(one == other for one, other in zip(found, expected, strict=True)) >= 19


def test_a_cut_passage_is_told(loaded: Loaded, cache: Path) -> None:
    prompts = [Prompt("rate question: river? context: ", " ".join(tiny.WORDS * repeats)) for repeats in (1, 4)]
    answerer = CTranslate(loaded, cache=cache, max_tokens=100)
    assert [answer.cut for _, answer in sorted(answerer.answers(prompts))] == [False, True]
    assert max(answerer.lengths(prompts)) == 95


def test_engine_and_arithmetic_make_another_grader(loaded: Loaded, cache: Path) -> None:
    about = CTranslate(loaded, cache=cache).about
    assert (about["engine"], about["precision"], about["model"]) == ("ctranslate2", "fp32", "tiny-flan-t5")
    assert about != CTranslate(loaded, precision="int8", cache=cache).about
    assert about != CTranslate(loaded, beams=1, cache=cache).about
    assert about == CTranslate(loaded, batch_tokens=100, cache=cache).about


def test_a_model_is_converted_once(loaded: Loaded, tmp_path: Path) -> None:
    folder = converted(loaded, "fp32", tmp_path)
    written = (folder / "model.bin").stat().st_mtime_ns
    assert converted(loaded, "fp32", tmp_path) == folder
    assert (folder / "model.bin").stat().st_mtime_ns == written


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_conversion_leaves_the_loaded_model_as_it_is(loaded: Loaded, tmp_path: Path, precision: str) -> None:
    before = {name: weight.clone() for name, weight in loaded.model.state_dict().items()}
    converted(loaded, precision, tmp_path)
    assert all(torch.equal(weight, before[name]) for name, weight in loaded.model.state_dict().items())


def test_conversions_at_once_leave_one_whole_model(loaded: Loaded, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(lambda _: converted(loaded, "fp32", tmp_path), range(4)))
    assert sorted(tmp_path.iterdir()) == sorted(folders)
    assert {path.name for path in folders.pop().iterdir()} >= {"model.bin", "config.json"}


def test_a_folder_that_is_not_whole_is_converted_again(loaded: Loaded, tmp_path: Path) -> None:
    folder = converted(loaded, "fp32", tmp_path)
    (folder / "model.bin").unlink()
    assert (converted(loaded, "fp32", tmp_path) / "model.bin").is_file()


def test_a_damaged_conversion_names_the_folder_to_remove(loaded: Loaded, tmp_path: Path) -> None:
    folder = converted(loaded, "fp32", tmp_path)
    (folder / "model.bin").write_bytes(b"\0" * 100)
    with pytest.raises(GraderError, match=f"can't load {folder} on cpu"):
        CTranslate(loaded, cache=tmp_path)


def test_a_cache_that_cannot_be_written_is_an_error(loaded: Loaded, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(GraderError, match="can't be written to"):
        CTranslate(loaded, cache=tmp_path / "file")


def test_other_precisions_are_refused(loaded: Loaded, model_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="fp32 or int8"):
        CTranslate(loaded, precision="bf16", cache=tmp_path)
    half = load(str(model_folder), device="cpu", precision="bf16")
    with pytest.raises(GraderError, match="converts from fp32"):
        CTranslate(half, cache=tmp_path)


def test_the_cache_lies_where_the_system_keeps_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "examboard" / "ctranslate2"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "examboard" / "ctranslate2"


def test_without_the_library_the_message_says_how_to_install_it() -> None:
    program = """
import sys
sys.modules["ctranslate2"] = None
from exam_core.grading.ctranslate import CTranslate
try:
    CTranslate(None)
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("GraderError This needs CTranslate2")
    assert "pip install 'examboard[grader,int8]'" in done.stdout
