"""The methods paragraph and the papers that it cites."""

import re

import pytest

from exam_core.actions.importing import import_labels
from exam_core.analysis.figures import figures_of
from exam_core.errors import ExamboardError
from exam_core.grading.modes.papers import MODES
from exam_core.measures import MEASURES
from exam_core.reports.methods_paragraph import OF_PROMPTS, PAPERS, Methods, bibtex, methods, papers_of
from exam_core.request import Request
from exam_core.store import Store

OWN = "lexical.pourpre-idf"


def of_demo(store, **asked):
    return methods(figures_of(Store(store).snapshot("demo")), [OWN], Request(**({"bank": "open", "tau": 3} | asked)))


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_a_source_to_cite(name):
    assert papers_of(MEASURES[name].source) != []


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("EXAM++, eq. 1", ["farzi2024exampp"]),
        ("EXAM, section 4.1", ["farzi2024exam"]),
        ("n-EXAM of the authors' workbench", ["dietz2024workbench"]),
        ("Lin 2004; of nuggets: Lin & Demner-Fushman 2005", ["lin2005pourpre", "lin2004rouge"]),
        ("Buckley & Voorhees 2004; trec_eval bpref", ["buckley2004incomplete", "treceval"]),
    ],
)
def test_a_source_cites_what_it_names_and_no_other(source, keys):
    assert [paper.key for paper in papers_of(source)] == keys


def test_bibtex_is_balanced_and_each_entry_stands_once():
    text = bibtex([*PAPERS, *PAPERS])
    assert text.count("{") == text.count("}")
    assert len(re.findall(r"^@\w+\{(\w+),$", text, re.M)) == len({paper.key for paper in PAPERS}) == len(PAPERS)


def test_every_choice_stands_in_the_paragraph(demo_store):
    said = of_demo(demo_store, measure="P@10", tau=2, label_rank=2, depth=15, missing="skip", order="rank").words
    wanted = (
        "15 runs of demo",
        "8 queries",
        "bank is open@1",
        "80 questions",
        OWN,
        "number 2, counted from the best",
        "tau = 2",
    )
    wanted += ("P@10 (EXAM)", "first 15 passages", "ranks in the files", "is left out of its mean", "seed 0")
    wanted += ("Cohen's kappa", "compared with the official ranking", "duckdb", "fingerprint")
    assert [words for words in wanted if words not in said] == []


def test_prompts_of_papers_are_cited_with_them(own_store, tmp_path):
    (labels := tmp_path / "labels.txt").write_text("demo-01 0 skin-19 1\ndemo-01 0 skin-22 0\n")
    for name in ("Sun_few", "mine"):
        import_labels(Store(own_store), "demo", labels, grader=name)
    figures = figures_of(Store(own_store).snapshot("demo"))
    found = methods(figures, ["Sun_few", "mine"], Request("P@20", tau=1))
    assert "Sun few-shot (id Sun_few) (EXAM++; Sun et al. 2023) and mine." in found.words
    mixed = methods(figures, ["mine", OWN], Request("P@20", "open", tau=1, label_rank=2)).words
    assert "bank is open@1" in mixed
    assert "number 2, counted from the best, of its grades; mine gives it one label" in mixed
    left_out = methods(figures, [OWN, "mine"], Request("nCover@20", "open")).words
    assert left_out.endswith("mine is left out, since nCover@20 can't be computed of its grades.")
    for mode in (mode for mode in MODES.values() if mode.item == "passage" and mode.prompt_class):
        cited = next((papers for name, papers in OF_PROMPTS.items() if mode.prompt_class.startswith(name)), "")
        of_mode = {paper.cited for paper in papers_of(mode.source)}
        assert of_mode <= set(cited.split("; ")) | {"Farzi & Dietz 2024"}, mode.name


def test_the_measure_of_the_reference_is_cited_too(demo_store):
    keys = [paper.key for paper in of_demo(demo_store, reference="qrels:nDCG@10").papers]
    assert "jarvelin2002cumulated" in keys


def test_every_key_that_latex_cites_has_its_entry(demo_store):
    found = of_demo(demo_store)
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", found.latex) for key in keys.split(",")}
    assert cited == set(re.findall(r"^@\w+\{(\w+),$", found.bibtex, re.M))
    assert re.findall(r"(?<!\\)[_%&#]", re.sub(r"\\cite\{[^}]*\}", "", found.latex)) == []


def test_brackets_in_a_name_are_text():
    odd = Methods(("Grades are those of a [@nobody] grader, 5_5 [@EXAM].",))
    assert odd.words == "Grades are those of a [@nobody] grader, 5_5 (EXAM)."
    assert odd.latex == r"Grades are those of a [@nobody] grader, 5\_5~\cite{farzi2024exam}."


def test_print_is_called_print(demo_store):
    figures = figures_of(Store(demo_store).snapshot("car-y3-published"))
    found = methods(figures, ["genq Cover@20 tau=4"], Request())
    assert "those that the papers print (EXAM; EXAM++): Cover@20 (generated questions, tau 4)" in found.words
    assert "draws" not in found.words


def test_a_grader_that_is_not_there_is_refused_in_a_sentence(demo_store):
    figures = figures_of(Store(demo_store).snapshot("demo"))
    with pytest.raises(ExamboardError, match="nobody"):
        methods(figures, ["nobody"], Request(bank="open"))


def test_intervals_that_few_queries_don_t_have_are_not_described(demo_store):
    few, reference = Store(demo_store).snapshot("demo-nuggets"), "grades:Cover@20:bank=nuggets:grader=nuggetizer:tau=1"
    found = methods(figures_of(few), [OWN], Request("Cover@20", reference=reference)).words
    assert "compared with Cover@20 of Nuggetizer, bank nuggets (tau 1) (EXAM++) over the 4 runs" in found
    assert "intervals" not in found
    assert "95% intervals are of the correlation" in of_demo(demo_store).words
