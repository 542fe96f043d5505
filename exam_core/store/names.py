"""Names that say two things at once: a version of a bank, the source of an import, a facet of a query."""

from __future__ import annotations

from dataclasses import dataclass

from exam_core.wording import plain_number


@dataclass(frozen=True)
class BankRef:
    """A bank and, where one is meant, its version (`genq@2`); without one the newest is meant."""

    name: str
    version: int | None = None

    def __str__(self) -> str:
        return self.name if self.version is None else f"{self.name}@{self.version}"

    @classmethod
    def parse(cls, text: str) -> BankRef:
        """What follows the last @ is a version where it is a number, and part of the name where it is not."""
        name, separator, version = text.rpartition("@")
        number = plain_number(version) if separator else None
        return cls(text) if number is None else cls(name, number)


BANK_REF = "bank_id || '@' || version"
"""A row of `questions` as the text of its `BankRef`, in SQL."""


@dataclass(frozen=True)
class Source:
    """What an import was made of, written `run:bm25`: a later one of the same source supersedes it as a whole.

    `kind` is the import of the command line, `name` says which of that kind.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @classmethod
    def parse(cls, text: str) -> Source:
        """The kind ends with the first colon; a text without one is a kind alone."""
        kind, _, name = text.partition(":")
        return cls(kind, name)


def page_of(query_id: str) -> str:
    """The query of which this one is a facet (`page/facet`); empty if it is none."""
    page, _, facet = query_id.rpartition("/")
    return page if facet else ""


def page_sql(column: str) -> str:
    """`page_of` of a column, in SQL."""
    return f"regexp_extract({column}, '^(.+)/[^/]+$', 1)"
