"""Values of measures as trec_eval, ir_measures and tables by topic have them."""

import random
from contextlib import suppress

import pytest

from exam_core.errors import BadInput, Undecided
from exam_core.formats.evaluations import read_evaluation
from exam_core.formats.leaderboards import read_leaderboard, united
from exam_core.formats.registry import reader
from exam_core.formats.sniffing import guess_kind

TREC_EVAL = "".join(
    f"{measure:22}\t{topic}\t{value}\n"
    for measure, topic, value in (
        ("num_ret", "7", "2"),
        ("map", "7", "0.5000"),
        ("relstring_10", "7", "'10--'"),
        ("map", "8", "0.2500"),
        ("runid", "all", "bm25"),
        ("num_q", "all", "2"),
        ("num_ret", "all", "4"),
        ("map", "all", "0.3750"),
        ("ndcg_cut_10", "all", "0.4810"),
    )
)
BOARD = [("n", "bm25", 0.375, 0.125)]
VALUES = [("leaderboard:n", "bm25", "7", 0.5), ("leaderboard:n", "bm25", "8", 0.25)]
FORMS = {
    "trec_eval -q": TREC_EVAL,
    "ir_measures -q": "7\tAP\t0.5000\n8\tAP\t0.2500\nall\tAP\t0.3750\n",
    "ir_measures -q -n": "7\tAP\t0.5000\n8\tAP\t0.2500\n",
    "by topic, blanks": "bm25 map 7 0.5\nbm25 map 8 0.25\nbm25 map all 0.375\n",
    "topics before measures": "bm25\t7\tmap\t0.5\nbm25\t8\tmap\t0.25\n",
    "a header": "measure\ttopic_id\tvalue\trun_id\nmap\t7\t0.5\tbm25\nmap\t8\t.25\tbm25\nmap\tall\t0.375\tbm25\n",
    "PyTerrier by query": ",name,qid,measure,value\n0,bm25,7,map,0.5\n1,bm25,8,map,0.25\n",
    "Excel's": "\ufeffsep=;\r\nRun ID;Metric;Topic;Value\r\nbm25;map;7;0,5\r\nbm25;map;8;0,25\r\n",
    "ir_measures -q, JSON": '{"query_id": "7", "measure": "AP", "value": 0.5}\n'
    '{"query_id": "8", "measure": "AP", "value": 0.25}\n{"query_id": "all", "measure": "AP", "value": 0.375}\n',
    "a comment above a header": "# 1\nrun_id\tmeasure\ttopic\tvalue\n#\nbm25\tmap\t7\t0.5\nbm25\tmap\t8\t0.25\n",
    "ragas": 'user_input,response,AP,recall\n7,"One\nhour.",0.5,\n8,Two.,0.25,nan\n',
    "Inspect": "sample_id,eval_id,model,id,epoch,input,score_map\n"
    "a,e,bm25,7,1,How?,C\na,e,bm25,7,2,How?,I\nb,e,bm25,8,1,How?,P\nb,e,bm25,8,2,How?,N\n",
    "a comment": "# by a tool\nbm25 map 7 0.5\nbm25 map 8 0.25\n",
}


def rows(reading, table):
    columns = {"leaderboards": ["leaderboard_id", "run_id", "score", "stderr"]}
    frame = reading.frames[table]
    return list(frame[columns.get(table, ["method", "run_id", "query_id", "value"])].itertuples(index=False, name=None))


@pytest.mark.parametrize("form", FORMS)
def test_a_board_is_the_same_in_every_form(write, form):
    path = write(FORMS[form], "bm25.txt")
    assert guess_kind(path) == "leaderboard"
    of_one = "ir_measures" in form or form == "ragas"
    measure, run = ("AP", "bm25") if of_one else ("score_map" if form == "Inspect" else "map", None)
    reading = reader("leaderboard", path)(path, leaderboard_id="n", column=measure.lower(), run=run)
    assert rows(reading, "leaderboards") == BOARD
    assert rows(reading, "scores") == VALUES
    assert reading.frames["leaderboards"]["extra"].tolist() == [f'{{"measure": "{measure}"}}']
    assert reading.notes == []


def test_trec_evals_output_without_topics_is_no_table_whose_header_begins_with_runid(write):
    def said(run, value):
        lines = ("runid", run), ("num_q", "6"), ("map", value), ("gm_map", "0.1"), ("P_5", "0.2")
        return write("".join(f"{name:22}\tall\t{text}\n" for name, text in lines), f"{run}.txt")

    read = {}
    for run, value in (("sysA", 0.25), ("score", 0.5)):
        path = said(run, value)
        assert guess_kind(path) == "leaderboard"
        read[path] = reader("leaderboard", path)(path, leaderboard_id="n", column="map")
    assert [row[1:3] for row in rows(united(read, "n"), "leaderboards")] == [("sysA", 0.25), ("score", 0.5)]
    table = write("runid\tall\tmap\nsysA\t1\t0.25\n", "table.tsv")
    assert [
        row[1:3] for row in rows(reader("leaderboard", table)(table, leaderboard_id="n", column="map"), "leaderboards")
    ] == [("sysA", 0.25)]


def test_a_file_of_several_runs_has_a_board_for_each_measure(write):
    text = "run_id measure topic value\n" + "".join(
        f"{run} {measure} {topic} {value}\n"
        for measure, values in {"GRADE": (4, 2, 1, 3), "NUGGETS": (0.5, 0.25, 0, 1)}.items()
        for (run, topic), value in zip(
            [(run, topic) for run in ("a", "b") for topic in ("leaf", "cloud")], values, strict=True
        )
    )
    reading = read_evaluation(write(text), leaderboard_id="judge")
    assert [row[:3] for row in rows(reading, "leaderboards")] == [
        ("judge GRADE", "a", 3),
        ("judge GRADE", "b", 2),
        ("judge NUGGETS", "a", 0.375),
        ("judge NUGGETS", "b", 0.5),
    ]
    assert reading.frames["leaderboards"]["rank"].tolist() == [1, 2, 2, 1]
    assert {row[0] for row in rows(reading, "scores")} == {"leaderboard:judge GRADE", "leaderboard:judge NUGGETS"}
    assert reading.columns == ("GRADE", "NUGGETS")


@pytest.mark.parametrize(
    ("text", "options", "columns", "needs_run"),
    [
        (TREC_EVAL, {}, ("map", "ndcg_cut_10"), False),
        ("AP\t0.3\nP@5\t0.2\n", {"run": "a"}, ("AP", "P@5"), False),
        ("AP\t0.3\nP@5\t0.2\n", {}, ("AP", "P@5"), True),
        ("AP\t0.3\n", {}, ("AP",), True),
    ],
)
def test_what_has_to_be_chosen_is_named(write, text, options, columns, needs_run):
    with pytest.raises(Undecided) as refused:
        read_evaluation(write(text), leaderboard_id="n", **options)
    assert (refused.value.columns, refused.value.needs_run) == (columns, needs_run)
    assert ("--run NAME" if len(columns) == 1 else ", ".join(columns)) in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a map 1 0.5\na map 1 0.6\n", ":2: second value for run a, query 1"),
        ("a map all 0.5\na map all 0.6\n", ":2: second line for leaderboard n, run a"),
        ("a map 1 0.5\na map 2\na map 3 0.5\n", ":2: 3 columns where the lines before have 4"),
        ("a map 1 0.5\na map 2", ":2: the file seems to be cut off"),
        ("a map 1 0.5\na map 2 good\n", ":2: value good is not a number"),
        ("run\tmeasure\ttopic\tvalue\na\tmap\t\t0.5\n", ":2: an empty cell"),
        ("map all 0.5\nrunid all a\nrunid all b\n", "holds 2 runs (a, b), and no column names one"),
        ("a map 1 0.5 0.6\n", ":1: no values of measures"),
        ("1 num_ret 900.5 10.5\n1 map 0.5 0.125\n", ":1: no values of measures"),
        ("a map 1 0.5\nb P_5 1 0.5\n", "has no column ndcg. It has: map, P_5."),
        ("run measure topic value\n", ":1: no values of measures"),
        ("runid all a\n", ":1: no values of measures"),
        ('{"measure": "P_5", "value": 0.5}\n[1]\n', ":2: a record without measure and value"),
        ("".join(f"a topic{n} map 0.5\n".replace("map", f"m{n}") for n in range(501)), "has 501 measures, such as"),
    ],
)
def test_what_is_wrong_is_said(write, text, says):
    path, column = write(text), "ndcg" if "P_5" in text else None
    with pytest.raises(BadInput) as refused:
        read_evaluation(path, leaderboard_id="n", column=column)
    assert says in str(refused.value)


def test_what_contradicts_itself_is_kept_as_it_is_and_said(write):
    said = "a map 1 0.5/a map 2 0.25/a map all 0.3751/b map 1 0.5/b map 2 nan/b map 3 nan/b map all 0.9/c map all 1/"
    reading = read_evaluation(write(said.replace("/", "\n")), leaderboard_id="n")
    assert [row[1:3] for row in rows(reading, "leaderboards")] == [("a", 0.3751), ("b", 0.9), ("c", 1)]
    assert reading.notes == [
        "map: the line `all` is not the mean of the topics for 1 of 3 runs (b: 0.9, and the mean is 0.5). "
        "The leaderboard takes `all`.",
        "Not counted, because undefined: 2 values by topic.",
        "n: runs have different numbers of topics, from 1 (b) to 2 (a); a mean is over a run's own topics.",
        "n: 1 of 3 runs have no values by topic (c): the leaderboard is compared by its means alone.",
    ]


def test_files_of_one_run_each_make_one_board(write):
    read = {}
    for run, value in {"a": 0.25, "b": 0.75}.items():
        path = write(f"map\t1\t{value}\nmap\t2\t{value}\n", f"{run}.eval")
        read[path] = read_evaluation(path, leaderboard_id="n", run=run)
    board = united(read, "n")
    assert [row[:3] for row in rows(board, "leaderboards")] == [("n", "a", 0.25), ("n", "b", 0.75)]
    assert board.frames["leaderboards"]["rank"].tolist() == [2, 1]
    assert len(rows(board, "scores")) == 4
    twice = write("map\t1\t0.3\n", "again.eval")
    with pytest.raises(BadInput, match="both have values of a"):
        united(read | {twice: read_evaluation(twice, leaderboard_id="n", run="a")}, "n")
    table = write("run,map,P\nc,0.5,1\n", "c.csv")
    whole = united(read | {table: read_leaderboard(table, leaderboard_id="n", column="map")}, "n")
    assert [row[1] for row in rows(whole, "leaderboards")] == ["a", "b", "c"]


def test_a_file_that_is_damaged_is_refused_or_read_as_it_stands(write):
    rng, refused, as_it_stands = random.Random(7), 0, 0
    lines = [f"run{run} map {topic} 0.{run}{topic}\n" for run in range(1, 4) for topic in range(1, 9)]
    for _ in range(100):
        text = bytearray("".join(lines).encode())
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(text))
            text[place : place + rng.randint(0, 4)] = rng.choice((b"", b" ", b"\n", b"\t", b"\0", b"\xff", b"9", b"."))
        path = write("")
        path.write_bytes(text)
        known = set()
        with suppress(UnicodeDecodeError):
            known = {tuple(line.split()) for line in text.decode().splitlines()}
        try:
            reading = read_evaluation(path, leaderboard_id="n", column="map")
        except BadInput:
            refused += 1
            continue
        as_it_stands += 1
        said = {(run, topic, float(value)) for run, measure, topic, value in filter(None, known) if measure == "map"}
        assert {row[1:] for row in rows(reading, "scores")} <= said
    assert min(refused, as_it_stands) > 5


def test_such_files_and_judgments_are_not_taken_for_each_other(write):
    board = write("run1 NUGGETS_FOUND leaf 4\nrun2 NUGGETS_FOUND leaf 3\n")
    for kind in ("qrels", "labels", "run", "topics", "passages"):
        with pytest.raises(BadInput, match="values of measures"):
            reader(kind, board)
    for text in ("q1 0 d1 1\nq1 0 d2 0\n", "q1 0 P_12 1\n", "31 1 AP 0\n"):
        qrels = write(text)
        assert guess_kind(qrels) == "qrels"
        with pytest.raises(BadInput, match=r"human judgments \(TREC qrels\)"):
            reader("leaderboard", qrels)


WIDE = {
    "nuggetizer": '{"qid": "q1", "all_score": 0.5, "vital": 1}\n{"qid": "all", "all_score": 0.5, "vital": 1}\n',
    "pytrec_eval": '{"q1": {"map": 0.5, "P_5": 1.0}}',
    "a table": "qid;AP;nDCG@10\nq1;0,5;1\nall;0,5;1\n",
}


@pytest.mark.parametrize("form", WIDE)
def test_a_measure_is_a_column_or_a_name_below_its_topic(write, form):
    path = write(WIDE[form], "bm25.json")
    with pytest.raises(Undecided) as asked:
        read_evaluation(path, leaderboard_id="x", run="bm25")
    first, second = asked.value.columns
    board = read_evaluation(path, leaderboard_id="x", run="bm25", column=second).frames
    assert board["leaderboards"][["run_id", "score"]].values.tolist() == [["bm25", 1.0]]
    assert board["scores"][["query_id", "value"]].values.tolist() == [["q1", 1.0]]
    assert first in ("all_score", "map", "AP")


def test_a_wide_table_of_several_runs_is_a_leaderboard_for_each_measure(write):
    path = write("run,qid,AP,nDCG@10\na,q1,0.5,\na,q2,0.25,1\nb,q1,1,1\n", "values.csv")
    found = read_evaluation(path, leaderboard_id="x").frames
    assert set(found["leaderboards"]["leaderboard_id"]) == {"x AP", "x nDCG@10"}
    assert found["scores"]["value"].isna().sum() == 1


def test_samples_of_two_evaluations_of_a_model_are_refused(write):
    path = write("sample_id,eval_id,model,id,epoch,score_x\na,e,m,7,1,C\na,f,m,7,1,I\n", "samples.csv")
    with pytest.raises(BadInput, match=r":3: a second score_x of m and 7 in epoch 1"):
        read_evaluation(path, leaderboard_id="x")


@pytest.mark.parametrize("header", ["run_id\tmeasure\ttopic_id\tvalue\n", ""])
def test_a_run_that_is_called_as_a_line_of_trec_eval_begins_is_a_run_all_the_same(write, header):
    runs = ("bm25", "runid2", "relstring_x")
    path = write(header + "".join(f"{run}\tmap\t{topic}\t0.5\n" for run in runs for topic in ("q1", "all")), "v.txt")
    board = read_evaluation(path, leaderboard_id="x").frames
    assert sorted(board["leaderboards"]["run_id"]) == sorted(runs)
