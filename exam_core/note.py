"""A note on a passage: what somebody says of it, in their own words."""

from __future__ import annotations

import msgspec

from exam_core.errors import UsageError, is_utf8
from exam_core.people import LONGEST_NOTE, Time, new_id, now, reviewer_name


class Note(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What somebody said of a passage under a query.

    Parameters
    ----------
    created : time (UTC, ISO 8601)
    removed : somebody took it away; a later line under the same id says so, or brings it back
    """

    note_id: str
    author: str
    created: Time
    query_id: str
    doc_id: str
    text: str
    removed: bool = False


def new_note(author: str, query_id: str, doc_id: str, text: str) -> Note:
    """A note that is made now. Raises UsageError where it has no author or no text, or one that is too long."""
    if not author.strip():
        raise UsageError("Say who writes: a name is kept with each note.")
    said = text.strip()
    if not said:
        raise UsageError("The note is empty. Write what is to be known of the passage.")
    if len(said) > LONGEST_NOTE:
        raise UsageError(f"The note has {len(said):,} characters; at most {LONGEST_NOTE:,} fit.")
    if not is_utf8(said):
        raise UsageError("The note has half a character in it. Type it anew.")
    name = reviewer_name(author)
    return Note(note_id=new_id(), author=name, created=now(), query_id=query_id, doc_id=doc_id, text=said)
