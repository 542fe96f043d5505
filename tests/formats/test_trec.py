"""TREC runs and qrels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.errors import UsageError
from exam_core.formats.labels import read_labels
from exam_core.formats.reading import trec_rank
from exam_core.formats.trec import qrels_lines, read_qrels, read_run, write_run
from exam_core.formats.writing import write_lines
from exam_core.tables import JUDGMENTS, RANKINGS

RUN = "q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 8 bm25\nq2 Q0 d1 1 0.25 bm25\n"
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 -2\n"


@pytest.fixture
def run(write):
    return lambda text, name="file.run": read_run(write(text, name)).frames["rankings"]


@pytest.fixture
def qrels(write):
    return lambda text, name="file.qrels": read_qrels(write(text, name), qrels_id="nist").frames["judgments"]


def ranking(frame):
    return list(frame.sort_values("rank")["doc_id"])


# Runs


@pytest.mark.parametrize(
    ("text", "rows", "notes"),
    [
        ("query,doc,rank,score,system\nq1,d1,1,9.5,bm25\n", [["bm25", "q1", "d1", 1, 9.5]], 0),
        ("Score;QID;position;passage\r\n9,5;q1;3.0;d1\r\n", [["own", "q1", "d1", 3, 9.5]], 1),
        ("qid\tdocid\tdocno\trank\tscore\tquery\nq1\t17\td1\t0\t9.5\twhy\n", [["own", "q1", "d1", 0, 9.5]], 1),
        ("run_id,topic,docno,score\na,q1,d1,1\na,q1,d2,2\n", [["a", "q1", "d1", 1, 1], ["a", "q1", "d2", 2, 2]], 0),
        ("query-id,corpus-id,rank\nq1,d1,1\nq1,d2,2\n", [["own", "q1", "d1", 1, -1], ["own", "q1", "d2", 2, -2]], 2),
        ("q1\td1\t1\nq1\td2\t2\n", [["own", "q1", "d1", 1, -1], ["own", "q1", "d2", 2, -2]], 2),
    ],
    ids=["all-columns", "decimal-commas", "pyterrier", "no-ranks", "no-scores", "ms-marco"],
)
def test_a_run_may_be_a_table(write, text, rows, notes):
    reading = read_run(write(text, "own.csv"))
    found = reading.frames["rankings"]
    assert found[["run_id", "query_id", "doc_id", "source_rank", "score"]].to_numpy().tolist() == rows
    assert (len(reading.notes), reading.ranks.odd) == (notes, 0)


def test_rows_of_a_table_that_are_wrong_are_refused_as_lines_are(write, refusal):
    message = refusal(read_run, write("query,doc,rank,score\nq1,d1,1,x\nq1,d2,x,1.5\nq1,d3\n"))
    assert [part in message for part in (":2: score x is", ":3: rank x is", ":4: 2 cells")] == [True] * 3


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(RUN, id="as-is"),
        pytest.param(RUN.replace("\n", "\r\n"), id="crlf"),
        pytest.param("\ufeff" + RUN, id="bom"),
        pytest.param(RUN.replace(" ", "\t"), id="tabs"),
        pytest.param(RUN.replace(" ", " \t  "), id="many-blanks"),
        pytest.param("# made by hand\n" + RUN + "#q1 Q0 d3 3 1 bm25\n", id="comments"),
        pytest.param("\n" + RUN + "\n\n", id="blank-lines"),
        pytest.param(RUN.replace("bm25\n", "bm25 some junk # more\n"), id="junk-after-column-6"),
        pytest.param(RUN + RUN, id="every-line-twice"),
    ],
)
def test_a_run_is_the_same_however_it_is_written_down(run, text):
    pd.testing.assert_frame_equal(run(text), run(RUN, "plain"))


@pytest.mark.parametrize(
    ("text", "column", "values"),
    [
        pytest.param("q Q0 d#1 1 9 a\nq Q0 #2 2 8 a\n", "doc_id", ["d#1", "#2"], id="hash-in-an-id"),
        pytest.param("q Q0 d 1 9 1\nq Q0 e 2 8 1\n", "run_id", ["1", "1"], id="named-by-a-number"),
        pytest.param("q Q0 d 1 9 1\nq Q0 d 1 8 b\n", "run_id", ["1", "b"], id="one-of-two-is"),
        pytest.param("q Q0 a 0 9 r\nq Q0 b 1 8 r\n", "source_rank", [0, 1], id="ranks-from-zero-are-kept"),
        pytest.param("q Q0 a 0 9 r\nq Q0 b 1 8 r\n", "rank", [1, 2], id="ranks-count-from-one"),
        pytest.param("q Q0 a 1 0.100000001 r\n", "score", [0.100000001], id="more-digits-than-the-ranking-uses"),
        pytest.param(
            "q Q0 a 1 1 r\np Q0 a 1 5 r\nq Q0 b 2 2 r\nq Q0 a 1 7 s\n", "rank", [2, 1, 1, 1], id="each-by-itself"
        ),
        pytest.param("# nothing\n", "rank", [], id="none"),
        *(
            pytest.param(f"q Q0 {name} 1 1 r\n", "doc_id", [name], id=name[:4])
            for name in ("d\u00a0e", "𝒶", "d" * 1000, "ü#%&")
        ),
    ],
)
def test_a_column_of_a_run_is_kept_as_the_file_has_it(run, text, column, values):
    assert list(run(text)[column]) == values


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (RUN, []),
        (RUN + RUN, ["3 repeated lines were merged."]),
        (
            "q Q0 d 1 9 a junk\nq Q0 e 2 8 a more junk\nq Q0 f 3 7 a\n",
            ["2 lines have more than 6 columns; the rest, such as 'junk', was ignored."],
        ),
    ],
    ids=["clean", "repeats", "junk-after-the-sixth-column"],
)
def test_what_a_run_has_too_much_of_is_counted(write, text, notes):
    assert read_run(write(text)).notes == notes


@pytest.mark.parametrize(
    "text",
    [
        "q Q0 doc 12 1 9.5 tag\nq Q0 doc 13 2 9 tag\n",
        "q Q0 a 12 13 1 9.5 tag\n",
        "q Q0 doc 12 1 9.5\nq Q0 doc 13 2 9.4\n",
        "q Q0 d 0 1 9 2019\nq Q0 d 1 2 8 2019\n",
        "q Q0 d 0 1 9\nq Q0 d 1 2 9\nq Q0 d 2 3 8\nq Q0 d 3 4 8\n",
        "q 0 d 1 0.5 2\nq 0 e 1 1.0 1\n",
        "q 0 d 1 1.0 1\n",
    ],
    ids=["a-blank", "two-blanks", "a-blank-and-no-name", "a-number-as-name", "tied-scores", "sample", "one-stratum"],
)
def test_numbers_in_the_sixth_column_that_are_no_names_are_refused(write, refusal, text):
    assert ":1: the sixth column, the run's name, is a number" in refusal(read_run, write(text))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["a 1 1.0", "b 2 2.0"], "ba", id="score-and-not-rank"),
        pytest.param(["a 1 1.0", "b 2 1.0", "c 3 1.0"], "cba", id="tie-by-id-descending"),
        pytest.param(["B 1 1.0", "a 2 1.0", "é 3 1.0", "𝒶 4 1.0"], "𝒶éaB", id="tie-by-code-point"),
        pytest.param(["a 1 0.100000001", "b 2 0.1"], "ba", id="equal-as-32-bit-floats"),
        pytest.param(["a 1 0.1000001", "b 2 0.1"], "ab", id="unequal-as-32-bit-floats"),
        pytest.param(["a 1 2e300", "b 2 1e300"], "ba", id="both-beyond-32-bit-floats"),
        pytest.param(["a 1 0.0", "b 2 -0.0"], "ba", id="zero-is-minus-zero"),
        pytest.param(["a 1 1e-3", "b 2 +2"], "ba", id="signs-and-exponents"),
    ],
)
def test_passages_are_ranked_as_trec_eval_does(run, lines, expected):
    text = "".join("q Q0 {} {} {} r\n".format(*line.split()) for line in lines)
    assert ranking(run(text)) == list(expected)


COLUMNS = "where a TREC run has 6 (query_id Q0 doc_id rank score run_id)"
ADD = (
    "Add the missing columns (the sixth is the run's name), or remove the line. A table has a header, such as "
    "query,doc,rank,score,run."
)
RANK = "Write the rank as 1, 2, 3, ..."
FINITE = "Write a finite number, with a decimal point: 12.5."
ORDER = "Write the columns in this order: query_id Q0 doc_id rank score run_id."


@pytest.mark.parametrize(
    ("line", "what", "remedy"),
    [
        *((line, f"{len(line.split())} columns {COLUMNS}", ADD) for line in ("q Q0 d 3 7", "q 0 d 1", "q d 3 7.5 r")),
        *((line, f"1 column {COLUMNS}", ADD) for line in ("q", "q,Q0,d,3,7.5,r")),
        ("qid Q0 docid rank score run", "score score is not a number", FINITE),
        ("q d Q0 3 7.5 r", "Q0 is the third column, where a TREC run has the passage", ORDER),
        *(
            (f"q Q0 d {rank} 7 r", f"rank {rank} is not a whole number", RANK)
            for rank in ("x", "1.5", "1_0", "9999999999")
        ),
        *(
            (f"q Q0 d 3 {score} r", f"score {score} is not a number", FINITE)
            for score in ("high", "nan", "inf", "1_5", "1,5", "٣")
        ),
    ],
)
def test_a_bad_line_of_a_run_is_named_with_its_value_and_a_remedy(write, refusal, line, what, remedy):
    path = write(f"{RUN}{line}\n")
    assert refusal(read_run, path) == f"{path}:4: {what}\n  {line}\n{remedy}\nNothing was stored."


@pytest.mark.parametrize("line", ["q1 Q0 d1 1 3.5 bm25", "q1 Q0 d1 7 9.5 bm25"], ids=["other-score", "other-rank"])
def test_a_passage_with_two_places_names_both_lines(write, refusal, line):
    path = write(f"{RUN}{line}\n")
    expected = f"{path}:4: second line for run bm25, query q1, passage d1, with other values than line 1"
    first, values, remedy, *_ = refusal(read_run, path).splitlines()
    assert (first, values.split()[0::2]) == (expected, ["rank", "score"])
    assert remedy == "Keep the one that is right and remove the other."


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        *((line, "the file seems to be cut off") for line in ("q2 Q0 d9 1 0.25 bm2", "q2 Q0 d9 1 0.", "q2 Q0", "q")),
        (b"q Q0 caf\xe9 2 8 r\n", "not UTF-8 at byte 9"),
        ("q2 Q0 d\x1b[31m 9 0.1 bm25\n", "doc_id holds the control character U+001B"),
        ("q2 Q0 d\x1c1 9 0.1 bm25\n", "doc_id holds the control character U+001C"),
        ("q2 Q0 d\x7f 9 0.1 bm25\n", "doc_id holds the control character U+007F"),
        ("q2 Q0 d\x85 9 0.1 bm25\n", "doc_id holds the control character U+0085"),
        ("q2 Q0 d\u2028 9 0.1 bm25\n", "doc_id holds the control character U+2028"),
        ("q2 Q0 d\u202e 9 0.1 bm25\n", "doc_id holds the control character U+202E"),
        ("q2 Q0 \u00a0 9 0.1 bm25\n", "doc_id is blank"),
        (f"q2 Q0 {'d' * 1001} 9 0.1 bm25\n", "doc_id is longer than 1,000 characters"),
    ],
)
def test_a_damaged_line_is_refused(write, refusal, line, fault):
    path = write(RUN.encode() + (line if isinstance(line, bytes) else line.encode()))
    assert f"{path}:4: {fault}" in refusal(read_run, path)


@pytest.mark.parametrize(
    ("bad", "elsewhere"),
    [
        (2, "The same in line 2: 2 times in all."),
        (21, f"The same in lines {', '.join(map(str, range(2, 22)))}: 21 times in all."),
        (1300, f"The same in lines {', '.join(map(str, range(2, 22)))} and 1,279 more: 1,300 times in all."),
    ],
)
def test_what_is_wrong_with_many_lines_is_said_once(write, refusal, bad, elsewhere):
    path = write("q Q0 d\n" * bad)
    assert refusal(read_run, path).splitlines() == [
        f"{path}:1: 3 columns where a TREC run has 6 (query_id Q0 doc_id rank score run_id)",
        "  q Q0 d",
        f"  {elsewhere}",
        ADD,
        "Nothing was stored.",
    ]


@pytest.mark.parametrize(("bad", "more"), [(20, None), (21, "1"), (1300, "1,280")])
def test_twenty_faults_are_shown_and_the_others_counted(write, refusal, bad, more):
    lines = "".join(f"q 0 d{number} 1\nq 0 d{number} 2\n" for number in range(bad))
    message = refusal(read_qrels, write(lines), qrels_id="mine")
    tail = [] if more is None else [f"... and {more} more lines like these."]
    first, *rest = message.splitlines()[40:]
    assert (message.count("second judgment"), rest) == (20, [*tail, "Nothing was stored."])
    assert first.startswith("Keep the one that is right and remove the other.")


def test_bad_lines_are_shown_in_the_order_of_the_file(write, refusal):
    message = refusal(read_run, write("q Q0 d 1 9 r\nq Q0 d 1 8 r\nbad\nq Q0 e 1 x r\n"))
    assert [line.split(":")[1] for line in message.splitlines() if "file:" in line] == ["2", "3", "4"]


def test_a_run_that_powershell_wrote_as_utf16_is_read_and_one_that_is_damaged_or_has_no_mark_is_refused(write, refusal):
    text = RUN.encode("utf-16")
    assert read_run(write(text)).frames["rankings"].equals(read_run(write(RUN)).frames["rankings"])
    assert "not UTF-8" in refusal(read_run, write(text[:-1]))
    assert "not UTF-8" in refusal(read_run, write(text[2:]))


# Qrels


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        *((f"q 0 d {relevance}\n", [["q", "d", relevance]]) for relevance in (-2, -1, 0, 3, 4, 127)),
        ("q 0 msmarco_v2.1_doc_00_88#4_16 1\n", [["q", "msmarco_v2.1_doc_00_88#4_16", 1]]),
        ("q 0 d\u3000e\u00a0f 1\n", [["q", "d\u3000e\u00a0f", 1]]),
        ("007 0 1e3 1\n", [["007", "1e3", 1]]),
        ("q 0 d 1\np 0 d 0\n", [["q", "d", 1], ["p", "d", 0]]),
    ],
)
def test_a_judgment_is_kept_as_the_file_has_it(qrels, text, rows):
    assert qrels(text)[["query_id", "doc_id", "relevance"]].to_numpy().tolist() == rows


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (QRELS * 3, ["6 repeated lines were merged."]),
        (
            "q1 Q0 d1 1\nq1 FOUND d2 0\nq2 0 d1 -2\n",
            ["Its column of iterations says 'FOUND', where judgments have 0: check that the file holds judgments."],
        ),
    ],
    ids=["repeats", "no-iteration"],
)
def test_qrels_are_counted_and_what_is_odd_is_noted(write, text, notes):
    reading = read_qrels(write(text), qrels_id="x")
    assert (reading.counts, reading.notes) == ({"queries": 2, "judgments": 3}, notes)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("q 0 d", "3 columns where qrels have 4 (query_id 0 doc_id relevance)"),
        ("q 0 d 1 junk", "5 columns where qrels have 4 (query_id 0 doc_id relevance)"),
        *((f"q 0 d {label}", f"the relevance {label} is not a whole number") for label in ("1.5", "yes", "1_0", "١")),
        *((f"q 0 d {label}", f"the relevance {label} is not in -126..127") for label in ("128", "4294967296")),
    ],
)
def test_a_bad_line_of_qrels_is_named_with_its_value(write, refusal, line, what):
    path = write(f"{QRELS}{line}\n")
    assert refusal(read_qrels, path, qrels_id="x").startswith(f"{path}:4: {what}\n  {line}\n")


def test_a_table_of_judgments_whose_header_is_not_known_is_told_how_to_name_columns(write, refusal):
    message = refusal(read_qrels, write("Kysymys;Kohta;Taso\nq1;d1;2\n"), qrels_id="x")
    assert ":1: no column for query_id (query_id or qid); doc_id (doc_id or docno); relevance (relevance)\n" in message


def test_a_comment_with_names_of_columns_makes_no_table_of_judgments(write):
    assert read_qrels(write(f"# query, doc: made by hand\n{QRELS}"), qrels_id="x").counts["judgments"] == 3


def test_a_passage_with_two_judgments_names_both_lines(write, refusal):
    path = write(f"# head\n{QRELS}q1 0 d2 3\n")
    expected = f"{path}:5: second judgment for query q1, passage d2, with other values than line 3"
    assert refusal(read_qrels, path, qrels_id="x").splitlines()[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        "Label;QID;docno\r\n1,0;q1;d1\r\n",
        "topic,iteration,doc_id,relevance\nq1,0,d1,1.0\n",
        "q1 0 d1 1.0\n",
    ],
)
def test_judgments_may_be_a_table_and_have_whole_decimals(qrels, text):
    assert qrels(text)[["query_id", "doc_id", "relevance"]].to_numpy().tolist() == [["q1", "d1", 1]]


@pytest.mark.parametrize("label", ["ERROR", "-", "None", "nan", "N/A"])
def test_a_label_that_a_model_failed_to_give_is_unreadable_and_no_judgment(write, refusal, label):
    path = write(f"q1 0 d1 2\nq1 0 d2 {label}\n")
    reading = read_labels(path, grader_id="mine")
    assert reading.frames["grades"]["grade"].isna().tolist() == [False, True]
    assert reading.notes == [f"1 could not be read ({label}): they are kept as unreadable, not as 0."]
    assert "import them as labels" in refusal(read_qrels, path, qrels_id="x")


@pytest.mark.parametrize("label", ["-128", "-126.5", "127.5", "4000", "inf", "high", "1e99"])
def test_a_label_that_is_no_grade_is_refused(write, refusal, label):
    """-128 and -127 stand for no grade in arrays."""
    path = write(f"q1 0 d1 {label}\n")
    assert f"{path}:1: the relevance {label} is not " in refusal(read_labels, path, grader_id="mine")


# What is written


def test_a_run_is_written_by_rank_and_qrels_in_their_order(tmp_path, run, qrels):
    out = tmp_path / "out"
    write_run(run("q Q0 a 0 1 r\nq Q0 b 1 2.5 r\n"), out)
    assert out.read_text() == "q Q0 b 1 2.5 r\nq Q0 a 2 1.0 r\n"
    write_lines(out, qrels_lines(qrels(QRELS)))
    assert out.read_text() == QRELS


@pytest.mark.parametrize("column", ["query_id", "doc_id", "run_id"])
@pytest.mark.parametrize("name", ["two words", "tab\there", "line\nend", "", " "])
def test_an_id_that_would_not_read_back_is_not_written(tmp_path, run, column, name):
    frame = run(RUN).assign(**{column: name})
    with pytest.raises(UsageError, match=column):
        write_run(frame, tmp_path / "out")


def test_a_query_that_would_be_a_comment_is_not_written(qrels):
    with pytest.raises(UsageError, match="starts a\ncomment"):
        qrels_lines(qrels(QRELS).assign(query_id="#1"))


IDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp", "Zs"], exclude_characters=" \ufeff"),
    min_size=1,
    max_size=6,
).filter(lambda name: not name.startswith("#"))
SCORES = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.5, 1.0, 0.1, 0.1 + 1e-12]))


@given(
    rows=st.dictionaries(
        st.tuples(st.sampled_from(["a", "b#"]) | IDS, st.sampled_from(["1", "2"]) | IDS, IDS),
        SCORES,
        min_size=1,
        max_size=12,
    )
)
def test_a_written_run_reads_back_equal(tmp_path_factory, rows):
    runs, queries, docs = zip(*rows, strict=True)
    frame = RANKINGS.frame(
        {
            "run_id": runs,
            "query_id": queries,
            "doc_id": docs,
            "rank": [0] * len(rows),
            "source_rank": [0] * len(rows),
            "score": list(rows.values()),
            "cut": [False] * len(rows),
        }
    )
    frame["rank"] = frame["source_rank"] = trec_rank(frame)
    frame = frame.sort_values(["run_id", "query_id", "rank"], ignore_index=True)
    path = tmp_path_factory.mktemp("run") / "out.run"
    write_run(frame, path)
    pd.testing.assert_frame_equal(read_run(path).frames["rankings"], frame)


@given(
    rows=st.dictionaries(st.tuples(IDS, IDS), st.integers(-126, 127), min_size=1, max_size=12),
    suffix=st.sampled_from(["", ".gz", ".xz"]),
)
def test_written_qrels_read_back_equal(tmp_path_factory, rows, suffix):
    queries, docs = zip(*rows, strict=True)
    frame = JUDGMENTS.frame(
        {"qrels_id": ["x"] * len(rows), "query_id": queries, "doc_id": docs, "relevance": list(rows.values())}
    )
    path = tmp_path_factory.mktemp("qrels") / f"out{suffix}"
    write_lines(path, qrels_lines(frame))
    pd.testing.assert_frame_equal(read_qrels(path, qrels_id="x").frames["judgments"], frame)


@given(
    scores=st.lists(st.sampled_from([0.0, 0.1, 0.1 + 1e-10, 0.2, 5e300, 1e300]), max_size=12), seed=st.integers(0, 99)
)
def test_ranks_equal_those_of_a_plain_sort(scores, seed):
    """The slow twin: sort by (score as a 32-bit float, doc_id), both descending."""
    docs = np.random.default_rng(seed).permutation([f"d{place}" for place in range(len(scores))])
    with np.errstate(over="ignore"):
        keys = [(float(np.float32(score)), doc) for score, doc in zip(scores, docs, strict=True)]
    frame = pd.DataFrame({"run_id": "r", "query_id": "q", "doc_id": docs.astype(object), "score": scores})
    place = {key: rank for rank, key in enumerate(sorted(keys, reverse=True), 1)}
    assert list(trec_rank(frame)) == [place[key] for key in keys]


def test_qrels_that_break_off_in_their_last_line_are_refused(write, refusal):
    path = write(QRELS + "q2 0 d7")
    assert f"{path}:4: the file seems to be cut off" in refusal(read_qrels, path, qrels_id="x")
