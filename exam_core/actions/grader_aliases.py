"""What graders are called: an alias that people give and take back."""

from __future__ import annotations

from dataclasses import dataclass

from exam_core.actions.verbs import verb
from exam_core.aliases import checked
from exam_core.store import Store
from exam_core.store.commits import importer
from exam_core.store.summary import alias_of, aliases_of


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
    """Say what a grader is called where people read; its id stays.

    Parameters
    ----------
    alias : empty takes the guessed name again

    Raises
    ------
    UsageError : no such grader, or the alias is too long, not a line of text, or what another grader is called
    StoreError : the store can't be written
    """
    store.refuse_file("name graders in a folder")
    checked(alias, grader, aliases_of(store.snapshot(collection)))
    with store.locked(collection):
        snapshot = store.snapshot(collection)
        called = aliases_of(snapshot)
        found = checked(alias, grader, called)
        given = dict(snapshot.aliases).get(grader, "")
        if found != given:
            store.give_alias(collection, grader, found, importer())
        return NamedGrader(collection, grader, alias_of(store.snapshot(collection), grader), called[grader], given)
