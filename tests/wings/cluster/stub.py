"""Stands in for the process that has a crew on a Ray cluster: no Ray, and it goes when a test wants it to."""

import os
import sys
from multiprocessing.connection import Connection

from exam_core.wings.cluster.ray_workers import Answered, Call, HiringTerms, Staff, Start

ABOUT = {"model": "stub"}


def main(link: Connection) -> None:
    """Three workers that answer one prompt of each call, and end; after it was lost so, two that answer all."""
    start: Start = link.recv()
    how, again = start.options.model, start.terms is not None
    print("printed by Ray", flush=True)
    print("warned by Ray", file=sys.stderr, flush=True)
    if again and how == "never again":
        return
    link.send(Staff(2 if again else 3, 0, 3, ABOUT, {}, HiringTerms("address", {"num_cpus": 1}, 3), "It was lost."))
    while True:
        try:
            call: Call = link.recv()
        except EOFError:
            return
        places = list(call.prompts) if again else list(call.prompts)[:1]
        link.send(Answered(call.number, [(place, call.prompts[place].context) for place in places]))
        if not again:
            os._exit(1)
