"""fidelity: the figures of DL19 by command line."""

SELF_RATED = "QuestionSelfRatedUnanswerablePromptWithChoices"
LINE = f"fidelity dl19 --bank genq --grader google/flan-t5-large.{SELF_RATED} --measure P@20 --tau 4"


def test_the_sentences_have_the_figures_of_dl19(examboard, full_dl19_store):
    said = examboard(full_dl19_store, *LINE.split()).out
    assert "Of 666 pairs of 37 runs, 291 differ significantly by qrels:P@20:relevant_from=2 and 78 by genq P@20" in said
    assert "77 by both, in the same order; 0 by both, in opposite orders; 214 by the reference alone; 1 by" in said
    assert "is 0.861 over all 37 runs, and 0.791 among the best 10" in said
