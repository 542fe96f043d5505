"""The cache of answers: what is kept is found again, by any process, and only that."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exam_core.errors import StoreError
from exam_core.grading.prompt import Prompt, cache_key, cache_name
from exam_core.store.answer_cache import AnswerCache, KeptAnswer

ABOUT = {"model": "tiny", "beams": 5}


def key(text):
    return cache_key(Prompt(text))


def test_an_answer_is_found_by_its_key_and_no_other_also_by_another_process(tmp_path):
    cache = AnswerCache(tmp_path / "c", ABOUT)
    kept = {key("a"): KeptAnswer("5"), key("b"): KeptAnswer("", cut=True)}
    cache.add(kept)
    for found in (cache, AnswerCache(tmp_path / "c", ABOUT)):
        assert found.find([key("b"), key("x"), key("a"), key("b")]) == kept
    assert '"beams": 5' in (tmp_path / "c" / "about.json").read_text()  # what answers depend on stands beside them


def test_refresh_reads_what_others_kept_since(tmp_path):
    mine, others = (AnswerCache(tmp_path / "c", ABOUT) for _ in range(2))
    others.add({key("a"): KeptAnswer("5")})
    assert mine.find([key("a")]) == {}
    mine.refresh()
    assert mine.find([key("a")]) == {key("a"): KeptAnswer("5")}


def test_two_that_keep_the_same_answer_leave_one_file_and_no_answers_none(tmp_path):
    AnswerCache(tmp_path / "c", ABOUT).add({})
    assert not (tmp_path / "c").exists()
    for _ in range(2):
        AnswerCache(tmp_path / "c", ABOUT).add({key("a"): KeptAnswer("5")})
    assert len(list((tmp_path / "c").glob("*.parquet"))) == 1


def test_a_damaged_segment_is_named_with_what_to_do(tmp_path):
    AnswerCache(tmp_path / "c", ABOUT).add({key("a"): KeptAnswer("5")})
    (segment,) = (tmp_path / "c").glob("*.parquet")
    segment.write_bytes(b"PAR1 no more")
    with pytest.raises(StoreError, match=rf"{segment.name}: this part of the cache is damaged(.|\n)*Remove the file"):
        AnswerCache(tmp_path / "c", ABOUT)


@settings(max_examples=30)
@given(st.dictionaries(st.binary(min_size=16, max_size=16), st.text(max_size=20), max_size=30))
def test_whatever_is_kept_comes_back(tmp_path_factory, answers):
    cache = AnswerCache(tmp_path_factory.mktemp("cache"), ABOUT)
    kept = {name: KeptAnswer(text) for name, text in answers.items()}
    cache.add(kept)
    assert cache.find(list(answers)) == kept


@pytest.mark.parametrize(
    "other",
    [Prompt("ab"), Prompt("a", "b"), Prompt("a", tail="b"), Prompt("a", question="b"), Prompt("", "ab")],
    ids=repr,
)
def test_prompts_with_the_same_letters_in_other_parts_have_other_keys(other):
    same = [Prompt("ab"), Prompt("a", "b"), Prompt("a", tail="b"), Prompt("a", question="b"), Prompt("", "ab")]
    assert [cache_key(prompt) == cache_key(other) for prompt in same].count(True) == 1


def test_a_cache_is_named_by_its_model_and_all_it_depends_on():
    assert cache_name({"model": "google/flan-t5-large", "beams": 5}).startswith("flan-t5-large.")
    assert cache_name({"model": "m", "beams": 5}) == cache_name({"beams": 5, "model": "m"})
    assert cache_name({"model": "m", "beams": 5}) != cache_name({"model": "m", "beams": 1})
