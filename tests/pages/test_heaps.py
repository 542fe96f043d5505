"""How many heaps the server's threads share, as glibc itself counts them."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from pages.shared.heaps import FEW

ROOT = Path(__file__).parents[2]
COUNTED = """
import ctypes, sys, threading
from pages.shared import heaps
if sys.argv[1] == "few":
    heaps.keep_few()
together = threading.Barrier(9)
held = []
def work():
    held.append(bytes(5000))
    together.wait()
    together.wait()
for _ in range(8):
    threading.Thread(target=work).start()
together.wait()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
together.wait()
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="another C library than glibc")
def test_threads_share_a_few_heaps_where_each_would_have_its_own(tmp_path: Path) -> None:
    told = tmp_path / "heaps.xml"
    found = {}
    for how in ("as it comes", "few"):
        subprocess.run([sys.executable, "-c", COUNTED, how, told], check=True, env={"PYTHONPATH": str(ROOT)})
        found[how] = told.read_text().count("<heap nr=")
    assert found["few"] <= FEW < found["as it comes"]
