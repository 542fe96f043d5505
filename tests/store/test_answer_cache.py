"""The cache of answers: what is kept is found again, by any process, and only that."""

import pyarrow as pa
import pytest

from exam_core.errors import StoreError
from exam_core.grading.prompt import Prompt, cache_key, cache_name
from exam_core.store.answer_cache import FILE, AnswerCache, CachedAnswer
from exam_core.store.files import content_name
from exam_core.store.grade_segments import parquet
from exam_core.store.version_1 import FOLDER

ABOUT = {"model": "tiny", "beams": 5}


def key(text):
    return cache_key(Prompt(text))


def test_an_answer_is_found_by_its_key_and_no_other_also_by_another_process(tmp_path):
    cache, others = (AnswerCache(tmp_path / "c", ABOUT) for _ in range(2))
    kept = {key("a"): CachedAnswer("5"), key("b"): CachedAnswer("", cut=True)}
    assert others.find(list(kept)) == {}
    cache.add(kept)
    for found in (cache, others):
        assert found.find([key("b"), key("x"), key("a"), key("b")]) == kept
    assert '"beams": 5' in (tmp_path / "c" / "about.json").read_text()  # what answers depend on stands beside them


def test_more_keys_than_a_statement_takes_are_all_found(tmp_path):
    cache = AnswerCache(tmp_path / "c", ABOUT)
    kept = {key(str(number)): CachedAnswer(str(number)) for number in range(10_203)}
    cache.add(kept)
    assert cache.find([key(str(number)) for number in range(-5, 10_300)]) == kept


def test_no_answers_make_no_file(tmp_path):
    AnswerCache(tmp_path / "c", ABOUT).add({})
    assert not (tmp_path / "c").exists()


def test_a_damaged_file_is_named_with_what_to_do(tmp_path):
    cache = AnswerCache(tmp_path / "c", ABOUT)
    cache.add({key("a"): CachedAnswer("5")})
    (tmp_path / "c" / FILE).write_bytes(b"SQLite no more" * 100)
    for broken in (cache, AnswerCache(tmp_path / "c", ABOUT)):
        with pytest.raises(StoreError, match=rf"{FILE}: is damaged(.|\n)*check --repair"):
            broken.find([key("a")])


def test_what_was_set_aside_is_not_written_to(tmp_path):
    cache = AnswerCache(tmp_path / "c", ABOUT)
    cache.add({key("a"): CachedAnswer("5")})
    (tmp_path / "c" / FILE).rename(tmp_path / "aside")
    cache.add({key("b"): CachedAnswer("4")})
    assert cache.find([key("a"), key("b")]) == {key("b"): CachedAnswer("4")}


@pytest.fixture
def of_version_1(tmp_path):
    """A folder of answers as version 1 wrote it: of two times, with another schema each."""
    folder = tmp_path / "store" / "cache" / "c"
    folder.mkdir(parents=True)
    old = {"key": pa.array([key("a")], pa.binary(16)), "text": ["5"], "cut": [True]}
    new = {"key": pa.array([key("b")], pa.binary(16)), "text": ["4"], "cut": [False], "stopped": [True]}
    for columns in (
        old,
        new | {"prompt_tokens": pa.array([7], pa.int32()), "answer_tokens": pa.array([2], pa.int32())},
    ):
        content = parquet(pa.table(columns))
        (folder / f"{content_name(content)}.parquet").write_bytes(content)
    return folder


ANSWERS = {key("a"): CachedAnswer("5", cut=True), key("b"): CachedAnswer("4", False, True, 7, 2)}


def test_answers_of_version_1_are_taken_over_by_the_first_who_adds_some(of_version_1):
    cache = AnswerCache(of_version_1, ABOUT)
    assert cache.find(list(ANSWERS)) == ANSWERS
    assert len(list(of_version_1.iterdir())) == 2  # who only reads changes nothing
    cache.add({key("c"): CachedAnswer("3")})
    assert sorted(path.name for path in of_version_1.iterdir()) == ["about.json", FILE]
    assert len(list((of_version_1.parents[1] / FOLDER / "cache" / "c").iterdir())) == 2
    for now in (cache, AnswerCache(of_version_1, ABOUT)):
        assert now.find([*ANSWERS, key("c")]) == ANSWERS | {key("c"): CachedAnswer("3")}
        assert now.mean_tokens() == (7, 2)


def test_a_damaged_file_of_version_1_is_named_and_nothing_is_taken_over(of_version_1):
    first = min(of_version_1.iterdir())
    first.write_bytes(b"PAR1 no more")
    with pytest.raises(
        StoreError, match=rf"{first.name}: this part of the cache can't be read \(damaged\)(.|\n)*check --repair"
    ):
        AnswerCache(of_version_1, ABOUT)
    assert len(list(of_version_1.iterdir())) == 2


def test_prompts_with_the_same_letters_in_other_parts_have_other_keys():
    prompts = [Prompt("ab"), Prompt("a", "b"), Prompt("a", tail="b"), Prompt("a", question="b"), Prompt("", "ab")]
    assert len({cache_key(prompt) for prompt in prompts}) == len(prompts)


def test_a_cache_is_named_by_its_model_and_all_it_depends_on():
    assert cache_name({"model": "google/flan-t5-large", "beams": 5}).startswith("flan-t5-large.")
    assert cache_name({"model": "m", "beams": 5}) == cache_name({"beams": 5, "model": "m"})
    assert cache_name({"model": "m", "beams": 5}) != cache_name({"model": "m", "beams": 1})
