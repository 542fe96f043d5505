"""Containers, workflows, hooks and the devcontainer name what there is. `make container-check` runs the containers."""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.test_how_to import named_options

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
HOOKS, DEVELOPMENT = ROOT / ".pre-commit-config.yaml", ROOT / ".devcontainer" / "devcontainer.json"
FILES = [ROOT / "Dockerfile", ROOT / "compose.yaml", HOOKS, DEVELOPMENT, *WORKFLOWS]
NGINX = (ROOT / "docs" / "how-to" / "nginx.conf").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def words(path):
    """A file without its comments."""
    return re.sub(r"^ *#.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


def targets():
    """What `make` can make."""
    return set(re.findall(r"^([\w./-]+):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_make_is_told_to_make_is_there(path):
    told = re.findall(r'(?:&& |: |")make ((?:[\w./-]+(?=\s|"|$) ?)+)', words(path))
    assert {name for line in told for name in line.split()} <= targets()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_scripts_that_are_named_can_be_run(path):
    for name in re.findall(r"\.ci/[\w.]+", words(path)):
        assert os.access(ROOT / name, os.X_OK), name


def test_the_image_is_made_of_what_is_named_and_installs_extras_that_there_are():
    names = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name in names if not (ROOT / name).exists()] == []
    beside = re.findall(r'"([^"]+)"', re.search(r"^BESIDE = (.*)$", words(ROOT / "setup.py"), re.MULTILINE)[1])
    needed = {*beside, "exam_core", "requirements.txt", "pyproject.toml", "setup.py", "Makefile", PROJECT["readme"]}
    assert needed | {"LICENSE"} == {name.partition("/")[0] for name in names}
    serving = re.search(r'SERVING="(.*?)"', words(ROOT / "Dockerfile"))[1]
    assert set(re.findall(r"[a-z]\w*", serving)) <= set(PROJECT["optional-dependencies"])


def test_commands_of_the_containers_have_only_options_that_there_are():
    composed = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["dashboard"]["command"]
    started = json.loads(re.search(r"^CMD (.*)$", words(ROOT / "Dockerfile"), re.MULTILINE)[1])
    commands = re.findall(r"examboard ([^&]+)", " && ".join([composed, *started]))
    assert len(commands) == 3
    for command in commands:
        named_options(command)


def test_nginx_of_the_containers_finds_what_its_configuration_names():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    mounted = {volume.split(":")[1] for volume in services["nginx"]["volumes"]}
    assert set(re.findall(r"ssl_certificate(?:_key)? +(.*)/", NGINX)) <= mounted
    assert re.search(r"access_log (/\S+)", NGINX)[1] in services["nginx"]["command"]
    # It asks the dashboard at 127.0.0.1, so both have one network.
    assert ("http://127.0.0.1:8501" in NGINX, services["dashboard"]["network_mode"]) == (True, "service:nginx")
    files = {volume.split(":")[1] for volume in services["dashboard"]["volumes"]}
    assert {str(Path(name).parent) for name in re.findall(r"/team/\S+", services["dashboard"]["command"])} <= files


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_read_and_take_actions_by_their_hash(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    used = [step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []


def test_the_checks_run_with_every_version_of_python_that_the_documents_name():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    versions = workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert PROJECT["requires-python"] == f">={versions[0]}"
    text = (ROOT / "docs" / "how-to" / "check-what-is-installed.md").read_text(encoding="utf-8")
    assert re.findall(r"3\.\d+", text.rpartition("tested with")[2]) == versions


def test_a_commit_is_checked_by_make_lint_alone():
    (repository,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))["repos"]
    assert [(hook["entry"], hook["language"]) for hook in repository["hooks"]] == [("make lint", "system")]
