"""What `make wheel` makes: a wheel that works outside the repository, and a source distribution with all there is."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BESIDE = ("app.py", "pages", "data", ".streamlit")
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
MOMENT = {"SOURCE_DATE_EPOCH": "1764100000"}
PAGE = """
import os, sys
from exam_core.installation import home
from streamlit.testing.v1 import AppTest
os.chdir(home())
sys.path.insert(0, str(home()))
test = AppTest.from_file("app.py", default_timeout=60)
test.query_params["collection"] = "demo"
test.run()
print(home(), [one.value for one in test.exception], [one.value for one in test.error])
"""


def built(arguments, into):
    """Run setup.py; what it notes of the package goes into a folder, too."""
    command = [sys.executable, "-W", "ignore", "setup.py", "-q", "egg_info", "--egg-base", str(into), *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def tracked(*paths):
    """Files of the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("only a repository knows its files")
    return set(subprocess.check_output(["git", "ls-files", "-z", *paths], cwd=ROOT, text=True).strip("\0").split("\0"))


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """What goes into the wheel, as a folder."""
    folder = tmp_path_factory.mktemp("package")
    built(["build", "--build-base", str(folder), "--build-lib", str(folder / "lib")], folder)
    return folder / "lib"


def test_the_wheel_holds_the_package_and_in_it_what_lies_beside_it(package):
    wanted = tracked("exam_core") | {f"exam_core/installed/{path}" for path in tracked(*BESIDE)}
    found = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    assert wanted <= found
    assert {path for path in found - wanted if path.startswith("exam_core/installed/")} <= {
        f"exam_core/installed/{path}" for path in untracked()
    }


def untracked():
    """What somebody put beside the files of the repository."""
    return tracked("--others", "--", *BESIDE)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The source distribution, twice: of two copies of the repository whose files have other times and modes."""
    found = []
    for number in range(2):
        folder = tmp_path_factory.mktemp(f"source{number}")
        source = copied(folder / "copy")
        for path in source.rglob("*"):
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
            path.chmod(0o755 if path.is_dir() else 0o664 - 0o20 * number)
        command = [sys.executable, "-W", "ignore", "setup.py", "-q", "sdist", "--dist-dir", str(folder)]
        subprocess.run(command, cwd=source, check=True, capture_output=True, env=os.environ | MOMENT)
        found.append(next(folder.glob("*.tar.gz")))
    return found


@pytest.fixture(scope="module")
def wheels(sources, tmp_path_factory):
    """The wheels of both."""
    found = []
    for source in sources:
        folder = tmp_path_factory.mktemp("wheel")
        make = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
        subprocess.run([*PIP, *make], check=True, capture_output=True, env=os.environ | MOMENT)
        found.append(next(folder.glob("*.whl")))
    return found


@pytest.mark.thorough
def test_the_source_distribution_is_the_repository(sources):
    with tarfile.open(sources[0]) as file:
        found = {one.name.partition("/")[2] for one in file.getmembers() if one.isfile()}
    assert tracked() <= found


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["sources", "wheels"])
def test_built_twice_a_package_has_the_same_bytes(kind, request):
    first, second = request.getfixturevalue(kind)
    assert (first.name, first.read_bytes()) == (second.name, second.read_bytes())


@pytest.fixture(scope="module", params=["sources", "wheels"])
def installed(request, tmp_path_factory):
    """The programs of an environment with the package, and with our libraries, but not with the repository."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=False)
    (libraries,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (libraries / "ours.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    package = request.getfixturevalue(request.param)[0]
    put = ["--python", str(folder / "venv" / "bin" / "python"), "install", "--no-deps", "--no-build-isolation"]
    subprocess.run([*PIP, *put, "--force-reinstall", str(package)], check=True, capture_output=True)
    return folder / "venv" / "bin"


def copied(target):
    """The repository, so that what is built leaves nothing in it."""
    for path in tracked():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes((ROOT / path).read_bytes())
    return target


@pytest.mark.thorough
def test_installed_the_demo_is_built_graded_by_a_model_and_opened(installed, model_folder, tmp_path):
    own = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "EXAMBOARD_STORE")}

    def said(*command):
        return subprocess.check_output(list(map(str, command)), cwd=tmp_path, env=own, text=True)

    said(installed / "examboard", "demo")
    assert "dl19-published" in said(installed / "examboard", "list")
    grade = ("grade", "demo", "--bank", "open", "--model", model_folder, "--device", "cpu", "--limit", "40")
    graded = json.loads(said(installed / "examboard", *grade, "--format", "json"))
    assert (graded["state"], graded["done"]) == ("done", 40)
    board = ("leaderboard", "demo", "--bank", "open", "--grader", graded["grader"], "--format", "json")
    assert json.loads(said(installed / "examboard", *board))["rows"]
    own["EXAMBOARD_STORE"] = str(tmp_path / "store")
    where, _, wrong = said(installed / "python", "-c", PAGE).strip().partition(" ")
    assert where.endswith("site-packages/exam_core/installed")
    assert wrong == "[] []"

    command = [installed / "examboard", "open", "demo", "--no-browser"]
    with subprocess.Popen(command, cwd=tmp_path, env=own, text=True, stdout=subprocess.PIPE) as process:
        address = process.stdout.readline().removeprefix("Examboard: ").strip()
        with urllib.request.urlopen(address, timeout=5) as page:
            assert page.status == 200
        process.terminate()
        assert process.wait(20) == 0
