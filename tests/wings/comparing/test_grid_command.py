"""`examboard grid`."""


def test_tables_for_latex_have_names_and_csv_has_ids(demo_store, examboard):
    for form, there, gone in (("latex", "Lexical match", "pourpre"), ("csv", "lexical.pourpre-idf", "Lexical match")):
        said = examboard(demo_store, "grid", "demo", "--bank", "open", "--format", form).out
        assert (there in said, gone in said) == (True, False)
