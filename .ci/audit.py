"""Looks every pinned package up in an advisory database. Where none can be reached the answer is "not audited".

    python .ci/audit.py PYTHON-WITH-PIP-AUDIT [REQUIREMENTS]

Exit status: 0 nothing known, 1 advisories, 2 not audited.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def verdict(said: str, wanted: int) -> tuple[int, str]:
    """Exit status and words for what pip-audit printed as JSON; `wanted` is how many packages it was asked about."""
    try:
        found: list[dict[str, Any]] = json.loads(said)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return 2, "not audited: no advisory database could be reached"
    audited = [one for one in found if "vulns" in one]
    bad = [f"{one['name']} {one['version']}: {vuln['id']}" for one in audited for vuln in one["vulns"]]
    if bad:
        return 1, "\n".join([*bad, f"{len(bad)} advisories in {len(audited)} of {wanted} packages"])
    if len(audited) < wanted:
        return 2, f"not audited: {wanted - len(audited)} of {wanted} packages could not be looked up"
    return 0, f"no advisory is known of any of the {wanted} packages"


def main(python: str, requirements: str = "requirements.txt") -> int:
    """Ask, and say what came of it."""
    with open(requirements, encoding="utf-8") as file:  # noqa: PTH123
        wanted = sum("==" in line for line in file if not line.startswith(("#", " ")))
    options = ["--no-deps", "--disable-pip", "--progress-spinner=off", "--format=json", "--timeout=10"]
    done = subprocess.run(
        [python, "-m", "pip_audit", *options, "--requirement", requirements],
        capture_output=True,
        text=True,
        check=False,
    )
    status, words = verdict(done.stdout, wanted)
    print(words)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
