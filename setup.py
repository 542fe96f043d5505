"""What the wheel holds besides the package: the dashboard, its settings and the data. All else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

BESIDE = ("app.py", "pages", "data", ".streamlit")
"""What lies beside the package in the repository, and in `exam_core/installed` in the wheel (exam_core/home.py)."""


class WithDashboard(build_py):
    """Builds the package, and puts what lies beside it into it; an editable install finds that in the repository."""

    def run(self) -> None:
        """Build."""
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "exam_core" / "installed"
        shutil.rmtree(target, ignore_errors=True)  # of an earlier build
        for name in BESIDE:
            files = [Path(name)] if Path(name).is_file() else sorted(Path(name).rglob("*"))
            for path in files:
                if path.is_file() and path.suffix != ".pyc":
                    (target / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, target / path)


setup(cmdclass={"build_py": WithDashboard})
