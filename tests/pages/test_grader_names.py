"""Graders are shown by name; what is chosen and what is saved has their ids."""

from dashboards import opened, table

ASKED = {"collection": "demo", "measure": "P@20", "modes": ["nuggetizer", "lexical.pourpre-idf"]}


def test_boxes_show_names_and_mean_ids(two_graders, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", two_graders, monkeypatch, **ASKED)
    chips = test.pills(key="modes_by_name")
    assert (chips.options, chips.value) == (["Nuggetizer", "Lexical match"], ["Nuggetizer", "Lexical match"])
    assert test.selectbox(key="mode_by_name").value == "Nuggetizer"

    test.selectbox(key="mode_by_name").set_value("Lexical match").run()
    assert test.selectbox(key="mode").value == "lexical.pourpre-idf"
    chips.set_value(["Lexical match"]).run()
    assert test.pills(key="modes").value == ["lexical.pourpre-idf"]


def test_what_is_known_of_the_graders_stands_beside_their_names(two_graders, monkeypatch):
    test = opened("pages/grading/grading.py", two_graders, monkeypatch, collection="demo")
    assert table(test, "missing")["grader_id"].tolist() == ["Lexical match", "Nuggetizer"]
    assert table(test, "given").to_dict("list") == {
        "alias": ["Lexical match", "Nuggetizer"],
        "grader": ["lexical.pourpre-idf", "nuggetizer"],
        "given": [False, False],
    }
