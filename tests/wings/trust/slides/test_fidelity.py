"""The slide of fidelity, against what the analysis says itself."""

from exam_core.analysis.figures import figures_of
from exam_core.asked import Asked
from exam_core.slides.slide import Told
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.trust.analysis.fidelity import fidelity
from exam_core.wings.trust.slides.fidelity import ROWS

MODE = "lexical.pourpre-idf"
ASKED = Asked("Cover@20", "open@1", tau=3, reference="official")


def test_the_slide_of_fidelity_counts_the_pairs_after_holm(demo_store):
    figures = figures_of(Store(demo_store).snapshot("demo"))
    [row] = ROWS
    slide = row.make(Told(View(row.title, (MODE,), ASKED), figures, lambda made, *asked: made(*asked)))
    found = fidelity(figures.snapshot, figures.of(ASKED.but(grader=MODE, reference="qrels:nDCG@10:relevant_from=2")))
    [row] = found.rows[found.rows["adjustment"] == "Holm"].to_dict("records")
    assert slide.takeaway == (
        f"{row['reference']} of 105 pairs of 15 runs differ significantly by nDCG@10 of the judgments; Lexical match "
        f"finds {row['both'] or 'none'} of these at tau 3."
    )
    assert list(slide.ticks.values()) == [found.kendall, found.kendall_top]
