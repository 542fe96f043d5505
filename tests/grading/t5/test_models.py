"""Loading models: from folders, from a hub, and what is said when that can't be."""

import json
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from grading import hub, tiny
from safetensors.torch import load_file, save_file

from exam_core.errors import GraderError, UsageError
from exam_core.grading.t5 import models
from exam_core.grading.t5.models import load, spec


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """An empty cache of the hub, and an address of the hub where nobody answers."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    at(monkeypatch, "http://127.0.0.1:9")
    return tmp_path / "hub"


def at(monkeypatch, address):
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    monkeypatch.setattr(
        "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}"
    )


@pytest.fixture
def copied(model_folder, tmp_path):
    return Path(shutil.copytree(model_folder, tmp_path / "copied"))


def test_a_loaded_model_is_ready_to_answer_as_the_saved_one_and_says_nothing(model_folder, trained, capfd):
    loaded = load(str(model_folder), device="cpu")
    assert capfd.readouterr() == ("", "")
    assert (loaded.name, loaded.device, loaded.precision) == ("tiny-flan-t5", "cpu", "fp32")
    assert spec(str(model_folder)) == (loaded.name, loaded.revision)
    assert not loaded.model.training
    assert not any(parameter.requires_grad for parameter in loaded.model.parameters())
    assert not torch.equal(loaded.model.lm_head.weight, loaded.model.shared.weight)
    batch = loaded.tokenizer("what is after river? water", return_tensors="pt")
    start = torch.zeros((1, 1), dtype=torch.long)
    logits = [model(**batch, decoder_input_ids=start).logits for model in (loaded.model, trained)]
    torch.testing.assert_close(*logits, rtol=0, atol=1e-5)


def test_bf16_halves_the_weights(model_folder):
    model = load(str(model_folder), device="cpu", precision="bf16").model
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}


def test_a_model_saved_again_has_the_same_revision(model_folder, tmp_path):
    first = load(str(model_folder), device="cpu")
    again = tiny.save(tmp_path / "again", first.model, first.tokenizer)
    assert load(str(again), device="cpu").revision == first.revision


def test_another_weight_is_another_revision(copied):
    before = spec(str(copied))[1]
    weights = load_file(copied / "model.safetensors")
    weights["shared.weight"][3, 0] += 1e-3
    save_file(weights, copied / "model.safetensors", {"format": "pt"})
    assert spec(str(copied))[1] != before


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_another_configuration_is_another_revision(copied, name):
    before = spec(str(copied))[1]
    values = json.loads((copied / name).read_text())
    (copied / name).write_text(json.dumps(values | {"layer_norm_epsilon": 0.5}))
    assert spec(str(copied))[1] != before


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"precision": "fp16"}, UsageError, "overflows"),
        ({"precision": "fp8"}, UsageError, "fp32, tf32, bf16"),
        ({"precision": "tf32", "device": "cpu"}, UsageError, "only NVIDIA"),
        ({"device": "tpu"}, UsageError, "auto, cpu, cuda"),
        ({"device": "cuda:x"}, UsageError, "auto, cpu, cuda"),
    ],
    ids=["fp16", "unknown precision", "tf32 on a cpu", "unknown device", "odd device"],
)
def test_an_option_out_of_range_is_refused(model_folder, options, error, says):
    with pytest.raises(error, match=says):
        load(str(model_folder), **options)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_cuda_where_there_is_none_names_the_way_out(model_folder):
    with pytest.raises(GraderError, match="Use the device auto or cpu"):
        load(str(model_folder), device="cuda")


def test_a_generating_model_is_no_extractive_one_nor_the_other_way_round(model_folder, extractive_folder):
    with pytest.raises(GraderError, match=r"lacks weights of a T5ForQuestionAnswering: qa_outputs\.bias"):
        load(str(model_folder), "extract", device="cpu")
    with pytest.raises(GraderError, match="marks answers in a passage"):
        load(str(extractive_folder), device="cpu")


def test_another_architecture_is_named(copied):
    (copied / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(GraderError, match="of type bert; Examboard loads T5"):
        load(str(copied), device="cpu")


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "model.safetensors.index.json"])
def test_a_configuration_that_is_no_json_is_named(copied, name):
    (copied / name).write_text("{")
    with pytest.raises(GraderError, match=f"{re.escape(name)} is not JSON"):
        spec(str(copied))


def test_an_index_of_weights_that_are_not_needed_is_no_matter(copied):
    index = {"weight_map": {"shared.weight": "pytorch_model-1.bin"}}
    (copied / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    assert load(str(copied), device="cpu").name == "copied"


def test_weights_that_are_pickled_are_refused_and_how_to_write_them_anew_is_said(copied):
    (copied / "model.safetensors").rename(copied / "pytorch_model.bin")
    with pytest.raises(GraderError, match=r"could run code of others.*\n.*save_pretrained"):
        load(str(copied), device="cpu")


def test_damaged_weights_are_an_error_that_says_what_to_do(copied):
    weights = copied / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-400])
    with pytest.raises(GraderError, match="fetch the model again"):
        load(str(copied), device="cpu")


def test_weights_of_another_shape_are_an_error(copied):
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"d_ff": 99}))
    with pytest.raises(GraderError, match="can't be read"):
        load(str(copied), device="cpu")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_folder_without_a_model_is_an_error(copied, name):
    (copied / name).unlink()
    with pytest.raises(GraderError, match="holds no model"):
        load(str(copied), device="cpu")


def test_a_missing_shard_is_noticed(copied):
    (copied / "model.safetensors").rename(copied / "model-1.safetensors")
    index = {"weight_map": {"shared.weight": "model-1.safetensors", "lm_head.weight": "model-2.safetensors"}}
    (copied / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(GraderError, match="holds no model"):
        load(str(copied), device="cpu")


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "models/flan/large"])
def test_a_folder_that_does_not_exist_is_not_sought_on_the_hub(name):
    with pytest.raises(GraderError, match="no such folder"):
        load(name, device="cpu")


def test_a_name_that_no_hub_can_have_is_an_error():
    with pytest.raises(GraderError, match="nor a name of the hub"):
        load("flan t5?", device="cpu")


@pytest.mark.parametrize("library", ["torch", "transformers"])
def test_without_the_libraries_the_message_says_how_to_install_them(model_folder, library):
    # The other library is an empty one: loading it takes seconds.
    program = f"""
import sys, types
sys.modules |= {{"torch": types.ModuleType("torch"), "transformers": types.ModuleType("transformers")}}
sys.modules["{library}"] = None
from exam_core.grading.t5.models import load
try:
    load({str(model_folder)!r})
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("ModelMissing Models of this machine need torch and transformers")
    assert "[grader]'" in done.stdout


@pytest.mark.parametrize("ask", [load, spec], ids=["load", "spec"])
def test_without_network_the_message_names_model_cache_and_ways_out(hub_cache, ask, capfd):
    began = time.monotonic()
    with pytest.raises(GraderError) as caught:
        ask("google/flan-t5-large")
    assert time.monotonic() - began < 5
    for words in ("google/flan-t5-large", str(hub_cache), "hf download", "HF_HOME"):
        assert words in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("hub_cache")
def test_a_hub_that_never_answers_is_given_up(monkeypatch):
    monkeypatch.setattr(models, "HUB_TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        at(monkeypatch, f"http://127.0.0.1:{silent.getsockname()[1]}")
        began = time.monotonic()
        with pytest.raises(GraderError, match="can't be fetched"):
            load("google/flan-t5-large")
        assert time.monotonic() - began < 5


@pytest.fixture
def tiny_hub(hub_cache, copied, monkeypatch):
    (copied / "pytorch_model.bin").write_bytes(b"the same weights, pickled")
    assert not hub_cache.exists()
    with hub.serving(tiny__t5=copied) as serving:
        at(monkeypatch, serving.address)
        yield serving


def test_a_model_is_fetched_once_with_its_commit_as_revision_and_not_as_pickle(tiny_hub, capfd):
    assert spec("tiny/t5") == ("tiny/t5", hub.COMMIT)
    assert not [path for path in tiny_hub.asked if "/resolve/" in path]
    loaded = load("tiny/t5", device="cpu")
    assert (loaded.name, loaded.revision, capfd.readouterr()) == ("tiny/t5", hub.COMMIT, ("", ""))
    fetched = {path.split("/")[-1] for path in tiny_hub.asked if "/resolve/" in path}
    assert ("model.safetensors" in fetched, "pytorch_model.bin" in fetched) == (True, False)
    asked = len(tiny_hub.asked)
    assert load("tiny/t5", device="cpu").revision == hub.COMMIT
    assert spec("tiny/t5") == ("tiny/t5", hub.COMMIT)
    assert len(tiny_hub.asked) == asked


@pytest.mark.usefixtures("tiny_hub")
def test_a_download_that_broke_off_is_completed_and_what_the_hub_does_not_have_is_an_error(hub_cache):
    load("tiny/t5", device="cpu")
    for weights in hub_cache.rglob("model.safetensors"):
        weights.unlink()
    assert load("tiny/t5", device="cpu").revision == hub.COMMIT
    with pytest.raises(GraderError, match="has no model tiny/t6 for you"):
        load("tiny/t6", device="cpu")
