"""Stands in for the process that has a crew on a Ray cluster: no Ray, and it goes after the first answer."""

import os
import sys
from multiprocessing.connection import Connection

from exam_core.wings.cluster.ray_workers import Answered, Call, Staff


def main(link: Connection) -> None:
    """Three workers that answer one prompt, and end."""
    link.recv()
    print("printed by Ray", flush=True)
    print("warned by Ray", file=sys.stderr, flush=True)
    link.send(Staff(3, 0, 3, {"model": "stub"}, ""))
    call: Call = link.recv()
    link.send(Answered(call.number, [(place, call.prompts[place].context) for place in list(call.prompts)[:1]]))
    os._exit(1)
