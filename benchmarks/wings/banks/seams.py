"""Where texts and bytes enter banks."""

from __future__ import annotations

from benchmarks.seams import Seam, place, stored
from exam_core.store.files import sealed
from exam_core.wings.banks.draft import read_begun, read_draft
from exam_core.wings.banks.replies.reply_questions import read
from exam_core.wings.banks.store.drafts import draft_path, reading


def written_questions(text: str) -> None:
    for cut in (False, True):
        assert all(question.strip() for question in read(text, cut=cut).questions)


def draft(content: bytes) -> None:
    with reading(stored("draft.jsonl", content)) as file:
        first, *lines = [*file] or [b""]
    if begun := read_begun(first):
        found = read_draft(begun, lines, {})
        assert 0 <= found.at <= len(found.steps)
        _ = found.bank, found.can_undo, found.can_redo


REPLIES = (
    '["Who flies?", "What is it?"]',
    '<think>so</think>Here:\n1. **Who flies?**\n2. What is "it"?\n',
    '```json\n{"questions": [{"question": "Why?"}, {\'question\': "Who\'s there?"}]}\n```',
    "- Who flies? (easy)\nWhat is it?\nWould you like more?",
)
QUESTION = b'{"query_id":"q1","question_id":"a","text":"who?","gold_answers":[],"weight":1,"enabled":true}'
DRAFT = (
    sealed(b'{"bank":"b","base":1,"author":"Ann","created":"2026"}')
    + b"\n"
    + sealed(b'{"said":"new","puts":[{"before":[],"after":%s}]}' % QUESTION)
    + b'\n{"move":"undo"}\n{"move":"redo"}\n{"said":"gone","puts":[{"before":[["q1","a"]]}],"on":true}\n'
)
SEAMS = {
    "id of a draft": Seam(lambda text: draft_path(place(), "c", text), ("20261123-065052-698ad9", "a")),
    "questions of a model": Seam(written_questions, REPLIES, slow=True),
    "draft": Seam(draft, (DRAFT,)),
}
