"""What the wheel holds besides the package: the dashboard, its settings and the data. All else is in pyproject.toml."""

import gzip
import io
import os
import shutil
import tarfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

BESIDE = ("app.py", "pages", "data", ".streamlit")
"""What lies beside the package in the repository, and in `exam_core/installed` in the wheel (`installation.py`)."""


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


class SameBytes(sdist):
    """Packs the source: the same files give the same bytes, with the time that SOURCE_DATE_EPOCH says.

    A wheel's files get that time from setuptools; an archive's keep that of the disk, and the name of who packed them.
    """

    def make_archive(self, *arguments, **options) -> str:
        """Pack, and pack anew without what differs between two machines."""
        path = super().make_archive(*arguments, **options)
        moment = os.environ.get("SOURCE_DATE_EPOCH")
        if moment is None:
            return path
        packed = io.BytesIO()
        with tarfile.open(path) as before, tarfile.open(fileobj=packed, mode="w") as after:
            for one in sorted(before.getmembers(), key=lambda one: one.name):
                one.mtime, one.uid, one.gid, one.uname, one.gname, one.pax_headers = int(moment), 0, 0, "", "", {}
                one.mode = 0o755 if one.isdir() or one.mode & 0o100 else 0o644
                after.addfile(one, before.extractfile(one) if one.isfile() else None)
        Path(path).write_bytes(gzip.compress(packed.getvalue(), mtime=int(moment)))
        return path


setup(cmdclass={"build_py": WithDashboard, "sdist": SameBytes})
