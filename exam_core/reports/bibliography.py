"""Papers whose measures and statistics Examboard has, as BibTeX. What is not known for certain is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from exam_core import __version__


@dataclass(frozen=True)
class Paper:
    """A paper, or a program.

    Parameters
    ----------
    key : of BibTeX
    cited : as the sources of measures and columns name it, for instance `Buckley & Voorhees 2000`
    kind : article, inproceedings, book or misc
    fields : of BibTeX, in LaTeX's spelling
    """

    key: str
    cited: str
    kind: str
    fields: tuple[tuple[str, str], ...]

    @property
    def is_program(self) -> bool:
        """Whether it is a program, which has no authors that are known for certain."""
        return "author" not in dict(self.fields)

    @property
    def bibtex(self) -> str:
        """The entry."""
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in self.fields)
        return f"@{self.kind}{{{self.key},\n{lines}}}"


def _paper(key: str, cited: str, kind: str, **fields: str) -> Paper:
    return Paper(key, cited, kind, tuple(fields.items()))


PAPERS = (
    _paper(
        "farzi2024exam", "EXAM", "misc",
        author="Farzi, Naghmeh and Dietz, Laura",
        title="An {Exam}-based Evaluation Approach Beyond Traditional Relevance Judgments",
        year="2024", eprint="2402.00309", archiveprefix="arXiv",
    ),
    _paper(
        "farzi2024exampp", "EXAM++", "inproceedings",
        author="Farzi, Naghmeh and Dietz, Laura",
        title="{EXAM++}: {LLM}-based Answerability Metrics for {IR} Evaluation",
        booktitle="LLM4Eval: The First Workshop on Large Language Models for Evaluation in Information Retrieval",
        year="2024",
    ),
    _paper(
        "dietz2024workbench", "authors' workbench", "inproceedings",
        author="Dietz, Laura",
        title="A Workbench for Autograding Retrieve/Generate Systems",
        booktitle="Proceedings of the 47th International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval",
        year="2024", doi="10.1145/3626772.3657871",
    ),
    _paper(
        "lin2005pourpre", "Lin & Demner-Fushman 2005", "inproceedings",
        author="Lin, Jimmy and Demner-Fushman, Dina",
        title="Automatically Evaluating Answers to Definition Questions",
        booktitle="Proceedings of Human Language Technology Conference and Conference on Empirical Methods in Natural "
        "Language Processing (HLT/EMNLP)",
        pages="931--938", address="Vancouver", year="2005",
    ),
    _paper(
        "heineking2024ranking", "Heineking et al. 2024", "misc",
        author="Heineking, Sebastian and Probst, Jonas and Steinbach, Daniel and Potthast, Martin and Scells, Harrisen",
        title="Ranking Generated Answers: On the Agreement of Retrieval Models with Humans on Consumer Health "
        "Questions",
        year="2024",
    ),
    _paper(
        "pradeep2024nuggets", "Pradeep et al. 2024", "misc",
        author="Pradeep, Ronak and Thakur, Nandan and Upadhyay, Shivani and Campos, Daniel and Craswell, Nick and "
        "Lin, Jimmy",
        title="Initial Nugget Evaluation Results for the {TREC} 2024 {RAG} Track with the {AutoNuggetizer} Framework",
        year="2024", eprint="2411.09607", archiveprefix="arXiv",
    ),
    _paper(
        "lin2004rouge", "Lin 2004", "inproceedings",
        author="Lin, Chin-Yew",
        title="{ROUGE}: A Package for Automatic Evaluation of Summaries",
        booktitle="Text Summarization Branches Out", pages="74--81", year="2004",
    ),
    _paper(
        "clarke2008novelty", "Clarke et al. 2008", "inproceedings",
        author="Clarke, Charles L. A. and Kolla, Maheedhar and Cormack, Gordon V. and Vechtomova, Olga and "
        "Ashkan, Azin and B{\\\"u}ttcher, Stefan and MacKinnon, Ian",
        title="Novelty and Diversity in Information Retrieval Evaluation",
        booktitle="Proceedings of the 31st Annual International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval",
        pages="659--666", year="2008",
    ),
    _paper(
        "chapelle2009err", "Chapelle et al. 2009", "inproceedings",
        author="Chapelle, Olivier and Metzler, Donald and Zhang, Ya and Grinspan, Pierre",
        title="Expected Reciprocal Rank for Graded Relevance",
        booktitle="Proceedings of the 18th ACM Conference on Information and Knowledge Management",
        pages="621--630", year="2009",
    ),
    _paper(
        "moffat2008rbp", "Moffat & Zobel 2008", "article",
        author="Moffat, Alistair and Zobel, Justin",
        title="Rank-Biased Precision for Measurement of Retrieval Effectiveness",
        journal="ACM Transactions on Information Systems", volume="27", number="1", year="2008",
    ),
    _paper(
        "yilmaz2006infap", "Yilmaz & Aslam 2006", "inproceedings",
        author="Yilmaz, Emine and Aslam, Javed A.",
        title="Estimating Average Precision with Incomplete and Imperfect Judgments",
        booktitle="Proceedings of the 15th ACM International Conference on Information and Knowledge Management",
        pages="102--111", year="2006",
    ),
    _paper(
        "sharma2025researchrubrics", "Sharma et al. 2025", "misc",
        author="Sharma, Manasi and others",
        title="{ResearchRubrics}: A Benchmark of Prompts and Rubrics for Evaluating Deep Research Agents", year="2025",
    ),
    _paper(
        "arora2025healthbench", "Arora et al. 2025", "misc",
        author="Arora, Rahul K. and others",
        title="{HealthBench}: Evaluating Large Language Models Towards Improved Human Health", year="2025",
    ),
    _paper(
        "zhai2003beyond", "Zhai, Cohen & Lafferty 2003", "inproceedings",
        author="Zhai, ChengXiang and Cohen, William W. and Lafferty, John",
        title="Beyond Independent Relevance: Methods and Evaluation Metrics for Subtopic Retrieval",
        booktitle="Proceedings of the 26th Annual International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval",
        pages="10--17", year="2003",
    ),
    _paper(
        "buckley2000stability", "Buckley & Voorhees 2000", "inproceedings",
        author="Buckley, Chris and Voorhees, Ellen M.",
        title="Evaluating Evaluation Measure Stability",
        booktitle="Proceedings of the 23rd Annual International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval",
        pages="33--40", year="2000",
    ),
    _paper(
        "buckley2004incomplete", "Buckley & Voorhees 2004", "inproceedings",
        author="Buckley, Chris and Voorhees, Ellen M.",
        title="Retrieval Evaluation with Incomplete Information",
        booktitle="Proceedings of the 27th Annual International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval",
        pages="25--32", year="2004",
    ),
    _paper(
        "jarvelin2002cumulated", "Järvelin & Kekäläinen 2002", "article",
        author="J{\\\"a}rvelin, Kalervo and Kek{\\\"a}l{\\\"a}inen, Jaana",
        title="Cumulated Gain-based Evaluation of {IR} Techniques",
        journal="ACM Transactions on Information Systems", volume="20", number="4", pages="422--446", year="2002",
    ),
    _paper(
        "kantor2000confusion", "Kantor & Voorhees 2000", "article",
        author="Kantor, Paul B. and Voorhees, Ellen M.",
        title="The {TREC-5} Confusion Track: Comparing Retrieval Methods for Scanned Text",
        journal="Information Retrieval", volume="2", year="2000",
    ),
    _paper(
        "kendall1945ties", "Kendall 1945", "article",
        author="Kendall, Maurice G.",
        title="The Treatment of Ties in Ranking Problems",
        journal="Biometrika", volume="33", number="3", pages="239--251", year="1945",
    ),
    _paper(
        "yilmaz2008tauap", "Yilmaz et al. 2008", "inproceedings",
        author="Yilmaz, Emine and Aslam, Javed A. and Robertson, Stephen",
        title="A New Rank Correlation Coefficient for Information Retrieval",
        booktitle="Proceedings of the 31st Annual International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval",
        pages="587--594", year="2008",
    ),
    _paper(
        "webber2010rbo", "Webber et al. 2010", "article",
        author="Webber, William and Moffat, Alistair and Zobel, Justin",
        title="A Similarity Measure for Indefinite Rankings",
        journal="ACM Transactions on Information Systems", volume="28", number="4", year="2010",
        doi="10.1145/1852102.1852106",
    ),
    _paper(
        "efron1993bootstrap", "Efron & Tibshirani 1993", "book",
        author="Efron, Bradley and Tibshirani, Robert J.",
        title="An Introduction to the Bootstrap", publisher="Chapman and Hall", year="1993",
    ),
    _paper(
        "cohen1960kappa", "Cohen 1960", "article",
        author="Cohen, Jacob",
        title="A Coefficient of Agreement for Nominal Scales",
        journal="Educational and Psychological Measurement", volume="20", number="1", pages="37--46", year="1960",
    ),
    _paper(
        "treceval", "trec_eval", "misc",
        title="{trec\\_eval}", howpublished="https://github.com/usnistgov/trec\\_eval",
    ),
    _paper(
        "irmeasures", "ir_measures", "misc",
        title="{ir\\_measures}", howpublished="https://ir-measur.es",
    ),
    _paper("examboard", "Examboard", "misc", title="{Examboard}", note=f"Version {__version__}"),
)  # fmt: skip
BY_CITATION = {paper.cited: paper for paper in PAPERS}


def papers_of(source: str) -> list[Paper]:
    """The papers that a source names, in the order of the list; a letter, + or - beside a name makes another one."""
    return [one for one in PAPERS if re.search(rf"(?<![\w-]){re.escape(one.cited)}(?![\w+])", source)]


def bibtex(papers: Iterable[Paper]) -> str:
    """The entries, each once."""
    return "\n\n".join(dict.fromkeys(paper.bibtex for paper in papers))
