"""CTranslate2 beside transformers' own search, on small models."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

pytest.importorskip("ctranslate2", reason="this grader needs CTranslate2 (pip install -e '.[int8]')")

import pytest
from grading import tiny
from grading.plain import generated

from exam_core.errors import GraderError, UsageError
from exam_core.grading.answerers import local
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Prompt
from exam_core.grading.t5.models import load
from exam_core.jobs import ordering
from exam_core.jobs.comparing import changed
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.watching import ahead
from exam_core.store import Store
from exam_core.wings.ctranslate.backends import CTranslate, cache_folder, converted


@pytest.fixture(scope="module")
def loaded(model_folder):
    return load(str(model_folder), device="cpu")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache") / "ctranslate2"


def texts(answerer, prompts):
    found = dict(answerer.answers(prompts))
    return [found[place].text for place in range(len(prompts))]


PROMPTS = tiny.prompts(40)


@pytest.fixture(scope="module")
def expected(loaded):
    return generated(loaded, PROMPTS)


# Near-ties may go the other way: measured, fp32 gives 300 of 300 answers of transformers, int8 275 of 300, and
# of these 40 31 on a processor without AVX-512.
@pytest.mark.parametrize(("precision", "least"), [("int8", 28), pytest.param("fp32", 39, marks=pytest.mark.thorough)])
def test_nearly_all_answers_are_those_of_transformers(loaded, cache, expected, precision, least):
    found = texts(CTranslate(loaded, precision=precision, cache=cache, batch_tokens=300), PROMPTS)
    assert sum(one == other for one, other in zip(found, expected, strict=True)) >= least
    assert len(set(found)) > 5


@pytest.mark.parametrize("beams", [1, 2])
def test_fewer_beams_answer_as_transformers_does(loaded, cache, beams):
    prompts = PROMPTS[:30]
    expected = generated(loaded, prompts, beams=beams)
    found = texts(CTranslate(loaded, beams=beams, cache=cache), prompts)
    assert sum(one == other for one, other in zip(found, expected, strict=True)) >= 29


@pytest.mark.parametrize(
    "shape", [{}, {"tie_word_embeddings": True, "feed_forward_proj": "relu"}], ids=["FLAN-T5", "first T5"]
)
def test_a_model_that_does_not_stop_is_stopped(tmp_path, shape):
    loaded = load(str(tiny.save(tmp_path / "random", tiny.random_t5(3, **shape))), device="cpu")
    prompts = PROMPTS[:20]
    expected = generated(loaded, prompts, max_new_tokens=6)
    found = texts(CTranslate(loaded, max_new_tokens=6, cache=tmp_path), prompts)
    assert sum(one == other for one, other in zip(found, expected, strict=True)) >= 19


def test_a_cut_passage_is_told(loaded, cache):
    prompts = [Prompt("rate question: river? context: ", " ".join(tiny.WORDS * repeats)) for repeats in (1, 4)]
    answerer = CTranslate(loaded, cache=cache, max_tokens=100)
    assert [answer.cut for _, answer in sorted(answerer.answers(prompts))] == [False, True]
    assert max(answerer.lengths(prompts)) == 95


def test_engine_and_arithmetic_make_another_grader(loaded, cache):
    about = CTranslate(loaded, cache=cache).about
    assert (about["engine"], about["precision"], about["model"]) == ("ctranslate2", "fp32", "tiny-flan-t5")
    assert about != CTranslate(loaded, precision="int8", cache=cache).about
    assert about != CTranslate(loaded, beams=1, cache=cache).about
    assert about == CTranslate(loaded, batch_tokens=100, cache=cache).about


def test_a_model_is_converted_once_and_again_where_it_is_not_whole_or_damaged(loaded, tmp_path):
    folder = converted(loaded, "fp32", tmp_path)
    written = (folder / "model.bin").stat().st_mtime_ns
    assert converted(loaded, "fp32", tmp_path) == folder
    assert (folder / "model.bin").stat().st_mtime_ns == written
    folder = converted(loaded, "fp32", tmp_path)
    (folder / "model.bin").unlink()
    assert (converted(loaded, "fp32", tmp_path) / "model.bin").is_file()
    folder = converted(loaded, "fp32", tmp_path)
    (folder / "model.bin").write_bytes(b"\0" * 100)
    with pytest.raises(GraderError, match=f"can't load {folder} on cpu"):
        CTranslate(loaded, cache=tmp_path)


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_conversion_leaves_the_loaded_model_as_it_is(loaded, tmp_path, precision):
    before = {name: weight.clone() for name, weight in loaded.model.state_dict().items()}
    converted(loaded, precision, tmp_path)
    assert all(torch.equal(weight, before[name]) for name, weight in loaded.model.state_dict().items())


def test_conversions_at_once_leave_one_whole_model(loaded, tmp_path):
    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(lambda _: converted(loaded, "fp32", tmp_path), range(4)))
    assert sorted(tmp_path.iterdir()) == sorted(folders)
    assert {path.name for path in folders.pop().iterdir()} >= {"model.bin", "config.json"}


def test_a_cache_that_cannot_be_written_is_an_error(loaded, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(GraderError, match="can't be written to"):
        CTranslate(loaded, cache=tmp_path / "file")


def test_other_precisions_are_refused(loaded, model_folder, tmp_path):
    with pytest.raises(UsageError, match="fp32 or int8"):
        CTranslate(loaded, precision="bf16", cache=tmp_path)
    half = load(str(model_folder), device="cpu", precision="bf16")
    with pytest.raises(GraderError, match="converts from fp32"):
        CTranslate(half, cache=tmp_path)


def test_the_cache_lies_where_the_system_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "examboard" / "ctranslate2"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "examboard" / "ctranslate2"


def test_without_the_library_the_message_says_how_to_install_it(loaded, monkeypatch):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(GraderError, match=r"This needs CTranslate2.*pip install -e '.+\[grader,int8\]'"):
        CTranslate(loaded)


class Small:
    """A translator whose memory holds so many prompts, and fails otherwise as CTranslate2 does on a card."""

    def __init__(self, translator, most):
        self._translator, self._most, self.sizes = translator, most, []

    def translate_batch(self, rows, **options):
        self.sizes.append(len(rows))
        if len(rows) > self._most:
            raise RuntimeError("CUDA failed with error out of memory")
        return self._translator.translate_batch(rows, **options)


def test_a_batch_that_the_memory_does_not_hold_is_halved_and_a_single_prompt_is_an_error(loaded, cache):
    answerer = CTranslate(loaded, cache=cache)
    expected = texts(answerer, PROMPTS[:20])
    answerer._model = small = Small(answerer._model, 3)
    assert texts(answerer, PROMPTS[:20]) == expected
    assert small.sizes[:2] == [20, 10]
    answerer = CTranslate(loaded, cache=cache)
    answerer._model = Small(answerer._model, 0)
    with pytest.raises(GraderError, match=r"One prompt of \d+ tokens alone does not fit.*error out of memory"):
        texts(answerer, PROMPTS[:2])


def test_the_size_of_a_batch_can_be_chosen(model_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    answerer = local(GradingOptions(str(model_folder), backend="ctranslate2", device="cpu", batch_tokens=1))
    assert isinstance(answerer, CTranslate)
    answerer._model = small = Small(answerer._model, 1)
    texts(answerer, PROMPTS[:5])
    assert small.sizes == [1] * 5


INT8 = GradingOptions(backend="ctranslate2", precision="int8")


def test_the_command_names_backend_and_precision():
    words = ordering.arguments(JobRequest(Order("demo", "self-rating", INT8, bank="open")))
    assert {"--backend", "ctranslate2", "--precision", "int8"} <= set(words)


def test_a_precision_that_torch_does_not_have_is_refused_without_loading_a_model(demo_store):
    store = Store(demo_store)
    with pytest.raises(UsageError, match="add --backend ctranslate2"):
        ahead(
            store.snapshot("demo"), store, Order("demo", "self-rating", GradingOptions(precision="int8"), bank="open")
        )


def test_either_word_asks_the_other_backend():
    assert changed(GradingOptions(), "int8") == INT8
    assert changed(GradingOptions(), "ctranslate2") == GradingOptions(backend="ctranslate2")
