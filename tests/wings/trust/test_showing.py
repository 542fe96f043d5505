"""Figures of answers on trust in a notebook."""


def test_the_figure_of_fidelity_counts_the_pairs_that_its_rows_count(demo_collection):
    answer = demo_collection.fidelity(bank="open", measure="P@20", tau=3)
    for part, name in zip(
        answer.figure().data, ("both", "reference_only", "board_only", "opposite", "neither"), strict=True
    ):
        assert list(part.x) == answer.rows[name].tolist()
    assert answer.tables["pairs"].attrs["table"] == "fidelity: pairs"
    [row] = answer.rows[answer.rows["adjustment"] == "Holm"].to_dict("records")
    differ = f"{row['reference']} differ significantly by P@20 of the judgments and {row['board']} by open P@20"
    assert answer.notes[0].startswith(f"Of {row['pairs']} pairs of 15 runs, {differ}")
    assert answer.notes[1].startswith("Kendall's tau of the two is ")


def test_the_figure_of_votes_has_their_accuracies_and_intervals(demo_collection):
    answer = demo_collection.votes(bank="open", relevant_from=1)
    drawn = [value for part in answer.figure().data for value in part.x]
    assert drawn == answer.rows["accuracy"].tolist()
    assert set(answer.tables) == {"pairs", "thresholds"}
