"""The stemmer of the authors' code: NLTK's own is the oracle, over real texts and over words made of all suffixes."""

import random
import re
import string

import pytest

from exam_core.store import Store
from exam_core.texts.porter import nltk_stem
from exam_core.texts.words import stem

GRADED = "appendix/EXAM-graded-data/DL19-graded-t5-rating-genq-exam-qrels-runs-with-text.jsonl.gz"
SUFFIXES = """
    s es ies sses ss ed ied eed ing y ly e ll ational tional enci anci izer bli alli entli eli ousli ization ation ator
    alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic
    able ible ant ement ment ent sion tion ou ism ate iti ous ive ize
""".split()


def words_of(texts):
    return {word for text in texts for word in re.findall(r"\w+", text)}


def differing(words):
    """Words whose stem isn't NLTK's: word, ours, theirs."""
    porter = pytest.importorskip("nltk.stem.porter", reason="nltk is not installed: pip install -e '.[dev]'")
    oracle = porter.PorterStemmer()
    stems = ((word, nltk_stem(word), oracle.stem(word)) for word in words)
    return [found for found in stems if found[1] != found[2]]


def test_every_word_of_the_demo_has_nltks_stem(demo_store):
    snapshot = Store(demo_store).snapshot("demo")
    texts = [*snapshot.frame("passages")["passage_text"], *snapshot.frame("questions")["question_text"]]
    words = words_of(texts)
    assert len(words) > 1_000
    assert differing(words) == []


def test_words_of_random_letters_and_every_suffix_have_nltks_stem():
    chance = random.Random(1)
    beginnings = ("".join(chance.choices("abcdeilnorstuyyaeio", k=chance.randint(0, 5))) for _ in range(8_000))
    assert differing({start + "".join(chance.choices(SUFFIXES, k=chance.randint(1, 3))) for start in beginnings}) == []


def test_porters_own_stemmer_differs_so_both_are_needed():
    assert [(stem(word), nltk_stem(word)) for word in ("enjoy", "news", "dies")] == [
        ("enjoi", "enjoy"),
        ("new", "news"),
        ("di", "die"),
    ]


def test_porters_own_stemmer_leaves_words_of_one_or_two_letters_alone():
    """NLTK has the algorithm as it was printed, and as Porter's own program goes on from it."""
    porter = pytest.importorskip("nltk.stem.porter", reason="nltk is not installed: pip install -e '.[dev]'")
    kind = porter.PorterStemmer
    program, printed = kind(kind.MARTIN_EXTENSIONS), kind(kind.ORIGINAL_ALGORITHM)
    short = [one + other for one in string.ascii_lowercase for other in ["", *string.ascii_lowercase]]
    assert {word: stem(word) for word in short} == {word: program.stem(word) for word in short}
    longer = [base + ending for base in ("gas", "hous", "tri", "agree", "comput") for ending in SUFFIXES]
    assert {word: stem(word) for word in longer} == {word: printed.stem(word) for word in longer}
