"""The result tables that the data dictionary lists: what each of them, and each of their columns, must say."""

from collections import Counter

from exam_core.reports.dictionary import data_dictionary, result_tables

TABLES = result_tables()
IDS = [table.name for table in TABLES]
WHOLE = ("", "%g", "%+g", "%.0f", "localized", "percent")
"""Forms of numbers that count something, or are a share of it; decimals may be coefficients, which have no unit."""

STEPS = ("tau", "tier")
"""Numbers that name a step of a scale."""


def counts(column):
    """Whether a column's numbers count something or are a share of it."""
    return column.kind in ("number", "bar") and column.form in WHOLE and column.name not in STEPS


def test_no_two_tables_have_one_name():
    assert [name for name, times in Counter(IDS).items() if times > 1] == []


def test_tables_are_found_wherever_they_are_declared():
    declared = {"leaderboard: rows", "worked example: questions", "jobs", "agreement: row"}
    assert declared - set(IDS) == set()


def test_the_data_dictionary_lists_each_table_whose_columns_have_names_headings_and_units():
    columns = [(table.name, column) for table in TABLES for column in table.columns]
    assert [table.name for table in TABLES if not len(set(table.names)) == len(table.names) > 0] == []
    assert [(table, column.name) for table, column in columns if not column.label.strip()] == []
    assert [(table, column.name) for table, column in columns if counts(column) and not column.unit] == []
    dictionary = data_dictionary()
    assert [table.name for table in TABLES if f"## {table.name}\n\n{table.meaning}.\n" not in dictionary] == []
