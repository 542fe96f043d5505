"""Leaderboards: CSV, TSV and what the workbench prints."""

import pytest

from exam_core.formats.leaderboards import read_leaderboard
from exam_core.tables import OVERALL

HEADER = "method\texam\t+/-\texam-std\tn-exam\t+/-\tn-exam-std\torig_TREC_leaderboard_rank\n"
BLOCK = (
    HEADER
    + "a\t0.5\t+/-\t0.03\t0.7\t+/-\t0.02\t2.000\n"
    + "_overall_\t0.900\t+/-\t0.016\t1.000\t+/-\t0.000\t \n"
    + "b\t0.75\t+/-\t0.01\t0.8\t+/-\t0.02\t \n"
)


def footer(min_rating):
    return (
        "spearman\t0.67\t\t\t0.658\nkendall\t0.472\n"
        "\"EXAM scores produced with GradeFilter(model_name=None, question_set='genq')\"\t\n"
        f" min_rating\t{min_rating}\n nExam\tspearman_correlation =0.67\n"
        " exam\tspearman_correlation =0.72\tkendall_correlation = 0.54\nqrel_file\tx.qrels\n\t\t\n"
    )


@pytest.fixture
def read(write):
    return lambda text, name="board.csv", **more: read_leaderboard(write(text, name), leaderboard_id="official", **more)


@pytest.fixture
def board(read):
    """Rows of a leaderboard as lists, null as None."""

    def rows(text, *columns):
        frame = read(text).frames["leaderboards"][list(columns or ("run_id", "rank", "score", "stderr"))]
        return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()

    return rows


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("run_id,score,stderr\na,0.5,0.1\nb,0.25,0.2\n", id="csv"),
        pytest.param("run_id,score,stderr\r\na,0.5,0.1\r\nb,0.25,0.2\r\n", id="crlf"),
        pytest.param("\ufeffrun_id,score,stderr\na,0.5,0.1\nb,0.25,0.2\n", id="bom"),
        pytest.param("run_id\tscore\tstderr\na\t0.5\t0.1\nb\t0.25\t0.2\n", id="tsv"),
        pytest.param("Run_ID, Score, StdErr\n a , 0.5,0.1\nb,.25, 2e-1\n", id="blanks-and-capitals"),
        pytest.param('"run_id","score","stderr"\n"a",0.5,0.1\n"b",0.25,0.2\n', id="quoted"),
        pytest.param("stderr,note,score,run_id\n0.1,x,0.5,a\n0.2,,0.25,b\n", id="other-order"),
        pytest.param("A title\n\nrun_id,score,stderr\na,0.5,0.1\n\nb,0.25,0.2\n\n", id="title-and-blank-lines"),
        pytest.param("run_id,score,stderr\na,0.5,0.1\nb,0.25,0.2\na,0.5,0.1\n", id="repeated"),
        pytest.param("| Run | Score | StdErr |\n|:--|--:|---|\n| a | 0.5 | 0.1 |\n| b | .25 | 0.2 |\n", id="markdown"),
        pytest.param("run_id,score,stderr\na,0.5,0.1\nb,0.25,0.2\nspearman,0.9\nkendall,0.8\n", id="footer"),
    ],
)
def test_a_leaderboard_is_the_same_however_it_is_written_down(read, text):
    frame = read(text).frames["leaderboards"]
    assert frame[["leaderboard_id", "run_id", "rank", "score", "stderr"]].to_numpy().tolist() == [
        ["official", "a", 1.0, 0.5, 0.1],
        ["official", "b", 2.0, 0.25, 0.2],
    ]


@pytest.mark.parametrize(
    "header",
    ["run_id,score,stderr", "system,mean,exam-std", "method,exam,standard_error", "run,value,se", "name,score,se"],
)
def test_columns_have_several_names(board, header):
    assert board(f"{header}\na,0.5,0.1\n") == [["a", 1.0, 0.5, 0.1]]


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        pytest.param("0.1 0.3 0.2", [3, 1, 2], id="descending"),
        pytest.param("0.5 0.5 0.2", [1.5, 1.5, 3], id="two-tied"),
        pytest.param("0.30000000000000004 0.3 0.1", [1.5, 1.5, 3], id="tied-but-for-noise"),
        pytest.param("0.30001 0.3", [1, 2], id="not-tied"),
    ],
)
def test_scores_are_ranked_with_mean_ranks_for_ties(board, scores, ranks):
    lines = "".join(f"s{place},{score}\n" for place, score in enumerate(scores.split()))
    assert [rank for (rank,) in board(f"system,score\n{lines}", "rank")] == ranks


@pytest.mark.parametrize(
    ("lines", "ranks"),
    [
        pytest.param(f"score\n{OVERALL},0.9\na,0.5\n", {OVERALL: None, "a": 1}, id="union-of-all-systems"),
        pytest.param("score\n1,0.5\n2,0.4\n01,0.3\n", {"1": 1, "2": 2, "01": 3}, id="named-by-numbers"),
        pytest.param("rank,score\na,2,0.9\nb,1,0.1\n", {"a": 2, "b": 1}, id="ranks-of-the-file-over-those-of-scores"),
        pytest.param("official_rank\na,1\nb,2.5\nc,2.5\n", {"a": 1, "b": 2.5, "c": 2.5}, id="ranks-alone"),
        *(
            pytest.param(f"score\n{name},0.5\n", {name: 1}, id=f"like-a-footer-{name}")
            for name in ("exam-run1", "EXAM", "nexam2", "kendall_run", "spearman-tuned", "exam scores")
        ),
    ],
)
def test_runs_keep_their_names_and_have_ranks(board, lines, ranks):
    assert board(f"system,{lines}", "run_id", "rank") == [list(row) for row in ranks.items()]


def test_a_workbench_file_is_read_and_nothing_of_it_needs_a_note(board, read):
    text = '"based on Exam-Qrels"\t\n' + BLOCK + footer(3)
    assert board(text) == [["a", 2.0, 0.5, 0.03], [OVERALL, None, 0.9, 0.016], ["b", 1.0, 0.75, 0.01]]
    reading = read("based on Exam-Qrels\n" + BLOCK + footer(3))
    assert (reading.notes, reading.counts) == ([], {"leaderboards": 1, "rows": 2})


@pytest.mark.parametrize("written", ["3", "3.0"])
def test_several_tables_are_several_leaderboards_by_tau(read, written):
    frame = read(BLOCK + footer(1) + "\n\n" + BLOCK + footer(written)).frames["leaderboards"]
    assert list(frame["leaderboard_id"].unique()) == ["official tau=1", "official tau=3"]
    assert list(frame["rank"].dropna()) == [2, 1, 2, 1]


def test_tables_without_a_tau_are_numbered(read):
    frame = read("system,score\na,0.5\nb,0.4\nsystem,score\na,0.3\n").frames["leaderboards"]
    assert list(frame["leaderboard_id"]) == ["official 1", "official 1", "official 2"]


def test_two_tables_of_one_tau_are_refused(write, refusal):
    path = write(BLOCK + footer(1) + BLOCK.replace("0.75", "0.5") + footer(1))
    assert "second line for leaderboard official tau=1, run b" in refusal(
        read_leaderboard, path, leaderboard_id="official"
    )


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        ("a,0.5\na,0.5\n", "1 repeated lines were merged."),
        ("a,0.5\nb,\nSee the paper.\n", "Passed over, with neither a rank nor a score: 2 rows."),
    ],
    ids=["repeated", "nothing-ranked"],
)
def test_lines_that_add_nothing_are_counted(read, lines, note):
    reading = read(f"system,score\n{lines}")
    assert (reading.counts["rows"], reading.notes) == (1, [note])


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("b,high", "score high is not a number"),
        ('b,"0,5"', "score 0,5 is not a number"),
        ("b,nan", "score nan is not a number"),
        ("b,1_0", "score 1_0 is not a number"),
        ("b,٣", "score ٣ is not a number"),
        ("b,0.5,?", "stderr ? is not a number"),
        ("b,0.5,-0.1", "standard error -0.1 is below 0"),
        ("b,0.5,0.1,first", "rank first is not a number"),
        ("b,0.5,0.1,0", "rank 0 is below 1"),
        (",0.5", "no run"),
        ("a,0.25", "second line for leaderboard official, run a, with other values than line 2"),
        ("b\rc,0.5", "a carriage return within the line"),
        ("b\x1b,0.5", "run_id holds the control character U+001B"),
    ],
)
def test_a_bad_line_is_named(write, refusal, line, what):
    path = write(f"system,score,stderr,rank\na,0.5\n{line}\n".encode())
    assert refusal(read_leaderboard, path, leaderboard_id="official").startswith(f"{path}:3: {what}")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("rank,score,system\n1,0.5\n", ":2: no run"),
        ("system,score,stderr\na,0.5,0.1\nb,0.4", ":3: the file seems to be cut off"),
    ],
    ids=["before-the-run", "in-the-last-line"],
)
def test_a_line_that_ends_too_early_is_refused(write, refusal, text, what):
    path = write(text)
    assert f"{path}{what}" in refusal(read_leaderboard, path, leaderboard_id="official")


@pytest.mark.parametrize(
    "text", ["", "a,0.5\n", "system\na\n", "score,rank\n1,2\n"], ids=["empty", "no-header", "no-score", "no-run"]
)
def test_a_file_without_a_header_is_refused(write, refusal, text):
    path = write(text)
    assert f"{path}:1: no header with a run column" in refusal(read_leaderboard, path, leaderboard_id="official")


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("appendix/car-results/qrel-leaderboard-car-genq-self-rating.tsv", 145),
        ("appendix/dl19-results/exam-cover-leaderboard.tsv", 185),
    ],
)
def test_real_files_of_five_tables_are_five_leaderboards(shared_data, path, rows):
    frame = read_leaderboard(shared_data / path, leaderboard_id="x").frames["leaderboards"]
    runs = frame[frame["run_id"] != OVERALL]
    assert (list(runs["leaderboard_id"].unique()), len(runs)) == ([f"x tau={tau}" for tau in range(1, 6)], rows)


WIDE = "team,run_id,snapshot,AP,nDCG@10,P@10\nt1,bm25,2025-01,0.05,0.12,\nt2,splade,2025-01,0.06,0.14,0.05\n"


@pytest.mark.parametrize(
    ("text", "column", "scores"),
    [
        (WIDE, "nDCG@10", [0.12, 0.14]),
        (WIDE, "ndcg@10", [0.12, 0.14]),
        (WIDE.replace(",", ";").replace("0.", "0,"), "AP", [0.05, 0.06]),
        (WIDE, "P@10", [0.05]),
        (",name,map,map +,map p-value\n0,a,0.2,,\n1,b,0.3,1,0.01\n", None, [0.2, 0.3]),
        ("run,rank,nDCG\na,2,0.1\nb,1,0.4\n", "nDCG", [0.1, 0.4]),
    ],
)
def test_the_column_that_is_asked_for_or_the_only_one_is_the_score(read, text, column, scores):
    frame = read(text, column=column).frames["leaderboards"]
    assert frame["score"].tolist() == scores
    assert frame.sort_values("rank")["score"].is_monotonic_decreasing


def test_a_value_of_a_measures_only_column_that_is_no_number_is_named(write, refusal):
    path = write("system,nDCG@10\na,50%\nb,n/a\n")
    message = refusal(read_leaderboard, path, leaderboard_id="n")
    assert message.startswith(f"{path}:2: nDCG@10 50% is not a number\n")
    assert f"{path}:3: nDCG@10 n/a is not a number" in message


def test_where_several_columns_are_numbers_they_are_named(write, refusal):
    message = refusal(read_leaderboard, write(WIDE), leaderboard_id="n")
    assert "has several columns that may be the score: AP, nDCG@10, P@10." in message
    assert "--column AP" in message
    assert "--column 'AP\\x1b'" in refusal(read_leaderboard, write(WIDE.replace("AP", "AP\x1b")), leaderboard_id="n")
    message = refusal(read_leaderboard, write(WIDE), leaderboard_id="n", column="MRR")
    assert "has no column MRR. It has: AP, nDCG@10, P@10." in message
    message = refusal(read_leaderboard, write(BLOCK), leaderboard_id="n", column="score")
    assert "has no column score. It has: exam, exam-std" in message
    of_many = write("run,topic,AP\na,1,0.5\nrun,score\na,0.5\n")
    assert ":1: a table with a column topic" in refusal(read_leaderboard, of_many, leaderboard_id="n")
