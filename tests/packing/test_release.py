"""What a release says: one version in all places, its papers as the program has them, licences of what it brings."""

import importlib.util
import re
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml

from exam_core import __version__
from exam_core.reports.methods_paragraph import PAPERS, bibtex

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    """The script that writes a version."""
    spec = importlib.util.spec_from_file_location("version", ROOT / ".ci" / "version.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(root, script):
    """The versions that each place names."""
    return {
        name: set(re.findall(place, (root / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name, place in script.PLACES.items()
    }


def test_all_places_name_the_version_of_the_package(script):
    assert {version for found in named(ROOT, script).values() for version in found} == {__version__}
    assert tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dynamic"] == ["version"]


def test_the_changelog_tells_of_this_version_below_what_is_unreleased():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert __version__ in [heading.partition(" ")[0] for heading in headings]


def test_one_command_sets_a_version_everywhere(script, tmp_path):
    for name in (*script.PLACES, "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    before = named(tmp_path, script)
    script.put(tmp_path, "17.0.3", "2031-02-03")
    assert named(tmp_path, script) == {name: {"17.0.3"} if found else set() for name, found in before.items()}
    assert "## Unreleased\n\n## 17.0.3 - 2031-02-03\n" in (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_file_names_the_papers_as_the_program_does():
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    ours = {re.sub("[{}]", "", title) for title in re.findall("title = {(.*)},", bibtex(PAPERS))}
    assert (said["cff-version"], said["title"], said["license"]) == ("1.2.0", "Examboard", "Apache-2.0")
    assert {paper["title"] for paper in said["references"]} <= ours


def test_the_page_on_citing_has_our_own_entry():
    assert PAPERS[-1].bibtex in (ROOT / "docs" / "how-to" / "cite.md").read_text(encoding="utf-8")


def test_the_licence_of_whatever_else_is_shipped_goes_along():
    files = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["license-files"]
    brought = {str(path.relative_to(ROOT)) for path in ROOT.glob("exam_core/**/LICENSE")} | {"data/wordnet/README.md"}
    assert set(files) == {"LICENSE"} | brought
    assert [
        name for name in files if not re.search("permission|licen[sc]e", (ROOT / name).read_text("utf-8"), re.I)
    ] == []
