"""The command alias."""

import shutil


def test_a_table_for_latex_has_both_names(demo_store, examboard):
    both = examboard(demo_store, "alias", "demo", "--format", "latex").out
    assert "Lexical match & lexical.pourpre-idf" in both


def test_a_grader_is_named_on_the_command_line(two_graders, tmp_path, examboard, told):
    store = shutil.copytree(two_graders, tmp_path / "store")
    done = examboard(store, "alias", "demo", "nuggetizer", "AutoNuggetizer")
    listed = told("alias", "demo", store=store)
    refused = examboard(store, "alias", "demo", "lexical.pourpre-idf", "autonuggetizer")
    without = examboard(store, "alias", "demo", "nuggetizer")

    assert done.out.strip() == "demo: nuggetizer is called AutoNuggetizer now; it was Nuggetizer."
    assert listed["rows"] == [
        {"alias": "Lexical match", "grader": "lexical.pourpre-idf", "given": False},
        {"alias": "AutoNuggetizer", "grader": "nuggetizer", "given": True},
    ]
    assert (refused.status, told("alias", "demo", store=store)) == (2, listed)
    assert "nuggetizer is called AutoNuggetizer already" in refused.err
    assert without.status == 2
    assert "To name nuggetizer" in without.err
