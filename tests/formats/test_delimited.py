"""Tables as spreadsheets and tools write them, for every kind of file that has them."""

import csv
import io

import pytest

from exam_core.errors import BadInput, Problems
from exam_core.formats.delimited import CUT_OFF, QUERY_ID, QUERY_TEXT, columns_of, table_rows

NAMES = {"query_id": QUERY_ID, "query_text": QUERY_TEXT, "weight": ()}
ROWS = [["1", "what is, a flea; or two", "0.5"], ["2", 'say "no"\n\nor | "yes"', "1"]]


def read(path, **options):
    problems = Problems(path)
    found = [(row.line, row.cells, row.number("weight")) for row in table_rows(path, NAMES, problems, **options)]
    problems.raise_if_any()
    return found


def written(separator, ends, header, quoting):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator=ends, quoting=quoting)
    writer.writerows([header, *ROWS])
    return buffer.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
@pytest.mark.parametrize(
    ("coding", "ends", "header"),
    [
        ("utf-8", "\n", "query_id query_text weight"),
        ("utf-8-sig", "\r\n", "qid Query Weight"),
        ("utf-16", "\r\n", "#Topic-ID QueryText WEIGHT"),
    ],
)
def test_a_table_is_the_same_however_it_is_written(write, separator, coding, ends, header):
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC):
        found = read(write(written(separator, ends, header.split(), quoting).encode(coding)), needed=("query_id",))
        assert [list(cells.values()) for _, cells, _ in found] == ROWS
        assert [cells["query_text"] for _, cells, _ in found] == [row[1] for row in ROWS]
        assert [line for line, *_ in found] == [2, 3]


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("Query,Question", {"query_id": 0}),
        ("query,qid", {"query_id": 1, "query_text": 0}),
        ("Query Text,Query ID", {"query_id": 1, "query_text": 0}),
        ("topic,query", {"query_id": 0, "query_text": 1}),
        ("queryId,topic", {"query_id": 0, "query_text": 1}),
        ("a,b", {}),
    ],
)
def test_a_name_goes_to_the_field_that_it_fits_best(header, found):
    assert columns_of(header.split(","), NAMES) == found


@pytest.mark.parametrize(("text", "number"), [("0,5", "0.5"), ("-1,5e3", "-1.5e3"), ("1.5", "1.5"), ("1,5,2", "1,5,2")])
def test_a_comma_is_decimal_only_where_none_parts_the_cells(write, text, number):
    for separator in ";\t|":
        assert read(write(f"qid{separator}weight\n1{separator}{text}\n"))[0][2] == number
    assert read(write(f'qid,weight\n1,"{text}"\n'))[0][2] == text


def test_what_spreadsheets_add_is_left_out(write):
    found = read(write("sep=;\r\nqid;weight;;\r\n1;2;;\r\n;;;\r\n\r\n2;3\r\n4;5;;;;\r\n"))
    assert [(line, list(cells.values())) for line, cells, _ in found] == [
        (3, ["1", "2"]),
        (6, ["2", "3"]),
        (7, ["4", "5"]),
    ]
    assert read(write(",qid\n0,7\n"))[0][1] == {"query_id": "7"}


@pytest.mark.parametrize(
    ("cell", "is_read_as"),
    [
        ('"exact phrase"', '"exact phrase"'),
        ('the "big" one', 'the "big" one'),
        ('"androgen" meaning', '"androgen" meaning'),
        ('"unclosed', '"unclosed'),
        ('5" pipe', '5" pipe'),
        ('"cats, dogs"', "cats, dogs"),
        ('"say ""no"""', 'say "no"'),
        ('"one\ntwo\n\nthree"', "one\ntwo\n\nthree"),
        ('"a\tb"', "a\tb"),
    ],
)
def test_quotes_between_tabs_count_where_a_spreadsheet_would_have_set_them(write, cell, is_read_as):
    found = read(write(f'qid\tquery\tweight\n1\t{cell}\t1\n2\t{cell}\t2\n3\tx "y"\t3\n'))
    assert [cells["query_text"] for _, cells, _ in found] == [is_read_as, is_read_as, 'x "y"']
    assert found[2][0] == 4 + 2 * cell.count("\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('qid;query\n1;"two\nlines"\n2;"a"b\nc"\n', ":4: not a line of a table"),
        ('qid,query\n1,a\n2,"b\nc\nd\n', ":3: not a line of a table: unexpected end of data (it goes on up to line 5)"),
        ('qid;query\n1;"two\nlines"\n2\n', ":4: 1 cells where the header has 2"),
        ("qid;query\n1;a;b\n", "put a text with semicolons or quotes in quotes"),
        ("qid;query\n1;a\n2", f":3: {CUT_OFF}"),
        ("question;query_text\n1;a\n", ":1: no column for query_id (query_id or qid)"),
        ("qid;Qid\n1;a\n", ":1: two columns are named"),
        ("qid;note;note\n1;a;b\n", ":1: two columns are named note"),
        (f"qid;query\n1;{'x' * 2**20}\n", ":2: a line of more than 1 MiB"),
    ],
)
def test_what_is_no_table_is_refused_with_the_line_where_its_row_begins(write, text, says):
    with pytest.raises(BadInput) as refused:
        read(write(text), needed=("query_id",))
    assert says in str(refused.value)
