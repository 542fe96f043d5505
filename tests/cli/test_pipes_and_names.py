"""What comes through a pipe, names that a terminal would act upon, and files of another kind."""

import gzip
import os
import re
import threading

import pytest

from tests.wings import added_to, rows_added

TOPICS = "".join(f"{number}\ttext {number}\n" for number in range(20_000))
RUN = "q1 Q0 d1 1 2.0 a\n"


@pytest.fixture
def pipe(tmp_path):
    """A named pipe that delivers these bytes once."""

    def make(content, name="pipe"):
        path = tmp_path / name
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(content,), daemon=True).start()
        return path

    return make


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_every_line_of_a_pipe_is_imported(examboard, tmp_path, pipe, pack):
    done = examboard(tmp_path / "store", "import", "topics", pipe(pack(TOPICS.encode())), "--collection", "c")
    assert (done.status, done.out) == (0, "c: 20,000 queries\n")


@pytest.fixture
def standard_input():
    """Let standard input be a pipe that delivers these bytes."""
    before = os.dup(0)

    def be(content):
        reading, writing = os.pipe()
        os.dup2(reading, 0)
        os.close(reading)
        os.write(writing, content)
        os.close(writing)

    yield be
    os.dup2(before, 0)
    os.close(before)


SAMPLES = added_to(
    {
        "run": RUN,
        "qrels": "q1 0 d1 1\n",
        "topics": "q1\twhy?\n",
        "passages": '{"id": "d1", "text": "because"}\n',
        "bank": "query_id,question\nq1,why?\n",
        "leaderboard": "run,score\na,0.5\n",
        "labels": "q1 0 d1 1\n",
    },
    "SAMPLES",
)
NAMED = {"bank": ["--bank", "b"], "leaderboard": ["--name", "n"], "labels": ["--grader", "g"]}


@pytest.mark.parametrize("kind", SAMPLES)
def test_standard_input_stands_for_a_file_of_any_kind(examboard, tmp_path, standard_input, kind):
    into = [tmp_path / "store", "import", kind, "-", "--collection", "c", *NAMED.get(kind, [])]
    (tmp_path / "a.run").write_text(RUN)
    examboard(tmp_path / "store", "import", "run", tmp_path / "a.run", "--collection", "c")
    standard_input(SAMPLES[kind].encode())
    done = examboard(*into)
    assert (done.status, done.err) == (0, "")
    standard_input(b'{"nonsense\n')
    done = examboard(*into)
    assert (done.status, done.err.startswith("-:")) == (1, True)


def test_the_kind_of_what_comes_through_a_pipe_is_asked_for(examboard, tmp_path, standard_input):
    standard_input(RUN.encode())
    done = examboard(tmp_path / "store", "import", "-", "--collection", "c")
    assert (done.status, "examboard import KIND - --collection NAME" in done.err) == (2, True)


def test_a_name_or_a_store_that_no_standard_input_has_is_named(examboard, tmp_path, standard_input):
    for words in (["run", "-", "--name-from", "file", "--collection", "c"], ["duckdb", "-"]):
        standard_input(RUN.encode())
        done = examboard(tmp_path / "store", "import", *words)
        assert (done.status, "file" in done.err) == (2, True)


def test_two_pipes_are_two_sources(examboard, told, tmp_path, pipe):
    for name, content in (("one", b"1\ta\n"), ("two", b"2\tb\n")):
        examboard(tmp_path / "store", "import", "topics", pipe(content, name), "--collection", name)
    (one,), (two,) = (told("import", "list", "--collection", name, store=tmp_path / "store") for name in ("one", "two"))
    assert (one["file"].startswith("pipe-"), one["file"] != two["file"]) == (True, True)


def test_a_bad_line_of_a_pipe_is_named_by_the_path_that_was_typed(examboard, tmp_path, pipe):
    path = pipe(b"1\ta\nnonsense\n")
    done = examboard(tmp_path / "store", "import", "topics", path, "--collection", "c")
    assert done.err.startswith(f"{path}:2: 1 cells where 2 belong: query_id, query_text")


def test_an_id_that_would_clear_the_screen_is_refused_and_shown(examboard, tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 d\x1b[2J 1 2.0 a\n")
    done = examboard(tmp_path / "store", "import", "run", tmp_path / "a.run", "--collection", "c")
    assert (done.status, "\x1b" in done.err) == (1, False)
    assert ":1: doc_id holds the control character U+001B\n  d\\x1b[2J\n" in done.err


def test_a_bad_line_shows_its_control_characters(examboard, tmp_path):
    (tmp_path / "a.run").write_text("\x1b[31m oops\n")
    done = examboard(tmp_path / "store", "import", "run", tmp_path / "a.run", "--collection", "c")
    assert "  \\x1b[31m oops\n" in done.err


@pytest.mark.parametrize(("name", "shown"), [(b"a\x1b.run", r"a\x1b.run"), (b"a\xff.run", r"a\xff.run")])
def test_a_file_may_have_any_name(examboard, told, tmp_path, name, shown):
    path = tmp_path / os.fsdecode(name)
    path.write_text(RUN)
    assert examboard(tmp_path / "store", "import", "run", path, "--collection", "c").status == 0
    assert told("import", "list", "--collection", "c", store=tmp_path / "store")[0]["file"] == shown


@pytest.mark.parametrize(
    ("kind", "option", "name"),
    [
        *(("qrels", "--name", name) for name in ("a\x1bb", "a\x85b", "a\u202eb", "\u00a0", "x" * 1001, "a\udcff")),
        *(
            (kind, option, "a\x1bb")
            for kind, option in (("labels", "--grader"), ("bank", "--bank"), *rows_added("OPTIONS_WITH_NAMES"))
        ),
    ],
)
def test_a_name_that_nobody_could_type_is_wrong_usage(examboard, tmp_path, kind, option, name):
    (tmp_path / "file").write_text("q1 0 d1 1\n")
    done = examboard(tmp_path / "store", "import", kind, tmp_path / "file", "--collection", "c", option, name)
    assert (done.status, done.err.startswith(f"{option}"), "\x1b" in done.err) == (2, True, False)


@pytest.mark.parametrize(
    ("kind", "options", "content", "said"),
    [
        ("labels", ["--grader", "G"], RUN, "It looks like a TREC run; import it with: examboard import run "),
        ("workbench", [], '{"query_id": "q", "items": []}\n', "It looks like a question bank; import it with: "),
        ("run", [], "q1 0 d1 1\n", "It looks like human judgments (TREC qrels); import it with: "),
        *rows_added("LOOKS_LIKE"),
    ],
)
def test_a_refusal_says_what_the_file_looks_like(examboard, tmp_path, kind, options, content, said):
    (tmp_path / "file").write_text(content)
    done = examboard(tmp_path / "store", "import", kind, tmp_path / "file", "--collection", "c", *options)
    assert (done.status, done.err.splitlines()[-1].startswith(said)) == (1, True)


def test_a_refusal_does_not_advise_to_replace_the_judgments_that_are_there(examboard, tmp_path):
    (tmp_path / "a.txt").write_text("q1 0 d1 1\n")
    for kind in ("qrels", "run"):
        done = examboard(tmp_path / "store", "import", kind, tmp_path / "a.txt", "--collection", "c")
    assert re.search(
        r"c has judgments named official already\.\n.* --name NAME\n.*import labels .* --grader NAME$", done.err
    )


def test_a_bad_run_is_not_said_to_be_something_else(examboard, tmp_path):
    (tmp_path / "a.qrels").write_text("q1 Q0 d1 1 2.0\n")
    done = examboard(tmp_path / "store", "import", "run", tmp_path / "a.qrels", "--collection", "c")
    assert done.err.endswith("Nothing was stored.\nFor an example of such a file: examboard template run\n")
