"""Faults and power losses in every way to write, as JSON lines.

python -m tests.faults [faults] [power] [--of NAME] [--apart N]
"""

import argparse
import json
import tempfile
from pathlib import Path

from tests.faults.failing import tried
from tests.faults.losing import lost
from tests.faults.tracing import warm
from tests.faults.writing import PATHS


def main() -> None:
    """Try what is asked for, all by default, and print what came of each way to write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["faults", "power"], help="faults, power, or both")
    parser.add_argument("--of", action="append", help="one way to write; may be repeated")
    parser.add_argument("--apart", type=int, default=1, help="of so many faults one is tried")
    options = parser.parse_args()
    warm()
    for name in options.of or PATHS:
        for what in options.what:
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                found = tried(name, folder, apart=options.apart) if what == "faults" else lost(name, folder)
            print(json.dumps({"path": name, "what": what, **vars(found)}), flush=True)


if __name__ == "__main__":
    main()
