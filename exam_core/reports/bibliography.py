"""Papers whose measures and statistics Examboard has, as BibTeX: `papers.bib`, and Examboard itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from exam_core import __version__

_ENTRY = re.compile(r"^% ([^\n]+)\n(@\w+\{(\w+),\n.*?^\})", re.MULTILINE | re.DOTALL)
_OURS = f"% Examboard\n@misc{{examboard,\n  title = {{{{Examboard}}}},\n  note = {{Version {__version__}}},\n}}"


@dataclass(frozen=True)
class Paper:
    """A paper, or a program.

    Parameters
    ----------
    cited : as the sources of measures and columns name it, for instance `Buckley & Voorhees 2000`
    """

    cited: str
    bibtex: str
    key: str

    @property
    def is_program(self) -> bool:
        """Whether it is a program, which has no authors that are known for certain."""
        return "\n  author = " not in self.bibtex


_PAPERS = Path(__file__).with_name("papers.bib").read_text(encoding="utf-8")
PAPERS = tuple(Paper(*found) for found in _ENTRY.findall(f"{_PAPERS}\n{_OURS}"))
BY_CITATION = {paper.cited: paper for paper in PAPERS}


def papers_of(source: str) -> list[Paper]:
    """The papers that a source names, in the order of the list; a letter, + or - beside a name makes another one."""
    return [one for one in PAPERS if re.search(rf"(?<![\w-]){re.escape(one.cited)}(?![\w+])", source)]


def bibtex(papers: Iterable[Paper]) -> str:
    """The entries, each once."""
    return "\n\n".join(dict.fromkeys(paper.bibtex for paper in papers))
