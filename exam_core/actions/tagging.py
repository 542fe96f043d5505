"""Tags of runs and names of graders, as people give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from exam_core.actions.verbs import verb
from exam_core.aliases import checked
from exam_core.store import Store
from exam_core.store.commits import importer
from exam_core.store.summary import alias_of, aliases_of, run_ids
from exam_core.tags import RunTags, checked_tags
from exam_core.wording import counted


@dataclass(frozen=True)
class Tagged:
    """The tags of all runs now, and before."""

    collection: str
    tags: RunTags
    before: RunTags

    @property
    def changed(self) -> list[str]:
        """The runs whose tags are others now."""
        return sorted(run for run in {*self.tags, *self.before} if self.tags.get(run, ()) != self.before.get(run, ()))

    @property
    def sentence(self) -> str:
        """What happened, for the screen and the command line."""
        if not self.changed:
            return f"{self.collection}: these tags are there already."
        if len(self.changed) == 1:
            (run,) = self.changed
            now, before = (", ".join(tags.get(run, ())) or "nothing" for tags in (self.tags, self.before))
            return f"{self.collection}: {run} is tagged {now} now; before, {before}."
        return (
            f"{self.collection}: tags of {len(self.changed)} runs changed; {counted({'runs': len(self.tags)})} tagged."
        )


@verb("edit")
def tag_runs(store: Store, collection: str, tags: Mapping[str, Iterable[str]]) -> Tagged:
    """Say what tags all runs have; a run not named has none.

    Raises
    ------
    UsageError : no such run, or a tag that can't be one
    StoreError : the store can't be written
    """
    return _tagged(store, collection, lambda _: tags)


@verb("edit")
def tag_run(store: Store, collection: str, run_id: str, tags: Iterable[str]) -> Tagged:
    """Say what tags one run has; none takes them away. Errors are those of `tag_runs`."""
    return _tagged(store, collection, lambda now: {**now, run_id: tuple(tags)})


@verb("edit")
def undo_tags(store: Store, collection: str) -> Tagged:
    """Take the last change of tags back, whoever made it; done again, it counts again."""
    return _tagged(store, collection, lambda _: store.tags_before(collection))


def _tagged(store: Store, collection: str, change: Callable[[RunTags], Mapping[str, Iterable[str]]]) -> Tagged:
    """Make new tags of those that there are, with nobody else changing them meanwhile."""
    store.refuse_file("tag runs in a folder")
    store.snapshot(collection)  # refuses a collection that there is not, before its lock is made
    with store.locked(collection):
        snapshot = store.snapshot(collection)
        before = dict(snapshot.tags)
        wanted = change(before)
        # Tags of runs that were taken out since stay: an import may bring these back.
        groups = checked_tags(wanted, {*run_ids(snapshot), *before, *store.tags_before(collection)})
        if groups != before:
            store.give_tags(collection, groups, importer())
        return Tagged(collection, groups, before)


@dataclass(frozen=True)
class NamedGrader:
    """What a grader is called now, and what it was called before; `given_before` is empty where that was guessed."""

    collection: str
    grader: str
    alias: str
    before: str
    given_before: str

    @property
    def sentence(self) -> str:
        """What happened, for the screen and the command line."""
        if self.alias == self.before:
            return f"{self.collection}: {self.grader} is called {self.alias} already."
        return f"{self.collection}: {self.grader} is called {self.alias} now; it was {self.before}."


@verb("edit")
def name_grader(store: Store, collection: str, grader: str, alias: str) -> NamedGrader:
    """Say what a grader is called where people read; its id stays. An empty alias takes the guessed name again.

    Raises UsageError where there is no such grader, or the alias is too long, not a line of text, or what another
    grader is called, and StoreError where the store can't be written.
    """
    store.refuse_file("name graders in a folder")
    checked(alias, grader, aliases_of(store.snapshot(collection)))
    with store.locked(collection):
        snapshot = store.snapshot(collection)
        called = aliases_of(snapshot)
        kept_alias = checked(alias, grader, called)
        value = dict(snapshot.aliases).get(grader, "")
        if kept_alias != value:
            store.give_alias(collection, grader, kept_alias, importer())
        return NamedGrader(collection, grader, alias_of(store.snapshot(collection), grader), called[grader], value)
