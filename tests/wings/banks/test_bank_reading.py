"""Banks of TQA, SQuAD, JSON and CSV: how each is read, and how it is refused."""

import hashlib
import json

import pytest

from exam_core.formats import json_lines
from exam_core.formats.banks.question_rows import read_csv
from exam_core.formats.extra import decode_extra
from exam_core.formats.registry import reader


@pytest.fixture
def read(write):
    """The reading of a file, by whichever reader it looks like."""

    def of(content, name="bank"):
        path = write(content if isinstance(content, str | bytes) else json.dumps(content), name)
        return reader("bank", path)(path, bank_id="b")

    return of


@pytest.fixture
def refused(write, refusal):
    """What is said of a file that is refused, without its path."""

    def of(content, name="bank"):
        path = write(content if isinstance(content, str | bytes) else json.dumps(content), name)
        return refusal(reader("bank", path), path, bank_id="b").replace(f"{path}:", "")

    return of


def rows(reading, *columns):
    found = reading.frames["questions"]
    return [
        tuple(None if isinstance(value, float) and value != value else value for value in row)
        for row in found[list(columns)].astype(object).itertuples(index=False)
    ]


def listed(values):
    return None if values is None else list(values)


def asked(text="Outer layer?", correct="b", choices=("dermis", "epidermis"), **more):
    keyed = {key: {"processedText": choice, "rawText": f"{key}. {choice}"} for key, choice in zip("abcd", choices)}  # noqa: B905
    said = {"processedText": correct, "rawText": correct}
    words = {"processedText": text, "rawText": f"1. {text}"}
    return {"beingAsked": words, "answerChoices": keyed, "correctAnswer": said, **more}


def lesson(*questions, name="L_0384", diagrams=0, **more):
    numbered = {f"NDQ_{number:06}": question for number, question in enumerate(questions, 1)}
    drawn = {f"DQ_{number:06}": {"imagePath": "a.png"} for number in range(diagrams)}
    both = {"nonDiagramQuestions": numbered, "diagramQuestions": drawn}
    return {"globalID": name, "lessonName": "skin", "questions": both, **more}


@pytest.mark.parametrize("indent", [None, 1])
def test_a_lesson_is_a_query_and_the_correct_choice_the_answer_key(read, indent):
    reading = read(json.dumps([lesson(asked(), asked("Inner?", "a"))], indent=indent))
    assert rows(reading, "query_id", "question_id", "question_text") == [
        ("tqa2:L_0384", "NDQ_000001", "Outer layer?"),
        ("tqa2:L_0384", "NDQ_000002", "Inner?"),
    ]
    first, second = rows(reading, "gold_answers", "choices")
    assert (listed(first[0]), listed(second[0]), listed(first[1])) == (
        ["epidermis"],
        ["dermis"],
        ["dermis", "epidermis"],
    )
    assert reading.frames["queries"]["query_text"].tolist() == ["skin"]


@pytest.mark.parametrize(
    ("correct", "choices", "gold"),
    [
        ("b", ("true", "false"), "false"),
        ("false", ("true", "false"), "false"),
        ("True", ("true", "false"), "true"),
        ("F", ("true", "false"), "false"),
        ("A.", ("x", "y"), "x"),
        (" b", ("x", "y"), "y"),
        ("seven", (), "seven"),
        ("c", ("x", "y"), None),
        ("", ("x", "y"), None),
    ],
)
def test_the_correct_choice_is_found_however_it_is_named(read, correct, choices, gold):
    reading = read([lesson(asked("Is it?", correct, choices))])
    assert listed(rows(reading, "gold_answers")[0][0]) == (None if gold is None else [gold])
    keyless = ["1 questions have no answer key: the answer that their file calls correct is none of their choices."]
    assert reading.notes == (keyless if gold is None else [])


def test_what_tqa_says_of_a_question_is_kept_and_what_is_no_question_is_counted(read):
    question = asked(questionType="Multiple Choice", globalID="NDQ_000001")
    reading = read([lesson(question, diagrams=2, topics={"T_1": {}}, adjunctTopics={"Vocabulary": {}})])
    assert decode_extra(reading.frames["questions"]["extra"].iloc[0]) == {"tqa": question}
    assert reading.notes == [
        "2 questions about diagrams are left out.",
        "2 texts of lessons are left out: they are passages, not questions.",
    ]


def test_a_lesson_that_is_none_is_named_with_its_line(refused):
    said = refused(json.dumps([lesson(asked()), {"globalID": "L_2"}], indent=1))
    assert said.splitlines()[0].endswith(" not a lesson of TQA: questions is missing")
    assert said.splitlines()[0].split(":")[0] == str(json.dumps([lesson(asked())], indent=1).count("\n") + 1)


def article(*qas, title="Normandy"):
    return {"title": title, "paragraphs": [{"context": "It is in France.", "qas": list(qas)}]}


def qa(name="56d", text="Where?", answers=("France", "in France", "France"), **more):
    found = [{"text": answer, "answer_start": 9} for answer in answers]
    return {"id": name, "question": text, "answers": found, **more}


@pytest.mark.parametrize("indent", [None, 1])
def test_an_article_is_a_query_and_its_paragraphs_questions_are_asked(read, indent):
    document = {"version": "v2.0", "data": [article(qa()), article(qa("a", "Who?"), title="Beyoncé_Knowles")]}
    reading = read(json.dumps(document, indent=indent))
    assert rows(reading, "query_id", "question_id") == [("Normandy", "56d"), ("Beyoncé_Knowles", "a")]
    assert reading.frames["queries"]["query_text"].tolist() == ["Normandy", "Beyoncé Knowles"]
    assert listed(rows(reading, "gold_answers")[0][0]) == ["France", "in France"]
    assert reading.notes == ["2 paragraphs are left out: they are passages, not questions."]


def test_an_impossible_question_is_off_and_what_squad_says_is_kept(read):
    reading = read({"data": [article(qa(answers=(), is_impossible=True, plausible_answers=[{"text": "x"}]))]})
    frame = reading.frames["questions"]
    assert (bool(frame["enabled"].item()), listed(frame["gold_answers"].item())) == (False, [])
    assert decode_extra(frame["extra"].item())["squad"] == {
        "paragraph": 0,
        "answers": [],
        "is_impossible": True,
        "plausible_answers": [{"text": "x"}],
    }
    assert reading.notes[0] == "1 questions are marked as impossible to answer and are switched off."


def test_an_article_without_title_is_named_with_its_number(refused):
    document = {"data": [article(qa()), {"paragraphs": []}]}
    assert refused(json.dumps(document, indent=0)).startswith("1: data[1]: title is missing")


def test_texts_by_query_get_the_ids_that_the_authors_would_give(read):
    reading = read({"q1": ["Why?", " Why? ", "How?"], "q2": []})
    digest = hashlib.md5(b"How?").hexdigest()
    assert rows(reading, "query_id", "question_id", "question_text")[-1] == ("q1", f"q1/{digest}", "How?")
    assert (reading.counts, reading.notes) == ({"queries": 2, "questions": 2}, ["1 repeated questions were merged."])


def test_a_list_of_questions_keeps_unknown_fields(read):
    reading = read([{"qid": 7, "question": "Why?", "importance": 2, "difficulty": {"a": [1]}, "nothing": None}])
    assert rows(reading, "query_id", "question_text", "importance", "kind") == [("7", "Why?", "2", "question")]
    assert decode_extra(reading.frames["questions"]["extra"].item()) == {"json": {"difficulty": {"a": [1]}}}


@pytest.mark.parametrize(("name", "kind"), [("claim", "claim"), ("nugget_text", "claim"), ("question", "question")])
def test_a_claim_is_one_by_the_name_of_its_text(read, name, kind):
    assert rows(read([{"query_id": "q", name: "Rain is wet."}]), "kind") == [(kind,)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"q1": ["Why?"], "q1": ["How?"]}', "q1 is named twice"),
        ('{"q1": ["Why?"],\n"q2": ["How?", 3]}', "2: not questions of query q2: question 2 is not text"),
        ('[{"query_id": "q1", "question_text": "Why?"},\n\n{"question_text": "How?"}]', "3: not a question of a bank"),
        ('[{"query_id": "q1", "question_text": "Why?", "weight": -1}]', "weight -1"),
        ('[{"query_id": "q1", "question_text": "Why?", "weight": "2"}]', "weight: expected a number"),
        ('[{"query_id": "q1", "question_text": "Why?", "kind": "guess"}]', "kind: invalid enum value 'guess'"),
        ('[{"query_id": "q1", "question_text": "Why?", "lineage": {"a": []}}]', "lineage: "),
        ('[{"query_id": "q1", "question": ""}]', "a question without id and without words"),
        ('[{"query_id": "q1", "question_id": "a", "x": ' + "[" * 200 + "]" * 200 + "}]", "nested more than 100 deep"),
        ('{"query_id": "q1", "question_text": "Why?"}\n{"query_id": "q1",\n', "2: not a question of a bank: not valid"),
        ('[{"query_id": "q1",\n"question_text": "Why?"', "2: not a JSON document: not valid JSON"),
        ('[{"query_id": "q1",\n"question_text": Why?"}]', "2: not a JSON document: not valid JSON"),
        ("[" * 100_000, ""),
        ('{"query_id": "q1",\n"items": []}\n{"query_id": "q2"}\n', "neither items nor questions"),
    ],
)
def test_bad_json_is_named_with_its_line(refused, content, said):
    assert said in refused(content)


def test_a_document_that_is_too_large_is_refused_before_it_is_decoded(refused, monkeypatch):
    monkeypatch.setattr(json_lines, "LONGEST_JSON", 2**20)
    said = refused("[\n" + '{"query_id": "q1", "question_text": "Why?"},\n' * 100_000)
    assert "a JSON document of more than 1 MiB" in said


def test_lines_whose_first_breaks_off_are_lines(refused):
    said = refused('{"query_id": "q1", "items": [\n{"query_id": "q2", "items": []}\n')
    assert said.startswith("1: not a question bank: not valid JSON")


@pytest.mark.parametrize("name", ["nugget_bank", "items"])
def test_a_name_that_an_object_has_twice_is_refused(refused, name):
    said = refused(f'{{"query_id": "q1", "{name}": [], "{name}": []}}\n')
    assert f"{name} is named twice" in said


def test_a_table_of_questions_is_read(read):
    reading = read(
        "query_id,question_text,gold_answers,choices,weight,enabled,Level\n"
        'q1," Why, then? ",rain | snow,"[""a|b"", ""c""]",0.5,no,easy\n'
        "q1,How?,,,,,\n",
        "bank.csv",
    )
    assert rows(reading, "question_text", "weight", "enabled") == [("Why, then?", 0.5, False), ("How?", 1.0, True)]
    assert [listed(values) for values in rows(reading, "gold_answers", "choices")[0]] == [
        ["rain", "snow"],
        ["a|b", "c"],
    ]
    assert [decode_extra(extra) for extra in reading.frames["questions"]["extra"]] == [{"csv": {"level": "easy"}}, {}]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("weight,heavy", "weight heavy is not a number"),
        ("weight,-1", "has the weight -1"),
        ("enabled,perhaps", "enabled perhaps is neither yes nor no"),
        ('gold_answers,"[1, 2]"', "gold_answers[0]: expected a text"),
        ("extra,[1]", "extra: expected an object"),
        ('extra,"{""a"": 1, ""a"": 2}"', "extra: expected an object"),
        ("kind,guess", "kind: invalid enum value"),
        ('lineage,"{""from"": []}"', "lineage: "),
    ],
)
def test_a_bad_cell_is_named_with_its_line(refused, cell, said):
    name, value = cell.split(",", 1)
    message = refused(f"query_id,question_text,{name}\nq1,Why?,\nq1,How?,{value}\n", "bank.csv")
    assert (message.startswith("3: "), said in message) == (True, True)


def test_a_row_without_a_query_and_a_query_with_two_texts_are_refused(refused, read):
    assert refused("query_id,question_text\n,Why?\n", "bank.csv").startswith(
        "2: not a question of a bank: query_id is missing"
    )
    head = "query_id,question_text,query_text\nq1,Why?,\nq1,How?,rain\n"
    assert read(head, "a.csv").frames["queries"]["query_text"].tolist() == ["rain"]
    assert "second text for query q1" in refused(head + "q1,Who?,snow\n", "b.csv")


def test_a_nugget_to_avoid_is_off_and_said(read):
    reading = read({"query_id": "q1", "nugget_bank": {"Why?": {"question": "Why?", "importance": "avoid"}}})
    assert rows(reading, "importance", "enabled") == [("avoid", False)]
    assert reading.notes == ["1 nugget is to be avoided: switched off, and reported apart."]


def test_an_importance_that_is_changed_after_the_import_is_written_as_it_is_now(read):
    from exam_core.wings.banks.bank_files import write_form

    frames = read({"query_id": "q1", "nugget_bank": {"Why?": {"question": "Why?", "importance": 1}}}).frames
    frames["questions"]["importance"] = "vital"
    (line,) = write_form("nuggetbank", frames["questions"], frames["queries"]).lines
    assert json.loads(line)["nugget_bank"]["Why?"]["importance"] == "vital"


@pytest.mark.parametrize(
    ("bank", "said"),
    [
        ({"nugget_bank": {}}, "a bank without query_id"),
        ({"query_id": "q", "nugget_bank": {"a": {"claim": "a"}}}, "a nugget without question"),
        ({"query_id": "q", "claim_bank": [{"claim": "a", "query_id": "p"}]}, "a claim names another query"),
        (
            {"query_id": "q", "nugget_bank": {"a": {"question": "a", "answers": ["x"]}}},
            "expected an object, got a text",
        ),
        ({"query_id": "q", "nugget_bank": {"a": {"question": "a", "metadata": {"examboard": {"x": 1}}}}}, "x"),
    ],
)
def test_a_bad_nugget_bank_is_refused(refused, bank, said):
    message = refused(bank)
    assert (message.startswith("1: "), said in message) == (True, True)


def test_a_query_with_two_banks_is_refused(refused):
    line = json.dumps({"query_id": "q", "nugget_bank": {}}) + "\n"
    assert "second bank of query q; the first is line 1" in refused(line * 2)


@pytest.mark.parametrize(
    "text",
    [
        "q1,How, when and where?\nq1,Who said so?\n",
        "nr;Exam question\nq1;Who said so?\nq1;What is it?\n",
        "q1\twind power\nq2\train in spring\n",
        "q1;0.5\nq1;0.7\n",
        "What is it?;q1\nWho said so?;q1\n",
        "Who said so?\nWhat is it?\n",
    ],
    ids=["commas", "unknown header", "topics", "numbers", "turned round", "no query"],
)
def test_a_table_without_a_header_says_what_to_add(refusal, write, text):
    path = write(text, "bank.csv")
    assert f"{path}:1: no column for query_id" in refusal(read_csv, path, bank_id="b")
