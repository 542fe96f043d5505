"""Generated responses are cut into passages that a grader can read whole, and become runs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.actions.importing import import_qrels
from exam_core.actions.undoing import undo_import
from exam_core.errors import BadInput
from exam_core.store.evidence import cited_passages
from exam_core.texts.scripts import about_tokens
from exam_core.wings.neighbours.importing import import_assignments, import_responses
from exam_core.wings.neighbours.sides import segments, sentences

SENTENCE = "This sentence of a response has some ten words in it."


@pytest.fixture
def file(tmp_path):
    """Two systems; one writes 11 words, the other 1,100."""
    lines = [
        {"query_id": "q1", "run_id": "short", "text": SENTENCE},
        {"query_id": "q1", "run_id": "long", "text": " ".join([SENTENCE] * 100)},
    ]
    path = tmp_path / "responses.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def ranked(store):
    sql = "SELECT run_id, doc_id, rank FROM rankings ORDER BY run_id, rank"
    return list(store.snapshot("c").query(sql).itertuples(index=False, name=None))


def test_a_long_response_is_cut_and_ranks_in_its_order(store, file):
    done = import_responses(store, "c", file)
    assert done.counts == {"runs": 2, "responses": 2, "passages": 5}
    assert not import_responses(store, "c", file).changed
    assert ranked(store) == [*(("long", f"long/q1#{place}", place + 1) for place in range(4)), ("short", "short/q1", 1)]


def test_other_texts_of_a_run_are_refused_until_they_are_meant_and_leave_other_runs(store, tmp_path):
    replace_texts(store, tmp_path, import_responses)


def replace_texts(store, tmp_path, bring):
    """Bring texts of two runs, and others of one of them."""

    def written(name, *said):
        rows = [{"run_id": run, "system": run, "prompt": "p", "sample": 1, "query_id": "q"} for run, _ in said]
        texts = [text for _, text in said]
        lines = [json.dumps(row | {"text": text, "answer": text}) for row, text in zip(rows, texts, strict=True)]
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
        return tmp_path / name

    bring(store, "c", written("old.jsonl", ("a", "Old words."), ("b", "Kept words.")))
    newer = written("new.jsonl", ("a", "New words."))
    with pytest.raises(BadInput, match=r"1 ranked passage \(gone or changed: 1\), imported from old\.jsonl"):
        bring(store, "c", newer)
    (said,) = bring(store, "c", newer, replace=True).replaced
    assert "1 ranked passage (gone or changed: 1)" in said
    assert store.snapshot("c").query("SELECT passage_text FROM passages ORDER BY 1")["passage_text"].tolist() == [
        "Kept words.",
        "New words.",
    ]


def test_an_empty_file_is_refused(store, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", "utf-8")
    with pytest.raises(BadInput, match="holds nothing to import"):
        import_responses(store, "c", empty)


@pytest.fixture
def cited(tmp_path):
    """A response of 1,000 words in three sentences, the second of which straddles the passages; each cites another."""
    answer = [
        {"text": f"First {'word ' * 250}end.", "citations": [0]},
        {"text": f"Second {'word ' * 250}end.", "citations": [1, 0]},
        {"text": "Third.", "citations": []},
    ]
    line = {"run_id": "a", "topic_id": "q1", "topic": "why", "references": ["d1", "d2"], "answer": answer}
    path = tmp_path / "track.jsonl"
    path.write_text(json.dumps(line), "utf-8")
    return path


def citations(store):
    """Of each passage the first words of the sentences that begin in it, and what they cite."""
    rows = store.snapshot("c").query(
        "SELECT doc_id, passages.extra FROM rankings JOIN passages USING (doc_id) ORDER BY rank"
    )
    return [
        (doc_id, [(one["text"].split()[0], one["citations"]) for one in json.loads(extra)["sentences"]])
        for doc_id, extra in rows.itertuples(index=False, name=None)
    ]


FIRST, SECOND, THIRD = ("First", ["d1"]), ("Second", ["d2", "d1"]), ("Third.", [])
PARTS = {
    "passages": [("a/q1#0", [FIRST]), ("a/q1#1", [SECOND, THIRD])],
    "sentences": [("a/q1#0", [FIRST]), ("a/q1#1", [SECOND]), ("a/q1#2", [THIRD])],
    "whole": [("a/q1", [FIRST, SECOND, THIRD])],
}


@pytest.mark.parametrize("parts", PARTS)
def test_what_a_sentence_cites_is_kept_with_the_passage_in_which_it_begins(store, cited, parts):
    done = import_responses(store, "c", cited, parts=parts)
    assert done.counts == {"runs": 1, "responses": 1, "passages": len(PARTS[parts]), "citations": 3}
    assert citations(store) == PARTS[parts]


def test_the_query_and_what_else_a_response_says_are_kept(store, cited):
    import_responses(store, "c", cited)
    snapshot = store.snapshot("c")
    assert snapshot.frame("queries")["query_text"].tolist() == ["why"]
    assert json.loads(snapshot.query("SELECT extra FROM rankings WHERE rank = 1")["extra"][0]) == {
        "references": ["d1", "d2"]
    }


def test_passages_that_come_with_a_response_belong_to_its_run_and_cited_ones_are_to_be_graded(store, tmp_path):
    texts = {"d1": "Soda.", "d2": {"id": "d2", "text": "Yeast.", "url": "x"}, "d3": "Flour."}
    lines = [
        {
            "metadata": {"run_id": run, "topic_id": "q1", "narrative": "why"},
            "responses": [{"text": "Rain.", "citations": {cited: 0.5, "d9": None}}],
            "references": ["d1", "d2"],
            "documents": {name: texts[name] for name in names},
        }
        for run, cited, names in (("a", "d1", ["d1", "d3"]), ("b", "d2", ["d1", "d2"]))
    ]
    (tmp_path / "r.json").write_text(json.dumps(lines, indent=1), "utf-8")
    done = import_responses(store, "c", tmp_path / "r.json")
    assert done.counts == {"runs": 2, "responses": 2, "passages": 2, "citations": 4, "documents": 3}
    assert "2 citations of passages that are not among the references of their response" in done.notes[0]

    def held():
        found = store.snapshot("c")
        pool = found.frame("pool")[["query_id", "doc_id"]].itertuples(index=False, name=None)
        return sorted(found.frame("passages")["doc_id"]), sorted(pool)

    assert held() == (["a/q1", "b/q1", "d1", "d2", "d3"], [("q1", "d1"), ("q1", "d2")])
    assert cited_passages(store.snapshot("c")) == {"a/q1": ("d1", "d9"), "b/q1": ("d2", "d9")}
    assert not import_responses(store, "c", tmp_path / "r.json").changed
    undo_import(store, "c", done.import_ids[1])
    assert held() == (["a/q1", "d1", "d3"], [("q1", "d1")])


def test_sentences_of_a_plain_response_may_be_its_passages(store, file):
    assert import_responses(store, "c", file, parts="sentences").counts["passages"] == 101


def test_whole_answers_and_their_assignments_are_one_run(store, shared_data):
    folder = shared_data / "data/rag24_nuggets"
    import_responses(store, "c", folder / "answers_gpt-4o.jsonl.gz", parts="whole")
    import_assignments(store, "c", folder / "assignments_gpt-4o.jsonl.gz")
    found = store.snapshot("c").query(
        "SELECT count(*) AS n, count(passages.extra) AS cited FROM rankings JOIN passages USING (doc_id)"
    )
    assert found.to_numpy().tolist() == [[301, 301]]


ASSIGNED = {
    "qid": "q1",
    "query": "why",
    "run_id": "long",
    "answer_text": " ".join([SENTENCE] * 100),
    "nuggets": [{"text": "Rain falls.", "importance": "vital", "assignment": "support"}],
}


@pytest.mark.parametrize(
    ("parts", "docs"), [(None, ["long/q1"]), ("passages", [f"long/q1#{place}" for place in range(4)])], ids=str
)
def test_a_response_whose_nuggets_were_assigned_before_stays_whole_unless_it_is_told_otherwise(
    store, file, tmp_path, parts, docs
):
    (tmp_path / "assigned.jsonl").write_text(json.dumps(ASSIGNED), "utf-8")
    import_assignments(store, "c", tmp_path / "assigned.jsonl")
    done = import_responses(store, "c", file, parts=parts, replace=parts is not None)
    assert [doc for run, doc, _ in ranked(store) if run == "long"] == docs
    assert ("Graded as a whole already, and so not cut: 1 response." in done.notes) == (parts is None)


def test_responses_to_none_of_the_collections_queries_say_so(store, tmp_path):
    qrels, responses = tmp_path / "x.qrels", tmp_path / "responses.jsonl"
    qrels.write_text("1 0 d1 2\n2 0 d1 1\n")
    made = [{"query_id": query, "run_id": "made", "text": "x"} for query in ("001", "002")]
    responses.write_text("".join(f"{json.dumps(one)}\n" for one in made))
    import_qrels(store, "c", qrels)
    notes = import_responses(store, "c", responses).notes
    assert [one for one in notes if one.startswith("Run made: none of its queries is a query of the collection")]


def count_words(text):
    return len(text.split())


def texts(text, target):
    return [passage for _, passage in segments("d1", text, count_words, target)]


def test_passages_end_at_sentences_are_numbered_and_cut_no_word():
    assert segments("d1", "One two.  Three. ", count_words, 3) == [("d1", "One two.  Three. ")]
    response = "One two three. Four five! Six seven? Eight."
    assert segments("d1", response, count_words, 5) == [
        ("d1#0", "One two three. Four five!"),
        ("d1#1", "Six seven? Eight."),
    ]
    assert texts("one two three four five six seven. Eight.", 3) == ["one two three", "four five six", "seven. Eight."]
    assert segments("d1", "a" * 9, len, 4) == [("d1", "a" * 9)]
    assert segments("d1", "aaaaaaaa bb", len, 4) == [("d1#0", "aaaaaaaa"), ("d1#1", "bb")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose. Then it fell.", ["It rose. ", "Then it fell."]),
        ('He said "no." Then he left.', ['He said "no." ', "Then he left."]),
        ("Dr. Smith met J. R. Jones.", ["Dr. Smith met J. R. Jones."]),
        ("It costs 3.50 dollars. 4 of 5 pay.", ["It costs 3.50 dollars. ", "4 of 5 pay."]),
        ("A heading\n\nand its text", ["A heading\n\n", "and its text"]),
        ("it rose. then it fell", ["it rose. then it fell"]),
        ("it rose. \n\nthen it fell", ["it rose. \n\n", "then it fell"]),
        ("自杀率上升。“为什么？”失业！", ["自杀率上升。", "“为什么？”", "失业！"]),
        ("बढ़ी। पुलिस 3", ["बढ़ी। ", "पुलिस 3"]),
        ("هل ارتفعت؟ نعم۔ في عام 2020. وفقًا", ["هل ارتفعت؟ ", "نعم۔ ", "في عام 2020. ", "وفقًا"]),
        ("Она выросла. Безработица т. е. нет", ["Она выросла. ", "Безработица т. е. нет"]),
        ("約3．5％です．次", ["約3．5％です．", "次"]),
        ("", []),
    ],
)
def test_sentences(text, expected):
    assert list(sentences(text)) == expected


def test_scripts_without_blanks_are_cut_at_their_sentences_and_else_between_letters():
    def count(text):
        return round(about_tokens(text, 4 / 3))

    assert [text for _, text in segments("d", "自杀率上升。失业！三四五。", count, 8)] == [
        "自杀率上升。",
        "失业！三四五。",
    ]
    assert [text for _, text in segments("d", "日本語の文章です、はい", count, 5)] == ["日本語の文", "章です、は", "い"]
    assert [text for _, text in segments("d", "ปู่ย่าตายาย", count, 3)] == ["ปู่ย่า", "ตาย", "าย"]


WORDS = st.lists(st.sampled_from(["a", "B.", "word", "End.\n\n", "?"])).map(" ".join)


@given(st.text(st.sampled_from('aB.?!" \n\té3)')) | WORDS, st.integers(1, 6))
def test_no_word_is_lost_doubled_or_joined_and_passages_are_short_and_numbered(text, target):
    found = segments("d1", text, count_words, target)
    assert [word for _, passage in found for word in passage.split()] == text.split()
    assert all(count_words(passage) <= target for _, passage in found)
    assert [doc_id for doc_id, _ in found] in (["d1"], [f"d1#{place}" for place in range(len(found))])
