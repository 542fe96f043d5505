"""The request of a probe for gullibility. Light to load: the command line is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.declared import Field
from exam_core.defaults import SEED
from exam_core.jobs.ordering import Order
from exam_core.request import RELEVANT_FROM, RelevantFrom

SAMPLE = 200


@dataclass(frozen=True)
class ProbeRequest:
    """Whom to ask about perturbed passages, and about which.

    Parameters
    ----------
    order : the grader; its `limit` doesn't count
    judgments : which say what is not relevant; None: official if there are, else the first
    price : of an hour of this machine, in any currency; for a plan
    """

    order: Order
    sample: Annotated[
        int, Field("Non-relevant passages to draw, spread over the queries.", least=1, label="Passages")
    ] = SAMPLE
    seed: Annotated[
        int, Field("Seed of the sample; a larger sample of the same seed holds the smaller one.", least=0, label="Seed")
    ] = SEED
    judgments: Annotated[
        str | None, Field("Human judgments of relevance; official if there are any.", label="Judgments for the draw")
    ] = None
    relevant_from: RelevantFrom = RELEVANT_FROM
    plan: Annotated[bool, Field("Print the prompts, time and price, and stop.")] = False
    price: Annotated[
        float | None, Field("Price of an hour of this machine, for the plan.", least=0, label="Price per hour")
    ] = None
