"""Words as ROUGE 1.5.5 makes them: its tokens, its stop words, its stemmer, and WordNet's exceptions to that."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from exam_core.installation import home
from exam_core.texts.porter import STEP_2, doubled, final_ll, has_vowel, is_short, measure, replaced, shorter_suffix

EXCEPTIONS = home() / "data" / "wordnet" / "exceptions.txt"

SHORTEST_STEMMED = 4
"""Letters; shorter words are left as they are."""

STOP_WORDS = frozenset(
    """
    a able about above according accordingly across actually after afterwards again against all allow allows
    almost alone along already also although always am amid among amongst an and another any anybody anyhow
    anyone anything anyway anyways anywhere ap apart appear appreciate appropriate apr are around as aside ask
    asking associated at aug available away awfully b be became because become becomes becoming been before
    beforehand behind being believe below beside besides best better between beyond both brief but by c came can
    cannot cant cause causes certain certainly changes clearly co com come comes concerning consequently
    consider considering contain containing contains corresponding could course currently d dec definitely
    described despite did different do does doing done down downwards during e each edu eg eight either else
    elsewhere enough entirely especially et etc even ever every everybody everyone everything everywhere ex
    exactly example except f far feb few fifth five followed following follows for former formerly forth four
    fri from further furthermore g get gets getting given gives go goes going gone got gotten greetings h had
    happens hardly has have having he hello help hence her here hereafter hereby herein hereupon hers herself hi
    him himself his hither hopefully how howbeit however i ie if ignored immediate in inasmuch inc indeed index
    indicate indicated indicates inner insofar instead into inward is it its itself j jan jul jun just k keep
    keeps kept know known knows l lately later latter latterly least less lest let like liked likely little look
    looking looks ltd m mainly many mar may maybe me mean meanwhile merely might mon more moreover most mostly
    much must my myself n namely nd near nearly necessary need needs neither never nevertheless new news next
    nine no nobody non none noone nor normally not nothing nov novel now nowhere o obviously oct of off often oh
    ok okay old on once one ones only onto or other others otherwise ought our ours ourselves out outside over
    overall own p particular particularly per perhaps placed please plus possible presumably probably provides q
    que quite qv r rather rd re really reasonably regarding regardless regards relatively respectively reuters
    right s said same sat saw say saying says second secondly see seeing seem seemed seeming seems seen self
    selves sensible sent sep serious seriously seven several shall she should since six so some somebody somehow
    someone something sometime sometimes somewhat somewhere soon sorry specified specify specifying still sub
    such sup sure t take taken tech tell tends th than thank thanks thanx that thats the their theirs them
    themselves then thence there thereafter thereby therefore therein theres thereupon these they think third
    this thorough thoroughly those though three through throughout thru thu thus to together too took toward
    towards tried tries truly try trying tue twice two u un under unfortunately unless unlikely until unto up
    upon us use used useful uses using usually uucp v value various very via viz vs w want wants was way we wed
    welcome well went were what whatever when whence whenever where whereafter whereas whereby wherein whereupon
    wherever whether which while whither who whoever whole whom whose why will willing wish with within without
    wonder would x y yes yet you your yours yourself yourselves z zero
    """.split()
)
"""The words of the script's smart_common_words.txt; those with an apostrophe or a dot are no tokens and match nothing.

Source: the SMART system's list (Salton 1971), with names of news agencies and months.
"""

_KEPT = "abcdefghijklmnopqrstuvwxyz0123456789"
_KNOWN = re.compile("[a-zA-Z0-9]")
_TABLE = bytes(ord(letter) if (letter := chr(byte).lower()) in _KEPT else ord(" ") for byte in range(256))

_STEP_4 = "al ance ence er ic able ible ant ement ou ism ate iti ous ive ize".split()


def tokens(text: str) -> list[bytes]:
    """Lower-case runs of a to z and 0 to 9, as bytes; all else parts them, letters with accents too.

    An accent that stands behind its letter is first joined with it, as most texts have it.

    Source: ROUGE-1.5.5.pl, readText and createNGram.
    """
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass").translate(_TABLE).split()


def is_in_other_letters(texts: Iterable[str]) -> bool:
    """Whether less than half of the letters of some texts are a to z, so that `tokens` of them say little."""
    letters = [letter for text in texts for letter in unicodedata.normalize("NFC", text) if letter.isalpha()]
    return 2 * sum(map(str.isascii, letters)) < len(letters)


def has_no_token(texts: Iterable[str]) -> bool:
    """Whether texts have letters, and `tokens` finds nothing in any of them."""
    texts = list(texts)
    return not any(map(_KNOWN.search, texts)) and any(letter.isalpha() for text in texts for letter in text)


def porter(word: str) -> str:
    """The stem that the script's own Porter stemmer gives a lower-case word of 4 or more letters.

    It departs from Porter 1980: -bli and -logi in step 2, and what step 4 left is tried for -ment, then for -ent
    ("CYL: Modified 02/14/2004").
    """
    word = f"Y{word[1:]}" if word.startswith("y") else word
    for step in (_plural, _past, _final_y, _double_suffix, shorter_suffix, _bare, _final_e, final_ll):
        word = step(word)
    return f"y{word[1:]}" if word.startswith("Y") else word


@cache
def exceptions() -> dict[str, str]:
    """Irregular forms and what the script takes for their stems, where its stemmer would give something else.

    Source: WordNet 2.0's lists of exceptions, see data/wordnet/README.md.
    """
    lines = EXCEPTIONS.read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ") for line in lines)


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if len(word) > 1 and word[-1] == "s" and word[-2] != "s" else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word:
            return _whole_again(stem) if has_vowel(stem) else word
    return word


def _whole_again(stem: str) -> str:
    """What is left without -ed or -ing, with the letter that it lost, or without the one that was doubled."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if doubled(stem) and stem[-1] not in "lsyz":
        return stem[:-1]
    return stem + "e" if measure(stem) == 1 and is_short(stem) else stem


def _final_y(word: str) -> str:
    return f"{word[:-1]}i" if word.endswith("y") and has_vowel(word[:-1]) else word


def _double_suffix(word: str) -> str:
    return replaced(word, (*STEP_2, ("logi", "log")))


def _bare(word: str) -> str:
    """Step 4: three rules one after the other; only a word that doesn't end in -ent then is tried for -ion."""
    suffix = max((suffix for suffix in _STEP_4 if word.endswith(suffix)), key=len, default="")
    for ending in (suffix, "ment"):
        word = _without(word, ending)
    if word.endswith("ent"):
        return _without(word, "ent")
    return _without(word, "ion") if word.endswith(("sion", "tion")) else word


def _without(word: str, ending: str) -> str:
    stem = word.removesuffix(ending)
    return stem if ending and stem != word and measure(stem) > 1 else word


def _final_e(word: str) -> str:
    stem = word.removesuffix("e")
    return stem if measure(stem) > 1 or (measure(stem) == 1 and not is_short(stem)) else word
