"""Throws damaged texts and bytes at every place where such enter in memory (`seams.py`).

    PYTHONPATH=. python benchmarks/fuzz_memory.py --inputs 15000 --seed 200 --add benchmarks/fuzz.json
    PYTHONPATH=. python benchmarks/fuzz_memory.py --guided measure --seconds 60

Each has to take or refuse them. Inputs are those that a seam takes, of which pieces were changed, removed, doubled or
joined, as `fuzz.py` has it; what counts as a finding, and what is kept of it, is the same. With `--guided` atheris,
where it is installed (`pip install atheris`), looks for inputs of one seam that reach code which none has reached; it
stops at the first finding and prints it.
"""

from __future__ import annotations

import argparse
import atexit
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import fuzz

SELDOM = 10
"""A slow seam has one input where the others have so many."""
SHORT = 200_000
"""Bytes of an input; what is longer, nobody types."""


def seed_bytes(seam: Any) -> list[bytes]:
    """What a seam takes, as bytes."""
    return [one.encode("utf-8", "surrogatepass") if isinstance(one, str) else one for one in seam.seeds]


def finding(seam: Any, content: bytes) -> str:
    """What a seam does that it must not; empty if it takes or refuses the input."""
    return fuzz.fault_of(seam.call, seam.given(content), documented=seam.documented)


def throw(folder: Path, seconds: float, inputs: int, seed: int, only: str = "") -> dict[str, Any]:
    """Throw inputs at all seams in turn, until the time is over or each had so many.

    Returns
    -------
    how many inputs each seam had, and what was found
    """
    from benchmarks.seams import TOKENS, all_seams

    rng, tokens = random.Random(seed), (*fuzz.TOKENS, *TOKENS)
    seams = {name: (seam, seed_bytes(seam)) for name, seam in all_seams().items() if only in ("", name)}
    among = [one for _, own in seams.values() for one in own]
    counts = {name: {"inputs": 0, "findings": 0} for name in seams}
    slowest = dict.fromkeys(seams, 0.0)
    found: dict[str, str] = {}
    until, began = time.monotonic() + seconds, time.process_time()
    for place in range(inputs):
        if time.monotonic() > until:
            break
        for name, (seam, own) in seams.items():
            if seam.slow and place % SELDOM:
                continue
            content = fuzz.changed(rng, own, among, tokens)[:SHORT]
            before = time.process_time()
            what = finding(seam, content)
            slowest[name] = max(slowest[name], time.process_time() - before)
            counts[name]["inputs"] += 1
            if what:
                counts[name]["findings"] += 1
                fuzz.keep(folder, found, f"{name}: {what}", content)
    slow = max(slowest, key=slowest.__getitem__)
    run = {"seed": seed, "processor_s": round(time.process_time() - began, 1), "slowest_s": round(slowest[slow], 3)}
    return {"runs": [run | {"slowest": slow}], "counts": counts, "found": found}


def guide(name: str, seconds: float) -> None:
    """Let atheris look for inputs of a seam that reach new code."""
    try:
        import atheris
    except ImportError:
        sys.exit("--guided takes atheris, which is not installed here: pip install atheris")
    with atheris.instrument_imports(include=["exam_core", "pages"]):
        from benchmarks.seams import all_seams, place
    seam, corpus = all_seams()[name], place() / "corpus"
    corpus.mkdir()
    for number, one in enumerate(seed_bytes(seam)):
        (corpus / str(number)).write_bytes(one)
    fuzz.bound()

    def one(content: bytes) -> None:
        if what := finding(seam, content):
            raise RuntimeError(f"{name}: {what}: {content!r}")

    atheris.Setup([sys.argv[0], str(corpus), f"-max_total_time={seconds:.0f}", "-rss_limit_mb=0", "-max_len=4096"], one)
    atheris.Fuzz()


def main() -> int:
    """Fuzz the seams, and say what came of it as JSON."""
    parser: argparse.ArgumentParser = fuzz.options(str(__doc__))
    parser.add_argument("--guided", metavar="SEAM", help="let atheris look for inputs of this seam")
    parser.add_argument("--only", metavar="SEAM", default="", help="no other seam")
    asked = parser.parse_args()
    if asked.guided:
        guide(asked.guided, asked.seconds)
    from benchmarks.seams import place

    atexit.register(shutil.rmtree, place(), ignore_errors=True)
    folder = fuzz.folder_of(asked)
    fuzz.bound()
    return fuzz.told(throw(folder, asked.seconds, asked.inputs, asked.seed, asked.only), asked.add, "memory")


if __name__ == "__main__":
    sys.exit(main())
