"""What is read out of a server's replies."""

from __future__ import annotations

import tracemalloc

import pytest
from grading.server import completion

from exam_core.grading.remote.replies import bare, read_completion, read_reply, seconds_to_wait


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "Tue, 02 Jan 2024 10:00:30 GMT", "Date": "Tue, 02 Jan 2024 10:00:00 GMT"}, 30),
        ({"Retry-After": "Tue, 02 Jan 2024 10:00:30 GMT", "Date": "Tue, 02 Jan 2024 10:01:00 GMT"}, 0),
        ({"Retry-After": "Tue, 02 Jan 2024 10:00:30 GMT"}, 0),
        ({"Retry-After": "Tue, 02 Jan 2024 10:00:30 -0000", "Date": "Tue, 02 Jan 2024 10:00:00 GMT"}, 0),
        ({"Retry-After": "-5"}, 0),
        ({"Retry-After": "soon"}, 0),
        ({"Retry-After": "nan"}, 0),
        ({"Retry-After": ""}, 0),
        ({}, 0),
    ],
)
def test_retry_after_is_read_in_seconds_or_as_a_date(headers, seconds):
    assert seconds_to_wait(headers) == seconds


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ("4", "4"),
        ("  4\n", "4"),
        ("<think>5? No.</think>\n\n4", "4"),
        ("5? No.</think>4", "4"),
        ("<think>a</think>b<think>c</think>4", "4"),
        ("<think>5? Or", ""),
        ("the <think> tag", "the <think> tag"),
        ("```\n4\n```", "4"),
        ("```4```", "4"),
        ('```json\n{"grade": 4}\n```', '{"grade": 4}'),
        ("<think>x</think>\n```\n4\n```\n", "4"),
        ("so ```4```", "so ```4```"),
        ("```4``` or ```5```", "```4``` or ```5```"),
        ("```", "```"),
        ("", ""),
    ],
)
def test_thoughts_and_a_fence_are_taken_off_an_answer(content, answer):
    assert bare(content) == answer


@pytest.mark.parametrize(
    ("body", "text", "fault"),
    [
        (completion("4"), "4", ""),
        (completion([{"type": "thinking", "thinking": []}, {"type": "text", "text": "4"}]), "4", ""),
        (completion("4 since", "length"), "4 since", "stopped at max_output_tokens=512"),
        (completion("<think>hm", "length"), None, "no answer, stopped at max_output_tokens=512"),
        (completion(None, "length", reasoning_content="hm"), None, "no answer, stopped at max_output_tokens=512"),
        (completion(None), None, "the model's answer is empty"),
        (completion(""), None, "the model's answer is empty"),
        (completion(" \n"), None, "the model's answer is empty"),
        (completion(None, refusal="I can't"), None, "the model refused: I can't"),
        (completion("some", "content_filter"), None, "the server's content filter stopped it"),
        (b'{"choices": []}', None, "the server sent no choice"),
    ],
)
def test_a_completion_is_an_answer_or_says_why_not(body, text, fault):
    said = read_completion(body, 512)
    assert (said.text, said.fault) == (text, fault)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, completion("```json\n" + "a " * 100_000 + "```")),
        (200, completion("`" * 200_000)),
        (200, b'{"x":[' + b"[]," * 70_000 + b"[]]}"),
        (500, b"[" + b"[]," * 70_000 + b"[]]"),
        (500, b'{"error":{"message":[' + b"{}," * 70_000 + b"{}]}}"),
        (500, b"a " * 100_000),
    ],
    ids=["a fence", "nothing but a fence", "no completion", "lists", "a message of objects", "words"],
)
def test_a_long_reply_takes_a_few_times_its_size(status, body):
    tracemalloc.start()
    try:
        assert read_reply(status, {}, body, 512)
        assert tracemalloc.get_traced_memory()[1] < 8 * len(body)
    finally:
        tracemalloc.stop()
