"""POURPRE and ROUGE again, slowly and obviously: one run, one query, one nugget at a time."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from string import ascii_lowercase

from exam_core.texts.scripts import word_list
from exam_core.texts.words import stem, words
from exam_core.wings.neighbours import rouge
from exam_core.wings.neighbours.pourpre import Pourpre
from exam_core.wings.neighbours.rouge import Rouge, RougeL
from exam_core.wings.neighbours.sides import Nugget, Sides, sentences


def terms(text: str, options: Pourpre) -> list[str]:
    return [stem(word) for word in words(text)] if options.stem == "porter" else words(text)


def weight_of(term: str, sides: Sides, options: Pourpre) -> float:
    if options.terms == "count":
        return 1.0
    documents = sides.documents()
    holding = sum(term in terms(text, options) for text in documents)
    return math.log(len(documents) / max(holding, 1))


def match(nugget: Nugget, strings: Sequence[str], sides: Sides, options: Pourpre) -> float:
    """A nugget's match score; NaN where its terms weigh nothing."""
    wanted = terms(nugget.text, options)
    total = sum(weight_of(term, sides, options) for term in wanted)
    if total == 0:
        return math.nan
    best = 0.0
    for string in strings:
        held = terms(string, options)
        best = max(best, sum(weight_of(term, sides, options) for term in wanted if term in held) / total)
    return best


def slow_pourpre(sides: Sides, run: int, query: int, options: Pourpre) -> float:
    return f_of([answer_of(sides, run, query, options)], options)


def slow_micro(sides: Sides, run: int, options: Pourpre) -> float:
    return f_of([answer_of(sides, run, query, options) for query in range(len(sides.query_ids))], options)


Answer = tuple[list[tuple[float, float]], int]


def answer_of(sides: Sides, run: int, query: int, options: Pourpre) -> Answer:
    """Weight and match score of each nugget that can be matched, and the length of the answer."""
    strings = sides.strings.get((run, query), ())
    scores = [(nugget, match(nugget, strings, sides, options)) for nugget in sides.nuggets[query]]
    length = sum(not letter.isspace() for string in strings for letter in unicodedata.normalize("NFC", string))
    weighed = [
        (nugget.weight if options.weights == "pyramid" else float(nugget.vital), score)
        for nugget, score in scores
        if not math.isnan(score)
    ]
    return weighed, length


def f_of(answers: Sequence[Answer], options: Pourpre) -> float:
    """F of answers as if they were one; those to queries without a nugget that can be matched don't count."""
    answers = [answer for answer in answers if answer[0]]
    scores = [score for answer, _ in answers for score in answer]
    if sum(weight for weight, _ in scores) == 0:
        return math.nan
    recall = sum(weight * score for weight, score in scores) / sum(weight for weight, _ in scores)
    length = sum(length for _, length in answers)
    allowed = options.allowance * sum(score > 0 for _, score in scores)
    precision = 1.0 if length <= allowed else 1 - (length - allowed) / length
    if precision == recall == 0:
        return 0.0
    return (options.beta**2 + 1) * precision * recall / (options.beta**2 * precision + recall)


def rouge_tokens(text: str, options: Rouge) -> list[str]:
    bare = unicodedata.normalize("NFC", text).encode("ascii", "replace").decode().lower()
    found = word_list(text) if options.words == "unicode" else re.findall("[a-z0-9]+", bare)
    if options.stopwords == "removed":
        found = [word for word in found if word not in rouge.STOP_WORDS]
    known = rouge.exceptions() if options.stem == "wordnet" else {}
    if options.stem == "none":
        return found
    return [word if len(word) < 4 else known.get(word) or rouge.porter(word) for word in found]


def grams(tokens: Sequence[str], kind: str) -> Counter[tuple[str, ...]]:
    places = range(len(tokens))
    if kind in ("1", "2"):
        size = int(kind)
        return Counter(tuple(tokens[i : i + size]) for i in places if i + size <= len(tokens))
    pairs = Counter[tuple[str, ...]]((tokens[i], tokens[j]) for i in places for j in places if i < j <= i + 5)
    return pairs + Counter((token,) for token in tokens[:-1]) if kind == "SU4" else pairs


def common(model: Sequence[str], peer: Sequence[str]) -> set[int]:
    """Places of the model in the longest common subsequence that the script finds."""
    table = [[0] * (len(peer) + 1) for _ in range(len(model) + 1)]
    for i, one in enumerate(model, 1):
        for j, other in enumerate(peer, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if one == other else max(table[i - 1][j], table[i][j - 1])
    places, i, j = set(), len(model), len(peer)
    while i and j:
        if model[i - 1] == peer[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return places


def slow_rouge(sides: Sides, run: int, query: int, options: Rouge, kind: str) -> float:
    if options.words == "script":
        letters = [letter for nugget in sides.nuggets[query] for letter in nugget.text if letter.isalpha()]
        answer = "".join(sides.strings.get((run, query), ()))
        if sum(letter.lower() in ascii_lowercase for letter in letters) < len(letters) / 2:
            return math.nan
        if any(map(str.isalpha, answer)) and not rouge_tokens(answer, Rouge()):
            return math.nan
    reference = [rouge_tokens(nugget.text, options) for nugget in sides.nuggets[query]]
    strings: Iterable[str] = sides.strings.get((run, query), ())
    if isinstance(options, RougeL) and options.strings == "sentences":
        strings = [sentence for string in strings for sentence in sentences(string)]
    peers = [rouge_tokens(string, options) for string in strings]
    model, peer = list(chain(*reference)), list(chain(*peers))
    if kind == "L":
        marked = Counter[str]()
        for sentence in reference:
            places = set().union(*(common(sentence, other) for other in peers))
            marked.update(sentence[place] for place in places)
        hits, wanted, given = (marked & Counter(peer)).total(), len(model), len(peer)
    else:
        wanted_grams, given_grams = grams(model, kind), grams(peer, kind)
        hits, wanted, given = (wanted_grams & given_grams).total(), wanted_grams.total(), given_grams.total()
    if not wanted:
        return math.nan
    recall, precision = hits / wanted, hits / given if given else 0.0
    if options.score == "f":
        below = (1 - options.alpha) * precision + options.alpha * recall
        return precision * recall / below if below else 0.0
    return recall if options.score == "recall" else precision
