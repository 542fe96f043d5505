"""The charts of nugget scores: what stands where, and the same in words."""

import pandas as pd

from exam_core.charts.chart_layout import words_of
from exam_core.wings.neighbours.slides import scores_alternative, scores_figure, taus_figure

ROWS = pd.DataFrame(
    {
        "run_id": ["a", "b"],
        "strict_vital_score": [0.5, 0.25],
        "vital_score": [0.6, 0.5],
        "strict_weighted_score": [0.4, 0.2],
        "weighted_score": [0.5, 0.3],
        "strict_all_score": [0.3, 0.1],
        "all_score": [0.4, 0.2],
    }
)


def test_each_share_has_a_strict_bar_on_a_lenient_one():
    bars = scores_figure(ROWS).data
    assert [list(bar.x) for bar in bars] == [
        ROWS[name].tolist()
        for name in (
            "vital_score",
            "strict_vital_score",
            "weighted_score",
            "strict_weighted_score",
            "all_score",
            "strict_all_score",
        )
    ]
    assert [bar.name for bar in bars if bar.showlegend] == ["partial support as half", "support alone (strict)"]
    # Colour is not the only cue.
    assert [bar.marker.pattern.shape for bar in bars[:2]] == ["/", ""]


def test_scores_in_words_name_the_best_run():
    assert scores_alternative(ROWS) == (
        "Nugget scores of 2 runs. By support of vital nuggets alone a leads with 0.500, 0.600 with partial support as "
        "half."
    )
    assert scores_alternative(ROWS.assign(strict_vital_score=float("nan"))) == "No run has a vital score."


def test_shuffles_are_a_histogram_with_a_line_for_each_other_labelling():
    figure = taus_figure([1.0, 0.5, float("nan")], {"everything vital": 0.25, "exchanged": float("nan")})
    assert list(figure.data[0].x)[:2] == [1.0, 0.5]
    assert [note.text for note in figure.layout.annotations] == ["everything vital 0.25"]
    assert words_of(figure) == (
        "Kendall's tau-b of 2 shuffles with the unchanged leaderboard: mean 0.750, from 0.500 to 1.000."
    )
    assert words_of(taus_figure([], {})).startswith("No shuffled leaderboard")
