"""Measures that look at no grades, on the pages that treat them otherwise."""

from dashboards import opened, sentences, table

POURPRE = {"collection": "demo-nuggets", "measure": "POURPRE"}


def test_the_boards_of_compare_are_by_the_measure_and_by_a_grading_mode(demo_store, monkeypatch):
    query = POURPRE | {"compare_b_measure": "NuggetVital", "compare_b_mode": "nuggetizer"}
    query["compare_tab"] = "All runs"
    test = opened("pages/compare/compare.py", demo_store, monkeypatch, **query)
    assert "A (nuggets POURPRE@20) and B (Nuggetizer NuggetVital@20, tau 1) correlate" in sentences(test)
    assert len(table(test, "rank_a")) == 4


def test_stability_draws_queries_and_says_that_there_are_no_questions_to_draw(demo_store, monkeypatch):
    test = opened(
        "pages/reliability/reliability.py", demo_store, monkeypatch, **POURPRE, stability_view="Rank of each run"
    )
    assert table(test, "rank_mean")["run_id"].tolist() == ["gen-careful", "gen-chatty", "gen-confused", "gen-brief"]


def test_the_bar_offers_options_and_keeps_them_in_the_measure(demo_store, monkeypatch):
    query = POURPRE | {"option_beta": "5", "option_terms": "idf"}
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, **query)
    assert "POURPRE(terms=idf,beta=5)@20" in sentences(test)


def test_measures_of_nuggets_are_not_offered_for_exam_questions(demo_store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo")
    (measures,) = [box.options for box in test.selectbox if box.label == "Measure"]
    assert not {"POURPRE", "ROUGE1", "NuggetVital", "NRP"} & set(measures)


def test_the_mode_that_is_looked_at_first_is_not_its_own_reference(demo_store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo-nuggets")
    assert test.pills(key="modes").value[0] == "nuggetizer"
    assert test.selectbox(key="reference").value == "grades:Cover@20:bank=nuggets:grader=lexical.pourpre-idf:tau=4"
    assert "Against Cover@20 of Lexical match, bank nuggets (tau 4): Spearman 0.632" in sentences(test)


def test_where_no_correlation_is_defined_the_board_begins_with_its_best_run(demo_store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo-answers")
    assert "Best: albatross-large explain, NRP 0.806" in sentences(test)
    assert "undefined, Kendall" not in sentences(test)
    assert "There are no human judgments" not in sentences(test)
