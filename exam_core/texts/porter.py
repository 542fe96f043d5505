"""Porter's stemmer with the extensions of NLTK, as the authors' code uses it; that of `words` is Porter's own.

Names without an underscore are what other variants share.

Sources: M.F. Porter 1980, An algorithm for suffix stripping, Program 14(3); the departures are those that the
documentation of `nltk.stem.porter` lists for its default mode, NLTK_EXTENSIONS. Each is marked below with "NLTK".
"""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
    **{word: word for word in "sky news inning outing canning howe proceed exceed succeed".split()},
}
"""NLTK: words that the rules would spoil."""

STEP_2 = tuple(
    rule.partition(">")[::2]
    for rule in "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous "
    "ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble".split()
)
"""bli is NLTK's; Porter 1980 has abli."""
STEP_3 = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
_STEP_4 = "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize".split()


@lru_cache(maxsize=200_000)
def nltk_stem(word: str) -> str:
    """The stem of a word, in lower case."""
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:  # NLTK
        return word
    for step in (_plural, _past, _final_y, _double_suffix, shorter_suffix, _bare, _final_e, final_ll):
        word = step(word)
    return word


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]  # NLTK: dies, die
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Step 1b."""
    if word.endswith("ied"):  # NLTK
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word and has_vowel(stem):
            return _whole_again(stem)
    return word


def _whole_again(stem: str) -> str:
    """What is left without -ed or -ing, with the letter that it lost, or without the one that was doubled."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if doubled(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if measure(stem) == 1 and _is_short(stem) else stem


def _final_y(word: str) -> str:
    """Step 1c. NLTK: only after a consonant that isn't the first letter; Porter 1980 after any vowel further ahead."""
    return f"{word[:-1]}i" if word.endswith("y") and len(word) > 2 and _shape(word)[-2] == "c" else word


def _double_suffix(word: str) -> str:
    """Step 2."""
    if word.endswith("alli") and measure(word[:-4]) > 0:
        return _double_suffix(word[:-2])  # NLTK goes on with the same step
    if word.endswith("logi"):  # NLTK; Porter measures what precedes it
        return word[:-1] if measure(word[:-3]) > 0 else word
    return replaced(word, (*STEP_2, ("fulli", "ful")))  # NLTK: fulli


def shorter_suffix(word: str) -> str:
    """Step 3."""
    return replaced(word, STEP_3)


def _bare(word: str) -> str:
    """Step 4."""
    suffix = max((suffix for suffix in _STEP_4 if word.endswith(suffix)), key=len, default="")
    cut = len("ion") if suffix in ("sion", "tion") else len(suffix)
    return word[: len(word) - cut] if cut and measure(word[: len(word) - cut]) > 1 else word


def _final_e(word: str) -> str:
    """Step 5a."""
    stem = word.removesuffix("e")
    if stem == word:
        return word
    return stem if measure(stem) > 1 or (measure(stem) == 1 and not _is_short(stem)) else word


def final_ll(word: str) -> str:
    """Step 5b."""
    return word[:-1] if word.endswith("ll") and measure(word[:-1]) > 1 else word


def replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    """The word with its longest suffix of the rules replaced, where enough precedes it; no shorter one is tried."""
    fitting = (rule for rule in rules if word.endswith(rule[0]))
    suffix, new = max(fitting, key=lambda rule: len(rule[0]), default=("", ""))
    stem = word[: len(word) - len(suffix)]
    return stem + new if suffix and measure(stem) > 0 else word


def _shape(word: str) -> str:
    """The word as c for each consonant and v for each vowel; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def measure(stem: str) -> int:
    """Porter's m: how often a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def has_vowel(stem: str) -> bool:
    """Porter's *v*."""
    return "v" in _shape(stem)


def doubled(word: str) -> bool:
    """Porter's *d: ends in the same consonant twice."""
    return len(word) > 1 and word[-1] == word[-2] and _shape(word).endswith("c")


def is_short(stem: str) -> bool:
    """Porter's *o: ends in consonant, vowel, consonant other than w, x, y."""
    return _shape(stem).endswith("cvc") and stem[-1] not in "wxy"


def _is_short(stem: str) -> bool:
    """NLTK: or is a vowel and a consonant."""
    return is_short(stem) or _shape(stem) == "vc"
