"""What is installed: pinned, hashed, listed with its licence; and no model brings code."""

import ast
import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = [ROOT / "app.py", *sorted((ROOT / "exam_core").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]
RUNS_CODE = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
"""Modules that run what a file says. A benchmark writes such a file and reads it again."""


def pins(name):
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return {package.lower().replace("_", "-"): version for package, version in found}


@pytest.fixture
def audit():
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_pin_has_hashes_and_no_other_version():
    pinned, hashed = pins("requirements.txt"), pins("requirements-hashes.txt")
    assert {name: hashed.get(name) for name in pinned} == pinned


@pytest.mark.parametrize("name", ["requirements-hashes.txt", "requirements-tools.txt"])
def test_every_entry_has_a_hash_and_none_names_a_host(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert len(entries) > 10
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text


def test_every_pin_is_in_the_list_of_licences():
    listed = dict(
        re.findall(r"^\| ([\w.-]+) \| (\S+) \|", (ROOT / "docs/reference/licences.md").read_text("utf-8"), re.MULTILINE)
    )
    found = {name.lower().replace("_", "-"): version for name, version in listed.items()}
    assert found == pins("requirements.txt") | {"package": "version", "---": "---"}


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ("", 2, "not audited"),
        ("null", 2, "not audited"),
        (json.dumps({"dependencies": [{"name": "a", "skip_reason": "no answer"}]}), 2, "not audited"),
        (json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}), 2, "not audited"),
        (json.dumps({"dependencies": [{"name": n, "version": "1", "vulns": []} for n in "ab"]}), 0, "no advisory"),
        (json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1"}]}]}), 1, "a 1: X-1"),
    ],
)
def test_nothing_is_called_clean_that_was_not_looked_up(audit, said, status, words):
    found, text = audit.verdict(said, 2)
    assert (found, words in text) == (status, True)


def test_no_model_brings_code_and_weights_are_safetensors():
    wrong = []
    words = re.compile("|".join([*RUNS_CODE, "from_pretrained", "trust_remote_code", "torch.load"]))
    for path in SOURCE:
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if words.search(source) else ():
            if isinstance(node, ast.keyword) and node.arg == "trust_remote_code":
                wrong += [path] * (ast.unparse(node.value) != "False")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                said = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
                if node.func.attr == "from_pretrained":
                    wrong += [path] * (
                        said.get("use_safetensors", said.get("trust_remote_code")) not in ("True", "False")
                    )
                wrong += [path] * (ast.unparse(node.func) == "torch.load")
            elif isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", "") or ""}
                wrong += [path] * bool(names & RUNS_CODE and "bench" not in path.parts)
    assert [str(path.relative_to(ROOT)) for path in wrong] == []
