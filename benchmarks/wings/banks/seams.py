"""Where texts and bytes enter banks."""

from __future__ import annotations

from benchmarks.seams import Seam
from exam_core.wings.banks.replies import read


def written_questions(text: str) -> None:
    for cut in (False, True):
        assert all(question.strip() for question in read(text, cut=cut).questions)


REPLIES = (
    '["Who flies?", "What is it?"]',
    '<think>so</think>Here:\n1. **Who flies?**\n2. What is "it"?\n',
    '```json\n{"questions": [{"question": "Why?"}, {\'question\': "Who\'s there?"}]}\n```',
    "- Who flies? (easy)\nWhat is it?\nWould you like more?",
)
SEAMS = {"questions of a model": Seam(written_questions, REPLIES, slow=True)}
