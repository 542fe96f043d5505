"""The methods paragraph of a paper, and the BibTeX of what it cites."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from exam_core import __version__
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.contents import names_of
from exam_core.analysis.figures import Figures
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.analysis.values import gradebook
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import ExamboardError
from exam_core.measures import MEASURES, Measure
from exam_core.names import enumerated
from exam_core.numbers.true_means import ENDS_IN_WORDS, FEWEST
from exam_core.request import Request
from exam_core.results import ResultTable, text
from exam_core.table_text import escaped
from exam_core.tables import OFFICIAL
from exam_core.wording import counted, reference_in_words

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
    return [paper for paper in PAPERS if re.search(rf"(?<![\w-]){re.escape(paper.cited)}(?![\w+])", source)]


def bibtex(papers: Iterable[Paper]) -> str:
    """The entries, each once."""
    return "\n\n".join(dict.fromkeys(paper.bibtex for paper in papers))


CITED_PAPERS = ResultTable(
    "cite: papers",
    "Papers to cite for a choice, in the order in which the paragraph names them",
    text("key", "Key", "Of the BibTeX entry."),
    text("cited", "Cited as"),
    text("bibtex", "BibTeX"),
)
LIBRARIES = ("duckdb", "numpy", "pandas", "scipy")
"""Libraries that figures are computed with."""
_NAME = "|".join(map(re.escape, sorted(BY_CITATION, key=len, reverse=True)))
_CITED = re.compile(rf" \[@((?:{_NAME})(?:; (?:{_NAME}))*)\]")
"""How a sentence here names papers: as sources do, with ; between. Other brackets are text: names may hold anything."""
OF_PROMPTS = {
    "QuestionSelfRated": "EXAM++; EXAM",
    "QuestionCompleteConcise": "EXAM++; EXAM",
    "NuggetSelfRated": "EXAM++",
    "Thomas": "EXAM++; Thomas et al. 2023",
    "FagB": "EXAM++; Faggioli et al. 2023",
    "HELM": "EXAM++; Liang et al. 2022",
    "Sun": "EXAM++; Sun et al. 2023",
}
"""Papers that describe the prompts whose names, in the authors' code, begin so."""


@dataclass(frozen=True)
class Methods:
    """A methods paragraph; its sentences name papers in brackets: `[@EXAM++; EXAM]`."""

    sentences: tuple[str, ...]

    @property
    def papers(self) -> list[Paper]:
        """The papers that it names, each once, in their order."""
        named = [name for result in _CITED.findall(" ".join(self.sentences)) for name in result.split("; ")]
        return [BY_CITATION[name] for name in dict.fromkeys(named)]

    @property
    def words(self) -> str:
        """The paragraph to read."""
        return _CITED.sub(_in_brackets, " ".join(self.sentences))

    @property
    def latex(self) -> str:
        r"""The paragraph for LaTeX, papers as \cite."""
        parts = _CITED.split(" ".join(self.sentences))
        for place, part in enumerate(parts):
            keys = ",".join(BY_CITATION[name].key for name in part.split("; ")) if place % 2 else ""
            # In LaTeX's own encoding a bare | is a dash.
            parts[place] = rf"~\cite{{{keys}}}" if keys else escaped(part).replace("|", "$|$")
        return "".join(parts)

    @property
    def bibtex(self) -> str:
        """The entries of the papers."""
        return bibtex(self.papers)

    @property
    def rows(self) -> pd.DataFrame:
        """The papers: `PAPERS`."""
        return CITED_PAPERS.of([(paper.key, paper.cited, paper.bibtex) for paper in self.papers])


class Agreed(NamedTuple):
    """What is said of the agreement of labels with the judgments: the tau, the smallest judgment and how many pairs."""

    tau: float
    relevant_from: int
    n: int


class Evaluated(NamedTuple):
    """A leaderboard, what was evaluated, None where it is printed, and what is said of the agreement, if anything."""

    board: Leaderboard
    choice: Evaluation | None
    agreed: Agreed | None


def _in_brackets(match: re.Match[str]) -> str:
    """Papers as people read them; a program, and what the words before name, is named already."""
    before = match.string[: match.start()]
    names = [name for name in match[1].split("; ") if not (BY_CITATION[name].is_program or before.endswith(name))]
    return f" ({'; '.join(names)})" if names else ""


def methods(figures: Figures, series: Sequence[str], request: Request) -> Methods:
    """The paragraph for the leaderboards of some series; it ends with those that have none.

    Raises ExamboardError where none of the series has a leaderboard.

    Parameters
    ----------
    series : grading modes or printed columns; where a measure or human judgments are evaluated, nothing of it counts
    """
    boards, problems = [], dict[str, ExamboardError]()
    for name in series or [""]:
        try:
            boards.append(_evaluated(figures, name, request))
        except ExamboardError as error:
            problems[names_of(figures.snapshot).get(name, name)] = error
    if not boards:
        raise next(iter(problems.values()))
    written = paragraph(figures, boards)
    if not problems:
        return written
    (is_, its), missing = ("is", "its") if len(problems) == 1 else ("are", "their"), enumerated(list(problems))
    left_out = f"{missing} {is_} left out, since {request.measure} can't be computed of {its} grades."
    return Methods((*written.sentences, left_out))


def paragraph(figures: Figures, evaluated: Sequence[Evaluated]) -> Methods:
    """The paragraph for leaderboards that are there; nothing is computed."""
    first, choice, _ = evaluated[0]
    called, sentences = names_of(figures.snapshot), [_data(figures, first)]
    if choice is None:
        columns = "; ".join(called.get(series.board.title, series.board.title) for series in evaluated)
        sentences.append(
            f"Scores are those that the papers print [@EXAM; EXAM++]: {columns}. Nothing is computed anew."
        )
    else:
        choices = {str(series.board.grader): series.choice for series in evaluated if series.choice}
        sentences += _computed(figures, choices)
        modes = [(str(series.board.grader), series.agreed) for series in evaluated if series.agreed]
        sentences += _agreement({called.get(name, name): agreed for name, agreed in modes})
    return Methods((*sentences, *_reference(first, called, computed=choice is not None), _versions()))


def _agreement(agreed: Mapping[str, Agreed]) -> list[str]:
    """Of which labels, judgments and passages kappa is."""
    if not agreed:
        return []
    taus, sizes = ({name: item[place] for name, item in agreed.items()} for place in (0, 2))
    cut = next(iter(agreed.values())).relevant_from
    return [
        f"Agreement with the {OFFICIAL} judgments is Cohen's kappa [@Cohen 1960] of labels of at least "
        f"{of_each('tau', taus)} and judgments of at least {cut} ({of_each('n', sizes)})."
    ]


def _evaluated(figures: Figures, name: str, request: Request) -> Evaluated:
    """The board of a series, as a page shows it, and what was evaluated. Raises ExamboardError where there is none."""
    if not (figures.in_print or (not request.judgments and Measure.parse(request.measure).info.of_grades)) or not name:
        board, choice = figures.boards(request)[0], figures.evaluation(request)
        return Evaluated(board, choice, _agreed(figures, choice, request))
    comparison = figures.compare([name], request)
    if not comparison.boards:
        raise ExamboardError(" ".join(comparison.missing) or f"{name} has no leaderboard.")
    rows = comparison.agreements[list(Agreed._fields)].itertuples(index=False)
    return Evaluated(comparison.boards[name], figures.of(request.of(name)), next((Agreed(*row) for row in rows), None))


def _data(figures: Figures, board: Leaderboard) -> str:
    snapshot, n_queries = figures.snapshot, board.rows["n_queries"].dropna()
    queries = f" on {counted({'queries': int(n_queries.max())})}" if len(n_queries) else ""
    without = f", without {', '.join(snapshot.left_out_in_words)}," if snapshot.left_out_in_words else ""
    imported = any(str(source.get("source", "")).startswith("workbench:") for source in snapshot.sources)
    workbench = " Graded passages are from a file of the authors' workbench [@authors' workbench]." if imported else ""
    n = len(board.rows)
    what = counted({"runs": int(board.rows["n_runs"].sum()) if "n_runs" in board.rows else n})
    groups = f" ({n} systems: runs of one group are averaged query by query)" if "n_runs" in board.rows else ""
    return (
        f"We evaluate {what} of {snapshot.collection}{groups}{without}{queries} "
        f"with Examboard {__version__} "
        f"[@Examboard] (data fingerprint {snapshot.fingerprint}).{workbench}"
    )


def _computed(figures: Figures, choices: Mapping[str, Evaluation]) -> list[str]:
    """What was computed, and how, by grader."""
    choice, sentences = next(iter(choices.values())), _labelled(figures, choices)
    info, labelling = choice.measure.info, choice.labelling
    cited = _cite(info.source)
    sentences.append(f"Runs are scored by {choice.measure}{cited}: {info.meaning}; that is, {info.formula}.")
    if choice.of_grades:
        deep = f"The first {labelling.depth} passages" if labelling.depth else "All passages"
        order = {
            "score": "passages are ordered by score as a 32-bit number, ties by identifier descending, as in trec_eval "
            "[@trec_eval]",
            "rank": "passages are ordered by the ranks in the files",
        }[labelling.order]
        condensed = " Those without a label are then taken out." if choice.measure.judged_only else ""
        sentences.append(f"{deep} of each ranking are read; {order}.{condensed}")
    if choice.measure.name == "nCover":
        sentences.append(f"It divides by the number of questions that the {choice.pool} passages answer.")
    rounded = " Means are rounded to 4 decimals before runs are ranked." if choice.rounded == "trec_eval" else ""
    zero = "counts 0" if choice.missing == "zero" else "is left out of its mean"
    sentences.append(
        "A run's score is its mean over the queries, its error the standard error of that mean; a query for which the "
        f"run returned nothing {zero}.{rounded} Re-normalised scores map the smallest mean of a leaderboard to 0 and "
        "the largest to 1 [@EXAM++]."
    )
    return sentences


def _labelled(figures: Figures, choices: Mapping[str, Evaluation]) -> list[str]:
    """Whose grades or judgments, of how many questions, and how they become labels; by grader."""
    choice = next(iter(choices.values()))
    grading = choice.grading
    if not choice.of_grades:
        return []
    if grading.judgments:
        return [f"A passage is relevant if the judgments {grading.judgments} give it at least {grading.relevant_from}."]
    called, sentences = names_of(figures.snapshot), []
    of_questions = {name: own for name, own in choices.items() if own.grading.bank}
    for bank in dict.fromkeys(own.grading.bank for own in of_questions.values()):
        own = next(own for own in of_questions.values() if own.grading.bank == bank)
        book = gradebook(figures.snapshot, own.labelling)
        sentences.append(f"The question bank is {bank}, of which {int(book.enabled.sum())} questions count.")
    sentences.append(graders_sentence([grader_in_words(figures, name) for name in choices if name]))
    tau = of_each("tau", {called.get(name, name): own.tau for name, own in choices.items()})
    if choice.labelling.mapping:
        sentences.append(f"Grades become labels by the map {choice.labelling.written_map}.")
    if choice.measure.info.of == "questions":
        sentences.append(f"A passage answers a question where its grade is at least {tau}.")
        return sentences
    label = "The grade is the passage's label"
    if of_questions:
        rank = next(iter(of_questions.values())).labelling.label_rank
        best = "the best" if rank == 1 else f"number {rank}, counted from the best,"
        label = f"A passage's label is {best} of its grades"
        direct = [called.get(name, name) for name in choices if name not in of_questions]
        label += f"; {enumerated(direct)} {'gives' if len(direct) == 1 else 'give'} it one label" if direct else ""
    cut = f"; labels of at least {tau} are relevant" if choice.measure.info.tau_applies else ""
    return [*sentences, f"{label}{cut}."]


def of_each(what: str, values: Mapping[Any, float]) -> str:
    """What all graders have, as `tau = 4`; where they differ, of each: `tau (Thomas: 1, Sun: 4)`."""
    if len(set(values.values())) == 1:
        return f"{what} = {next(iter(values.values()))}"
    return f"{what} ({', '.join(f'{name}: {value}' for name, value in values.items())})"


def graders_sentence(graders: Sequence[str]) -> str:
    """Whose grades are evaluated."""
    return f"Grades are those of {enumerated(graders)}."


def grader_in_words(figures: Figures, name: str) -> str:
    """A grader by name and id, with what is known of it; nothing is guessed from its name."""
    known: dict[str, Any] = figures.snapshot.graders.get(name, {})
    alias = names_of(figures.snapshot).get(name, name)
    sentences = [f"id {name}"] if alias != name else []
    sentences += [str(known["about"]).rstrip(".")] if known.get("about") else []
    own = known.get("mode") if isinstance((known.get("prompt_info") or {}).get("mode"), str) else None
    sentences += [f"mode {own}"] if own else []
    sentences += [str(known["source"]).rstrip(".")] if own and known.get("source") else []
    sentences += [f"model {known['llm']}"] if known.get("llm") not in (None, "lexical") else []
    options = known.get("llm_options") if isinstance(known.get("llm_options"), dict) else {}
    sentences += [f"{field} {value}" for field, value in sorted((options or {}).items())]
    about = f" ({'; '.join(sentences)})" if sentences else ""
    cited = _cite(str(known.get("source") or ""))
    prompt = name.rpartition(".")[2]
    if not cited:
        cited = next((f" [@{papers}]" for begins, papers in OF_PROMPTS.items() if prompt.startswith(begins)), "")
    return f"{alias}{about}{cited}"


def _agreed(figures: Figures, choice: Evaluation | None, request: Request) -> Agreed | None:
    if choice is None or not choice.of_grades or choice.grading.judgments:
        return None
    try:
        result = figures.agreement(request.of(choice.grading.grader).but(reference=None))
    except ExamboardError:
        return None
    return Agreed(result.tau, result.relevant_from, result.n)


def _reference(board: Leaderboard, called: Mapping[str, str], *, computed: bool) -> list[str]:
    if board.reference is None or board.correlation is None:
        return []
    fewest = min(board.correlation.n, board.rows["n_queries"].max()) if computed else 0
    drawn = (
        f" 95% intervals are of the correlation with unlimited queries: {ENDS_IN_WORDS} quantiles, set by "
        f"simulation so that intervals hold about 95% of true values, over {DRAWS:,} samples of the runs' true means "
        f"from a hierarchical normal model of the observed means, seed {SEED}."
        if fewest >= FEWEST
        else ""
    )
    measured = re.match(r"(?:qrels|grades):(\w+)", board.reference)
    of = _cite(MEASURES[measured[1]].source) if measured and measured[1] in MEASURES else ""
    return [
        f"The order is compared with {reference_in_words(board.reference, called)}{of} over the "
        f"{board.correlation.n} runs that both rank, by "
        "Spearman's rho, Kendall's tau-b [@Kendall 1945], tau-AP [@Yilmaz et al. 2008; Urbano & Marrero 2017] and "
        f"rank-biased overlap [@Webber et al. 2010].{drawn}"
    ]


def _cite(source: str) -> str:
    """The papers that a source names, as sentences here do; nothing where it names none."""
    names = [paper.cited for paper in papers_of(source)]
    return f" [@{'; '.join(names)}]" if names else ""


@cache
def _versions() -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"Computed with Python {platform.python_version()}, {libraries}."
