"""Tags of runs: what somebody knows of a system that may make a grader prefer it. Every room may take it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from exam_core.errors import UNSEEN, UsageError
from exam_core.names import listed

RunTags = Mapping[str, tuple[str, ...]]
"""Tags by run; a run without tags is not in it."""

SAME_FAMILY = "same family as the grader"
OFFERED = ("uses an LLM", SAME_FAMILY, "saw the bank")
"""Tags that are offered where one is chosen; any other may be written."""
GROUP = "group:"
"""Before a name, the tag of runs that are one system, such as its seeds or folds."""
LONGEST_TAG, MOST_TAGS = 40, 10
"""Characters of a tag, and tags of a run."""
_UNSEEN = re.compile(f"[{UNSEEN}\n\t]")


def checked_tags(tags: Mapping[str, Iterable[str]], runs: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Tags as they are kept: each once, in alphabetical order, without spaces around; runs without any are left out.

    Raises UsageError for a run that the collection does not have, or a tag that is too long, not a line of text, or one
    too many.
    """
    unknown = [run for run in tags if run not in runs]
    if unknown:
        raise UsageError(
            f"There is no run {listed(unknown)}. There are: {', '.join(sorted(runs)) or 'none'}. Nothing was stored."
        )
    groups = {run: _checked(run, own) for run, own in sorted(tags.items())}
    return {run: own for run, own in groups.items() if own}


def tagged(tags: RunTags, runs: Iterable[str]) -> dict[str, list[str]]:
    """The runs with each tag, in the order of `runs`, by tag in alphabetical order; runs that are not named are left
    out.
    """
    groups: dict[str, list[str]] = {}
    for run in runs:
        for tag in tags.get(run, ()):
            groups.setdefault(tag, []).append(run)
    return dict(sorted(groups.items()))


def _checked(run: str, tags: Iterable[str]) -> tuple[str, ...]:
    own: Sequence[str] = sorted({tag.strip(" ") for tag in tags} - {""})
    for tag in own:
        if _UNSEEN.search(tag):
            raise UsageError(f"{run}: a tag is a line of text, without control characters. Nothing was stored.")
        if len(tag) > LONGEST_TAG:
            raise UsageError(
                f"{run}: a tag has {LONGEST_TAG} characters at most; this has {len(tag)}. Nothing was stored."
            )
    if len(own) > MOST_TAGS:
        raise UsageError(f"{run}: a run has {MOST_TAGS} tags at most, not {len(own)}. Nothing was stored.")
    return tuple(own)
