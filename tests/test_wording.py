"""Numbers as options, addresses and names have them."""

import pytest

from exam_core.wording import (
    closest,
    counted,
    plain_names,
    plain_number,
    reference_in_words,
    with_options,
    without_commands,
)


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("007", 7), ("9" * 9, 999_999_999), *((other, None) for other in ("", "-1", "1.0", "²", "٣", "1" * 10))],
)
def test_a_plain_number_has_one_to_nine_digits_of_ascii(text, number):
    assert plain_number(text) == number


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("queries have", "1 query has", "2 queries have"),
        ("are", "1 is", "2 are"),
        ("label changes", "1 label change", "2 label changes"),
    ],
)
def test_a_noun_and_its_verb_agree_with_their_number(name, one, two):
    assert (counted({name: 1}), counted({name: 2})) == (one, two)


def test_answers_that_say_more_than_a_digit_are_no_alarm():
    said = counted({"grades": 8524, "answers that are not a plain digit": 8524})
    assert said == "8,524 grades, 8,524 answers that say more than a digit, rated as their file rates them"


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("official", "the official ranking"),
        ("qrels:nDCG@10:relevant_from=2", "nDCG@10 of the judgments"),
        ("qrels:AP:judgments=nist", "AP of the judgments nist"),
        ("grades:Cover@20:bank=nuggets:grader=nuggetizer", "Cover@20 of Nuggetizer, bank nuggets"),
        ("grades:P@20:grader=Thomas:tau=1", "P@20 of Thomas (tau 1)"),
        ("qrels", "qrels"),
        ("my board", "my board"),
    ],
)
def test_references_are_said_in_the_words_of_the_field(reference, said):
    assert reference_in_words(reference) == said


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("One counts 0 (--missing skip leaves it out). Look.", "One counts 0. Look."),
        ("There are none. Add them with: examboard import qrels FILE", "There are none."),
        ("--without x: c has no such run. It has: y.", "c has no such run. It has: y."),
        ("c prints none for --tau 4", "c prints none for tau 4"),
        ("A - B -- C", "A - B -- C"),
    ],
)
def test_a_room_is_told_nothing_of_the_command_line(text, plain):
    assert without_commands(text) == plain


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("--depth all reads them whole (--label-rank 2).", "<depth> all reads them whole (<label-rank> 2)."),
        ("Add one:\n  q1 --depth 3", "Add one:\n  q1 --depth 3"),  # a line of a file
        ("Use: examboard grade C --bank B. Or --bank C.", "Use: examboard grade C --bank B. Or <bank> C."),
        ("See check --repair and `labels --scale`, or --scale", "See check --repair and `labels --scale`, or <scale>"),
    ],
)
def test_options_get_other_names_in_messages_but_not_in_commands_and_lines_of_files(text, said):
    assert with_options(text, lambda option: f"<{option[2:]}>") == said


def test_a_reference_has_the_name_that_somebody_gave_its_grader_and_else_the_usual_one():
    reference = "grades:Cover@20:bank=b:grader=lexical.pourpre-idf"
    assert plain_names(f"with {reference}.") == "with Cover@20 of Lexical match, bank b."
    assert plain_names(f"with {reference}.", {"lexical.pourpre-idf": "Words"}) == "with Cover@20 of Words, bank b."
    assert plain_names("with grades:Cover@20:bank=b:grader=mine.") == "with Cover@20 of mine, bank b."


def test_values_behind_names_with_commas_stand_in_parentheses():
    assert closest({"Thomas": 0.71, "Sun": 0.884}, "Kendall") == "Sun, Kendall 0.884; then Thomas 0.710"
    names = {"P@20, tau 4": 0.738, "Cover@20, tau 4": 0.704, "none": float("nan")}
    assert closest(names, "Kendall") == "P@20, tau 4, Kendall 0.738; then Cover@20, tau 4 (0.704)"
