"""The passages of a live page beside what the store says of them."""

import base64
import gzip
import json
import re
from dataclasses import replace

import pytest
from analysis.worlds import store_of, world

from exam_core.analysis.leaderboard import run_passages
from exam_core.request import Request
from exam_core.store import Store
from exam_core.tables import UNGRADED, UNREADABLE
from exam_core.wings.live.cube import axes_of, cube, first_of
from exam_core.wings.live.live_page import live_page
from exam_core.wings.live.passages import UNREAD, QueryPassages, about_passages, live_passages, passages


@pytest.fixture(scope="module")
def found(demo_store):
    demo = Store(demo_store).snapshot("demo")
    axes = axes_of(demo, Request(depth=10), (), ("RR",), ("official",))
    return cube(demo, Request(depth=10), replace(axes, taus=(3,), label_ranks=(1, 2)))


@pytest.fixture(scope="module")
def each(found):
    return list(passages(found))


def read(each, runs):
    """The blocks, with the passages of earlier ones as page/passages.js looks them up."""
    blocks = [json.loads(text) for text in live_passages(each, runs)]
    for block in blocks:
        block["passages"] = [
            blocks[one[0]]["passages"][one[1]] if isinstance(one[0], int) else one for one in block["passages"]
        ]
    return blocks


def assert_ranked(found, blocks):
    """Each run has the passages, labels and judgments of the command line, by every mode that graded the query."""
    seen = 0
    for (mode, _, _, rank), choice in found.choices.items():
        for query, block in zip(found.query_ids, blocks, strict=True):
            said = block["modes"][mode]
            for run, places in list(zip(found.run_ids, block["ranked"], strict=True))[::4] if said else ():
                rows = run_passages(found.snapshot, choice, run, query)
                # The command line shows the beginning of a long text.
                listed = [(doc, text and text[:10_000]) for doc, text in (block["passages"][place] for place in places)]
                assert listed == [(row.doc_id, row.text) for row in rows.itertuples()]
                labels = [said["labels"][rank][place] for place in places]
                judged = [block["judged"][place] for place in places]
                for kept, wanted in ((labels, rows["label"]), (judged, rows["relevance"])):
                    known = [None if one == UNREAD else one for one in kept]
                    assert known == wanted.astype(object).where(wanted.notna(), None).tolist()
                    seen += len(known)
    assert seen > 400


def test_facets_have_the_judgments_and_labels_of_their_page(tmp_path):
    snapshot = store_of(tmp_path / "store", world(1, facets=True))
    axes = axes_of(snapshot, Request(), (), ("RR",), ("official",))
    found = cube(snapshot, Request(), replace(axes, taus=(3,), label_ranks=(1, 2)))
    assert [mode.bank is None for mode in axes.modes] == [False, False, True]
    assert sum("/" in query for query in found.query_ids) == 4
    assert_ranked(found, read(passages(found), found.run_ids))


def test_a_text_stands_in_the_page_once(found, each):
    one = each[0]
    first, second = (json.loads(text) for text in live_passages([one, one], found.run_ids))
    assert second["passages"] == [[0, place] for place in range(len(first["passages"]))]
    assert first["passages"] == [list(pair) for pair in one.passages]


def test_nothing_unread_and_zero_are_three_things(found, each):
    one = each[0]
    [mode, *_] = one.modes
    grades = mode.grades.copy()
    grades[0, :3] = UNGRADED, UNREADABLE, 0
    changed = QueryPassages(**one.__dict__ | {"modes": [replace(mode, grades=grades), None]})
    [block] = map(json.loads, live_passages([changed], found.run_ids))
    assert block["modes"][0]["grades"][0][:3] == [None, UNREAD, 0]
    assert block["modes"][1] is None


def test_labels_are_read_at_the_tau_of_each_mode(found):
    assert about_passages(found) == {"depth": 10, "taus": [[3], [3]]}


@pytest.mark.parametrize("wanted", [False, True])
def test_no_text_is_in_a_page_without_passages_and_each_is_in_one_with_them(found, each, wanted):
    page = live_page(found, first_of(found.snapshot, found.request, found.axes), {}, each if wanted else None)
    stored = re.findall(r'<script type="application/gzip" id="(?!plotly).*?">(.*?)</script>', page, re.DOTALL)
    whole = page + "".join(gzip.decompress(base64.b64decode(one)).decode() for one in stored)
    for query in each:
        questions = [text for bank in query.banks for _, text in bank.questions]
        for text in filter(None, (query.query_text, *questions, *(text for _, text in query.passages))):
            assert (json.dumps(text, ensure_ascii=False)[1:-1] in whole) == wanted
