"""grid and cutoffs: their JSON, their forms, and what they say of every collection."""

CUTOFFS = ("cutoffs", "demo", "--bank", "manual", "--draws", "50", "--splits", "20")


def test_grid_has_a_row_for_each_mode_tau_and_measure(told):
    found = told("grid", "demo")
    assert found["measures"] == ["AP", "nDCG@20", "Rprec", "Cover@20"]
    keys = {(row["bank"], row["grader"], row["tau"], row["measure"]) for row in found["rows"]}
    assert len(keys) == len(found["rows"]) == 2 * 5 * 4
    row = "bank grader tau measure spearman kendall n style_spearman style_kendall undefined"
    assert set(found["rows"][0]) == set(row.split())


def test_grid_head_is_the_question_as_used(told):
    options = ("--bank", "open", "--taus", "5,1", "--measures", "P@5, AP", "--depth", "all", "--missing", "skip")
    found = told("grid", "demo", *options)
    asked = [found[name] for name in ("collection", "bank", "taus", "measures", "reference", "depth")]
    assert asked == ["demo", "open", [1, 5], ["P@5", "AP"], "official", None]
    assert {row["tau"] for row in found["rows"]} == {1, 5}


def test_grid_as_a_table_marks_the_best_and_explains_the_marks(examboard, demo_store):
    printed = examboard(demo_store, "grid", "demo").out
    head = printed.splitlines()[0].split()
    assert head[:7] == ["bank", "grader", "tau", "MAP", "(first", "20)", "S"]
    assert "**0.993**" in printed
    assert "**best** of its column, *within 0.05 of the best*, (below 0.5)" in printed


def test_cutoffs_has_the_question_a_row_for_each_tau_and_recommends_one_in_rows_head_and_notes(told):
    found = told(*CUTOFFS, "--measure", "AP", "--seed", "3")
    assert [row["tau"] for row in found["rows"]] == [1, 2, 3, 4, 5]
    asked = [found[name] for name in ("collection", "bank", "measure", "reference", "draws", "splits", "seed")]
    assert asked == ["demo", "manual", "AP", "official", 50, 20, 3]
    assert set(found["rows"][0]) >= {
        *("spearman", "spearman_low", "spearman_high", "kendall", "kendall_low", "kendall_high", "tau_ap", "n"),
        *("stderr", "separable_bars", "separable_t", "kappa", "kappa_low", "kappa_high", "ungraded", "unreadable"),
        *("wins", "held_out_kendall", "recommended"),
    }
    found = told(*CUTOFFS)
    assert [row["tau"] for row in found["rows"] if row["recommended"]] == [found["recommended"]]
    assert any(f"For the order of the runs, use tau {found['recommended']}:" in note for note in found["notes"])


def test_cutoffs_takes_tau_all_and_weighs_another_tau(told):
    every = told(*CUTOFFS, "--tau", "all")
    one = told(*CUTOFFS, "--tau", "1")
    assert every["rows"] == one["rows"]
    assert any("(tau 1: " in note for note in one["notes"])


def test_a_mode_that_is_its_own_reference_is_said_so_and_recommends_no_tau(told, examboard, demo_store):
    asked = ("demo", "--bank", "open", "--reference", "grades:Cover@20:bank=open:grader=lexical.pourpre-idf:tau=3")
    itself = "lexical.pourpre-idf is compared with itself: that correlation says nothing."
    found = told("cutoffs", *asked, "--draws", "50")
    assert (found["recommended"], itself in found["notes"]) == (None, True)
    assert [itself in examboard(demo_store, "correlate", *asked, "--tau", tau).out for tau in "32"] == [True, False]


def test_tables_for_latex_have_names_and_csv_has_ids(demo_store, examboard):
    for form, there, gone in (("latex", "Lexical match", "pourpre"), ("csv", "lexical.pourpre-idf", "Lexical match")):
        said = examboard(demo_store, "grid", "demo", "--bank", "open", "--format", form).out
        assert (there in said, gone in said) == (True, False)
