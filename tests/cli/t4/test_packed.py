"""Pickles and archives are named as what they are; Parquet and bz2 are read."""

import pytest


@pytest.fixture
def bring(of_report):
    return of_report("t4/packed")


@pytest.mark.parametrize("kind", ["qrels", "run", "files"])
@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("qrels.pkl", "is a pickle of Python; write it as CSV or JSON lines"),
        ("runs.tar.gz", "is an archive; unpack it and name its folder"),
    ],
)
def test_what_holds_no_text_is_named_as_what_it_is(bring, file, kind, says):
    done = bring(kind, file)
    assert (done.status, f"{file}: {says}" in done.err) == (1, True)


@pytest.mark.parametrize("kind", ["qrels", "files"])
def test_parquet_is_read(bring, kind):
    assert "judgments" in bring(kind, "qrels.parquet").out


@pytest.mark.parametrize("kind", ["run", "files"])
def test_bz2_is_read(bring, kind):
    assert "1 run, 6 ranked passages" in bring(kind, "run.txt.bz2").out
