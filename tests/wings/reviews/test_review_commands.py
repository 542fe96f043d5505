"""`examboard review ...` and `import reviews`: a queue out and in again, agreement, and what is refused."""

import csv
import json
import shutil

import pytest

from exam_core.analysis.choosing import choose_labelling
from exam_core.analysis.values import gradebook, pair_labels
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.reviews.actions import record_reviews
from exam_core.wings.reviews.review import Review
from tests.store.store_samples import ids_of


@pytest.fixture
def run(examboard, demo_store, tmp_path):
    shutil.copytree(demo_store, tmp_path / "store")

    def command(*words):
        return examboard(tmp_path / "store", *words)

    return command


def drawn(run, *words):
    done = run("review", "queue", "demo", *words, "--bank", "open", "--n", "6", "--format", "json")
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out)


def listed(run):
    return json.loads(run("review", "list", "demo", "--format", "json").out)


def fill(path, answers):
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    for row, answer in zip(rows, answers, strict=False):
        row[head.index("answer")] = answer
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def test_a_queue_goes_out_as_a_table_is_filled_in_and_its_progress_is_listed(run, tmp_path):
    path = tmp_path / "q.csv"
    queue = drawn(run, path, "--by", "runs", "--seed", "3", "--shared", "50", "--instruction", "Read it.")
    assert (queue["items"], queue["shared"], queue["sampler"], queue["seed"]) == (6, 3, "runs", 3)
    fill(path, ["3", "0", "2", "1"])
    done = run("review", "import", "demo", path, "--reviewer", "ann")
    assert (done.status, done.out.splitlines()[0]) == (0, "demo: 1 reviewer, 4 reviews")
    (row,) = listed(run)["rows"]
    assert [row[name] for name in ("queue_id", "reviewer", "answered", "skipped", "left")] == [
        queue["queue_id"],
        "ann",
        4,
        0,
        2,
    ]
    again = run("import", "reviews", path, "--collection", "demo", "--reviewer", "ann")
    assert "(already there; nothing changed)" in again.out


def test_reviews_are_exported_whole_or_as_they_stand_to_a_file_or_the_terminal(run, tmp_path):
    header = "reviewer,created,task,query_id,doc_id,answer\n"
    rows = "".join(f"ann,2026-01-0{day},relevance,demo-01,skin-01,{day}\n" for day in (1, 2))
    known = run("export", "qrels", "demo", tmp_path / "q", "--bank", "open")
    assert known.status == 0
    doc_id = (tmp_path / "q").read_text(encoding="utf-8").split()[2]
    (tmp_path / "r.csv").write_text(header + rows.replace("skin-01", doc_id), encoding="utf-8")
    assert run("review", "import", "demo", tmp_path / "r.csv", "--format", "json").status == 0
    assert run("review", "export", "demo", tmp_path / "out.jsonl").out == f"{tmp_path / 'out.jsonl'}: 2 reviews\n"
    printed = run("review", "export", "demo", "-", "--standing")
    assert [row["answer"] for row in csv.DictReader(printed.out.splitlines())] == ["2"]
    assert (listed(run)["reviews"], listed(run)["elsewhere"]) == (2, 2)
    found = {row["collection"]: row["reviews"] for row in json.loads(run("list", "--format", "json").out)}
    assert found["demo"] == 2


@pytest.mark.parametrize("name", ["tasks.json", "lines.jsonl.gz"])
def test_the_file_of_a_queue_that_is_there_is_written_again_by_its_id(run, tmp_path, name):
    first = drawn(run, tmp_path / name, "--task", "grade")
    before = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    again = drawn(run, tmp_path / name, "--queue", first["queue_id"][:6])
    assert (again["queue_id"], (tmp_path / name).read_bytes() == before) == (first["queue_id"], True)
    assert len(listed(run)["rows"]) == 1


def test_a_file_that_may_have_answers_in_it_is_not_written_over_and_no_queue_is_drawn(run, tmp_path):
    (tmp_path / "q.csv").write_text("answers\n", encoding="utf-8")
    done = run("review", "queue", "demo", tmp_path / "q.csv", "--bank", "open")
    assert (done.status, "is there already" in done.err) == (2, True)
    assert ((tmp_path / "q.csv").read_text(encoding="utf-8"), listed(run)["rows"]) == ("answers\n", [])


@pytest.mark.parametrize("form", ["table", "csv", "json", "latex"])
def test_what_is_drawn_and_brought_is_said_in_every_format(run, tmp_path, form):
    done = run("review", "queue", "demo", tmp_path / "q.csv", "--bank", "open", "--n", "2", "--format", form)
    assert (done.status, done.err, bool(done.out.strip())) == (0, "", True)
    fill(tmp_path / "q.csv", ["1"])
    done = run("review", "import", "demo", tmp_path / "q.csv", "--reviewer", "a", "--format", form)
    assert (done.status, done.err, "reviews" in done.out or "review" in done.out) == (0, "", True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["queue", "demo", "{}/q.txt", "--bank", "open"], "q.txt: say with --form how it is written"),
        (["queue", "demo", "--bank", "open", "--n", "0"], "Invalid value for '--n'"),
        (["queue", "none", "--bank", "open"], "There is no collection none"),
        (["queue", "demo", "--queue", "abc"], "demo has no queue 'abc'"),
        (["export", "demo", "{}/out.csv"], "demo has no reviews"),
        (["export", "demo", "{}/out.json"], "reviews are written as .csv or .jsonl"),
        (["import", "demo", "{}/none.csv"], "none.csv: can't be read"),
        (["list", "none"], "There is no collection none"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence_and_leaves_nothing(run, tmp_path, words, said):
    done = run("review", *(word.format(tmp_path) for word in words))
    assert (done.status > 0, said in done.err, "Traceback" in done.err) == (True, True, False)
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    assert ids_of(tmp_path / "store", "review") == []


def test_a_file_of_another_kind_is_named(run, tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.5 mine\n", encoding="utf-8")
    done = run("review", "import", "demo", tmp_path / "a.run")
    assert "examboard import run" in done.err
    (tmp_path / "r.csv").write_text("reviewer,task,query_id,doc_id,answer\na,relevance,q,d,1\n", encoding="utf-8")
    done = run("import", "run", tmp_path / "r.csv", "--collection", "demo")
    assert "examboard import reviews" in done.err


REVIEWERS = ("ann", "bob\x1b[31m")


@pytest.fixture(scope="module")
def reviewed(demo_store, tmp_path_factory):
    """The demo with forty passages that two people reviewed, of a drawn queue; they say what the label says."""
    folder = tmp_path_factory.mktemp("reviewed") / "store"
    shutil.copytree(demo_store, folder)
    store = Store(folder)
    snapshot = store.snapshot("demo")
    labelling = choose_labelling(snapshot, Request(bank="open"))
    book, labels = gradebook(snapshot, labelling), pair_labels(snapshot, labelling)
    reviews = [
        Review(
            review_id=f"{name} {pair}",
            reviewer=name,
            created="2026-01-01T00:00:00.000",
            task="relevance",
            query_id=book.query_ids[book.pair_query[pair]],
            doc_id=str(book.docs[pair]),
            answer=3 if labels[pair] >= 3 else 0,
            queue_id="queue",
            sampler="runs",
            drawn=40,
            probability=0.1,
        )
        for name in REVIEWERS
        for pair in range(0, 400, 10)
    ]
    record_reviews(store, "demo", reviews)
    return folder


def test_json_has_the_question_and_every_figure_with_interval_n_and_design(reviewed, examboard):
    done = examboard(reviewed, "review", "agreement", "demo", "--bank", "open", "--tau", 3, "--format", "json")
    answer = json.loads(done.out)
    asked = {name: answer[name] for name in ("collection", "bank", "tau", "relevant_from", "judgments", "n")}
    assert asked == {
        "collection": "demo", "bank": "open@1", "tau": 3, "relevant_from": 2, "judgments": "official", "n": 80
    }  # fmt: skip
    first = answer["rows"][0]
    assert [first[name] for name in ("reviewer", "compared", "measure", "design")] == [
        "all", "grader", "agreement", "drawn (runs)"
    ]  # fmt: skip
    assert [first[name] for name in ("estimate", "n", "reviews")] == [1, 40, 80]
    assert first["low"] < first["high"] == 1
    assert answer["replacing"]["tests"][0]["winning_rate"] == 1
    assert "per_query" not in answer


def test_a_table_shows_control_characters_of_names_and_says_what_the_test_says(reviewed, examboard):
    done = examboard(reviewed, "review", "agreement", "demo", "--bank", "open", "--tau", 3)
    assert "\x1b" not in done.out
    assert "winning rate 1.00" in done.out
    assert "may replace a reviewer" in done.out


@pytest.mark.parametrize(("option", "column"), [("--per-query", "query_id"), ("--per-question", "question_id")])
def test_rows_of_queries_and_questions_are_listed_where_they_are_asked_for(reviewed, examboard, option, column):
    command = ("review", "agreement", "demo", "--bank", "open", option)
    printed = next(csv.reader(examboard(reviewed, *command, "--format", "csv").out.splitlines()))
    assert column in printed
    assert option.strip("-").replace("-", "_") in json.loads(examboard(reviewed, *command, "--format", "json").out)


def test_without_reviews_the_command_says_what_to_do(demo_store, examboard):
    done = examboard(demo_store, "review", "agreement", "demo", "--bank", "open")
    assert done.status == 0
    assert "There are no reviews that count" in done.out


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (["--epsilon", "3"], "--epsilon 3.0: choose 0 to 1."),
        (["--epsilon", "nan"], "--epsilon nan: choose 0 to 1."),
        (["--judgments", "nist"], "There are no judgments nist in demo."),
        (["--tau", "9"], "--tau 9: choose 1 to 5."),
        (["--relevant-from", "0"], "--relevant-from 0: choose"),
        (["--per-query", "--per-question"], "choose one of them"),
        (["--grader", "nobody"], "There is no grader nobody."),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(reviewed, examboard, options, refusal):
    done = examboard(reviewed, "review", "agreement", "demo", "--bank", "open", *options)
    assert done.status == 2
    assert refusal in done.err
    assert done.out == ""
