"""What is taken away of every page: the box *Share*."""

import pytest
from dashboards import opened, saves, sentences, unfolded

from pages.shared import share_and_export
from pages.shared.share_and_export import STEM, TABS
from tests.wings import added, rows_added

PAGE = "pages/agreement/agreement.py"
BOARD = "pages/leaderboard/leaderboard.py"


def test_the_methods_of_the_choice_are_there_to_copy_and_to_save(demo_store, monkeypatch):
    test = unfolded(opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="2"), "share")
    said = [block.value for block in test.code if block.value.startswith("We evaluate 15 runs of demo on 8 queries")]
    assert ["at least tau = 2" in one for one in said] == [True]
    saved = " ".join(saves(test))
    assert [one.label for one in test.tabs if one.label in TABS] == ["Link", "Files", "Paper"]
    wanted = ("Save the methods (LaTeX)", "Save the papers (BibTeX)", *added("SAVED"))
    assert [label for label in wanted if label not in saved] == []


def test_a_mode_that_is_compared_with_itself_says_so_and_the_reference_has_its_name(demo_store, monkeypatch):
    asked = {"collection": "demo-nuggets", "modes": ["nuggetizer", "lexical.pourpre-idf"]}
    test = opened(BOARD, demo_store, monkeypatch, **asked)
    [table] = [one.proto.body for one in test.get("html") if "Spearman with" in one.proto.body]
    assert "Spearman with Cover@20 of Lexical match" in table
    assert "Agreement with Cover@20 of Lexical match" in table
    assert "Lexical match is compared with itself: that correlation says nothing." in sentences(test)


def test_the_same_mode_on_another_bank_is_another_reference(demo_store, monkeypatch):
    other = "grades:Cover@20:bank=manual:grader=lexical.pourpre-idf:tau=4"
    asked = {"collection": "demo", "bank": "open", "tau": "4", "reference": other}
    test = opened(BOARD, demo_store, monkeypatch, **asked)
    assert "Against Cover@20 of Lexical match, bank manual (tau 4): Spearman 0.656, Kendall 0.566" in sentences(test)


@pytest.mark.parametrize(
    ("asked", "stem"),
    [({"collection": "demo", "bank": "open", "tau": "3"}, "demo-Cover-20-tau3-Lexical-match"), *rows_added("STEMS")],
)
def test_names_of_files_say_the_tau_that_counts(asked, stem, demo_store, monkeypatch):
    test = opened(BOARD, demo_store, monkeypatch, **asked)
    assert test.session_state[STEM] == stem


def test_the_name_of_a_mode_s_file_has_that_mode_once(demo_store, monkeypatch):
    named, names = share_and_export.file_named, []
    monkeypatch.setattr(share_and_export, "file_named", lambda *given: names.append(named(*given)) or names[-1])
    asked = {"collection": "demo-nuggets", "modes": ["nuggetizer", "lexical.pourpre-idf"]}
    unfolded(opened(BOARD, demo_store, monkeypatch, **asked), "share")
    of_modes = {name for name in names if name.endswith("-labels.qrels")}
    assert len(of_modes) == 2
    assert {name.count("Nuggetizer") + name.count("Lexical-match") for name in of_modes} == {1}


def test_of_several_modes_the_board_s_csv_has_all(demo_store, monkeypatch):
    saved = {}
    monkeypatch.setattr(share_and_export, "save", lambda label, content, *_: saved.setdefault(label, content))
    modes = ["nuggetizer", "lexical.pourpre-idf"]
    unfolded(
        opened(BOARD, demo_store, monkeypatch, collection="demo-nuggets", modes=modes), "leaderboard_scores_export"
    )
    head, *rows = saved["CSV"]().splitlines()
    assert head.startswith("series,rank,run_id,")
    assert [row.partition(",")[0] for row in rows] == [mode for mode in modes for _ in range(4)]


def test_print_has_a_methods_paragraph_and_says_what_it_can_t_save(demo_store, monkeypatch):
    test = unfolded(opened(BOARD, demo_store, monkeypatch, collection="car-y3-published"), "share")
    assert any(block.value.startswith("We evaluate 22 runs of car-y3-published") for block in test.code)
    assert "Printed figures: there are no labels and no values by query to save." in [one.value for one in test.caption]
