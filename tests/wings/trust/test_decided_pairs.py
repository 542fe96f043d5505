"""The chart of fidelity: what it draws is what it is given."""

import pandas as pd

from exam_core.wings.trust.fidelity import PARTS, fidelity_alternative, fidelity_figure


def test_the_parts_of_a_bar_are_all_pairs():
    rows = pd.DataFrame([{"adjustment": "Holm", "pairs": 15} | dict(zip(PARTS, (1, 2, 3, 4, 5), strict=True))])
    words = {name: f"by {name}" for name in PARTS}
    assert sum(bar.x[0] for bar in fidelity_figure(rows, words).data) == 15
    assert "Holm: 1 by both, 2 by reference_only, 3 by board_only, 4 by opposite" in fidelity_alternative(rows, words)
