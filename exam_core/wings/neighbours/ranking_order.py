"""What ranks generated answers among documents, as a person chooses it; imports nothing that computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.declared import Field
from exam_core.grading.backend import LONGEST, Device

LEXICAL = ("tfidf", "bm25", "dph")
"""Rankers by words, of `exam_core.texts.rankers`."""
MODELS = {"monot5": "castorini/monot5-base-msmarco", "duot5": "castorini/duot5-base-msmarco"}
"""Neural rankers, with the model that each is unless another one is named."""
OF_A_RUN = "run:"


@dataclass(frozen=True)
class RankingOrder:
    """What ranks the answers, among what; `run:NAME` as `by` is a run that ranks answers and documents together."""

    by: Annotated[str, Field(f"Ranker: {', '.join((*LEXICAL, *MODELS))}, or run:NAME.", option="--by")]
    judgments: Annotated[str | None, Field("Judgments of the documents to rank; by default all.")] = None
    ranker: Annotated[str | None, Field("Name of the ranks; by default that of the ranker.")] = None
    model: Annotated[str | None, Field("Model of monot5 or duot5: a folder, or a name of the Hugging Face hub.")] = None
    device: Annotated[Device, Field("Device of the model.")] = "auto"
    first: Annotated[
        int, Field("Texts that duot5 compares: the answer and the first documents by BM25.", least=1, most=1000)
    ] = 50
    max_tokens: Annotated[int, Field("Length of a prompt; the text is cut to fit.", least=32)] = LONGEST

    @property
    def name(self) -> str:
        """The name that the ranks are stored under."""
        return self.ranker or self.by.removeprefix(OF_A_RUN)
