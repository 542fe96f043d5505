"""What graders are called where people read."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.aliases import KNOWN, LONGEST_ALIAS, aliases, checked, in_words, with_aliases
from exam_core.errors import UsageError
from exam_core.grading.modes.papers import MODES, grader_name
from exam_core.wording import in_lines, shortened

LABELS = {"kind": "labels"}
DL19 = {
    "google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices": ({"kind": "exam"}, "Self-rating, FLAN-T5-L"),
    "QuestionSelfRatedUnanswerablePromptWithChoices": (LABELS, "Self-rating (labels)"),
    "NuggetSelfRatedPrompt": (LABELS, "Nugget rating (labels)"),
    "FagB": (LABELS, "FaggioliB"),
    "FagB_few": (LABELS, "FaggioliB few-shot"),
    "HELM": (LABELS, "HELM"),
    "Sun": (LABELS, "Sun"),
    "Sun_few": (LABELS, "Sun few-shot"),
    "Thomas": (LABELS, "Thomas"),
}
DEMO = {"lexical.pourpre-idf": ({"kind": "lexical"}, "Lexical match"), "nuggetizer": ({"kind": "exam"}, "Nuggetizer")}
PARTS = st.sampled_from(
    [
        "google/",
        "x/",
        "flan-t5-large",
        "flan-t5-xl",
        ".",
        ".",
        "self-rating",
        "Sun",
        "sun",
        "qa",
        "bf16",
        "greedy",
        "",
        "Sun few-shot",
    ]
)
IDS = st.lists(PARTS, min_size=1, max_size=6).map("".join).filter(bool)


def guess(*graders):
    return aliases(graders, {}, {})


@pytest.mark.parametrize("there", [DL19, DEMO], ids=["dl19", "demo"])
def test_the_graders_that_are_released_have_names_that_people_use(there):
    found = aliases(there, {name: about for name, (about, _) in there.items()}, {})

    assert found == {name: alias for name, (_, alias) in there.items()}


@pytest.mark.parametrize("mode", MODES.values(), ids=list(MODES))
def test_every_mode_of_ours_and_its_prompt_have_a_name(mode):
    assert KNOWN[mode.name]  # type: ignore[attr-defined]
    assert KNOWN[mode.prompt_class]  # type: ignore[attr-defined]


def test_a_guess_says_the_mode_and_the_model():
    grader = grader_name("google/flan-t5-xxl", "qa-llm", {})

    assert guess(grader, "gpt-4.1-mini.sun") == {
        "flan-t5-xxl.qa-llm": "QA, LLM-verified, FLAN-T5-XXL",
        "gpt-4.1-mini.sun": "Sun, gpt-4.1-mini",
    }


def test_a_prompt_of_ones_own_is_called_by_its_name_and_others_of_that_name_by_their_hash_too():
    modes = {f"fake-llm.my-prompt-4c17e3c{letter}.chat": {"mode": f"my-prompt-4c17e3c{letter}"} for letter in "ab"}
    first, second = modes
    assert aliases([first], modes, {}) == {first: "my prompt, fake-llm"}
    assert aliases(modes, modes, {}) == {first: "my prompt 4c17e3ca, fake-llm", second: "my prompt 4c17e3cb, fake-llm"}
    assert guess("gpt-4o-20240513") == {"gpt-4o-20240513": "gpt-4o-20240513"}


def test_names_that_would_be_alike_say_what_differs():
    plain, halved = "flan-t5-large.self-rating", "flan-t5-large.self-rating.bf16"
    theirs = "google/flan-t5-large.self-rating"

    assert guess(plain) | guess(halved) == dict.fromkeys((plain, halved), "Self-rating, FLAN-T5-L")
    assert guess(plain, halved, theirs) == {
        plain: "Self-rating, FLAN-T5-L",
        halved: "Self-rating, FLAN-T5-L, bf16",
        theirs: "Self-rating, google/FLAN-T5-L",
    }


def test_a_name_that_somebody_chose_as_an_id_stays():
    assert guess("my best grader.v2") == {"my best grader.v2": "my best grader.v2"}


def test_a_given_alias_counts_more_than_a_guess_and_is_nobody_elses():
    found = aliases(["Sun", "FagB", "HELM"], {}, {"HELM": "FaggioliB", "Sun": "FagB"})

    assert found == {"HELM": "FaggioliB", "FagB": "FaggioliB (FagB)", "Sun": "Sun"}


@given(st.sets(IDS, max_size=8), st.dictionaries(IDS, IDS | st.sampled_from(["Sun", "Self-rating, FLAN-T5-L"])))
def test_no_two_graders_are_called_alike_and_none_as_anothers_id(ids, said):
    found = aliases(ids, {}, said)

    assert set(found) == ids
    assert len(set(found.values())) == len(ids)
    assert all(alias == name or alias not in ids for name, alias in found.items())


@pytest.mark.parametrize(
    ("alias", "why"),
    [
        ("  ", "spaces alone"),
        ("two\nlines", "control characters"),
        ("left\u202eright", "control characters"),
        ("x" * (LONGEST_ALIAS + 1), "60 characters"),
        ("thomas", "Thomas is called Thomas already"),
        ("FaggioliB", "FagB is called FaggioliB already"),
        ("FagB", "FagB is called FaggioliB already"),
    ],
)
def test_an_alias_that_would_mislead_is_refused(alias, why):
    with pytest.raises(UsageError, match=why):
        checked(alias, "Sun", guess("Sun", "Thomas", "FagB"))


def test_an_alias_of_a_grader_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match=r"no grader Moon. There are: FagB, Sun"):
        checked("x", "Moon", guess("Sun", "FagB"))


def test_a_grader_may_be_called_as_its_own_id_and_spaces_are_put_in_order():
    assert checked("  FLAN   large ", "Sun", guess("Sun")) == "FLAN large"
    assert checked("FagB", "FagB", guess("FagB")) == "FagB"


def test_a_sentence_has_names_where_it_had_ids_and_keeps_those_that_it_has():
    called = {"Sun": "Sun zero", "Sun_few": "Sun few-shot", "x/t5.qa": "QA, T5"}

    assert in_words("Sun and Sun_few, as Sun few-shot; x/t5.qa.", called) == (
        "Sun zero and Sun few-shot, as Sun few-shot; QA, T5."
    )
    assert in_words("Sunday, x/t5.qa.bf16 and Sun-x", called) == "Sunday, x/t5.qa.bf16 and Sun-x"
    assert in_words("Sun", {}) == "Sun"


def test_a_frame_has_names_in_the_columns_of_graders():
    frame = pd.DataFrame({"grader": ["Sun_few", "unknown"], "run_id": ["Sun_few", "b"]})

    found = with_aliases(frame, {"Sun_few": "Sun few-shot"})
    assert found.to_dict("list") == {"grader": ["Sun few-shot", "unknown"], "run_id": ["Sun_few", "b"]}


def test_a_long_name_keeps_both_ends():
    assert shortened("idst_bert_pr_1_longest", 11) == "idst_…ngest"
    assert shortened("bm25", 11) == "bm25"


@given(st.text(min_size=1), st.integers(1, 50))
def test_a_shortened_name_is_never_longer_than_asked_for(name, most):
    assert len(shortened(name, most)) <= most


def test_names_are_broken_at_spaces_dots_and_capitals():
    assert in_lines("Self-rating, FLAN-T5-L", 15) == ["Self-rating,", "FLAN-T5-L"]
    assert in_lines("QuestionSelfRatedUnanswerablePrompt", 20) == ["QuestionSelfRated", "UnanswerablePrompt"]
    assert in_lines("google/flan-t5-large.nothing", 20) == ["google/flan-t5-", "large.nothing"]


@given(st.text(), st.integers(1, 30))
def test_lines_are_no_longer_than_asked_for_and_lose_no_letter(name, width):
    lines = in_lines(name, width)

    assert all(len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(name.split())
