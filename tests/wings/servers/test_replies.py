"""What is read out of a server's replies."""

import json
import math
import tracemalloc

import pytest
from grading.server import completion

from exam_core.grading.failures import REASONS
from exam_core.wings.servers.replies import bare, read_completion, read_reply, seconds_to_wait


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
        *(({"Retry-After": odd}, 0) for odd in ("-5", "soon", "nan", "")),
        ({"X-RateLimit-Reset": "3"}, 3),
        ({"X-RateLimit-Reset": "1700000000"}, 0),
        ({"X-RateLimit-Reset": "1700000000000"}, 0),
        ({"Retry-After": "2", "X-RateLimit-Reset": "3"}, 2),
        ({}, 0),
    ],
)
def test_retry_after_is_read_in_seconds_or_as_a_date(headers, seconds):
    assert seconds_to_wait(headers) == seconds


@pytest.mark.parametrize(
    ("answer", "contents"),
    [
        ("4", ["4", "  4\n", "```\n4\n```", "```4```"]),
        ("4", ["<think>5? No.</think>\n\n4", "5? No.</think>4", "<think>a</think>b<think>c</think>4"]),
        ("4", ["<think>x</think>\n```\n4\n```\n"]),
        ('{"grade": 4}', ['```json\n{"grade": 4}\n```']),
        ("", ["<think>5? Or", ""]),
        *((same, [same]) for same in ("the <think> tag", "so ```4```", "```4``` or ```5```", "```")),
    ],
)
def test_thoughts_and_a_fence_are_taken_off_an_answer(answer, contents):
    assert [bare(content) for content in contents] == [answer] * len(contents)


STREAM = (
    b'data: {"choices": [{"delta": {"content": "4 "}, "finish_reason": null}]}\n\n'
    b'data: {"choices": [{"delta": {"content": "since"}, "finish_reason": "length"}]}\n\n'
)


@pytest.mark.parametrize(
    ("body", "text", "failure"),
    [
        (completion("4"), "4", ""),
        (completion([{"type": "thinking", "thinking": []}, {"type": "text", "text": "4"}]), "4", ""),
        (completion("4 since", "length"), "4 since", ""),
        (completion("<think>hm", "length"), None, "no answer, stopped at max_output_tokens=512"),
        (completion(None, "length", reasoning_content="hm"), None, "no answer, stopped at max_output_tokens=512"),
        (completion(None), None, "the model's answer is empty"),
        (completion(""), None, "the model's answer is empty"),
        (completion(" \n"), None, "the model's answer is empty"),
        (completion(None, refusal="I can't"), None, "the model refused: I can't"),
        (completion("some", "content_filter"), None, "the server's content filter stopped it"),
        (b'{"choices": []}', None, "the server sent no choice"),
        (b'\xef\xbb\xbf{"choices": [{"message": {"content": "4 \\ud83d"}, "logprobs": NaN}]}', "4", ""),
        (b": busy\n\n" + STREAM + b"data: [DONE]\n", "4 since", ""),
    ],
)
def test_a_completion_is_an_answer_or_says_why_not(body, text, failure):
    said = read_completion(body, 512)
    assert (said.text, said.failure, said.stopped) == (text, failure, text == "4 since")
    assert read_completion(body[: len(body) // 2], 512) is None


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


def said(content, finish="stop", **message):
    return read_completion(completion(content, finish, **message), 512)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (said(None, "length", reasoning_content="Let me think"), "length"),
        (said("<think>Let me", "length"), "length"),
        (said(None, reasoning="4", reasoning_content="4"), "empty"),  # thoughts are no answer, whatever they say
        (said("<think>4</think>"), "empty"),
        (said(""), "empty"),
        (said(None, refusal="I can't"), "refusal"),
        (said("4", "content_filter"), "filter"),
        (read_reply(400, {}, b'{"error": {"message": "x", "code": "content_filter"}}', 9).failed(), "filter"),
        (read_reply(400, {}, b'{"error": {"message": "x", "code": "context_length_exceeded"}}', 9).failed(), "context"),
        (read_reply(500, {}, b"", 9).failed(), "error"),
        (said("4"), ""),
        (said("4", "length"), ""),
    ],
)
def test_a_missing_answer_has_a_reason(found, reason):
    assert (found.reason, found.text) == (reason, None if reason else "4")
    assert not reason or reason in REASONS


def test_what_a_gateway_says_within_a_success_counts():
    body = {"message": "Rate limit exceeded", "code": 429, "metadata": {"headers": {"X-RateLimit-Reset": "2"}}}
    found = read_reply(200, {"Date": ""}, json.dumps({"error": body}).encode(), 9)
    assert (found.status, found.wait, found.passing) == (429, 2, True)
    broken = read_reply(200, {}, b'{"id": null, "choices": null, "error": {"message": "x", "code": 502}}', 9)
    assert (broken.status, broken.passing, broken.hollow) == (502, True, True)


def test_a_long_message_is_cut_at_a_word():
    long = json.dumps({"error": {"message": "overloaded " * 40}}).encode()
    assert read_reply(500, {}, long, 9).message == " ".join(["overloaded"] * 18) + "…"


@pytest.mark.parametrize("told", [None, 7, {}, {"prompt_tokens": -1}, {"prompt_tokens": 1.5}, {"prompt_tokens": 2**40}])
def test_tokens_that_nobody_can_count_are_unknown(told):
    assert read_completion(completion("4", usage=told), 9).usage is None


def token(text, logprob, *others):
    top = [{"token": other, "logprob": value} for other, value in ((text, logprob), *others)]
    return {"token": text, "logprob": logprob, "top_logprobs": top}


@pytest.mark.parametrize(
    ("answer", "tokens", "likelihoods"),
    [
        (
            "4",
            [token(" 4", -0.1, ("4", -3.0), (" 3", -2.5))],
            {"4": math.log(math.exp(-0.1) + math.exp(-3)), "3": -2.5},
        ),
        (
            '{"rating": 4}',
            [
                *(token(text, 0.0) for text in ('{"', "rating", '":', " ")),
                token("4", -0.1, ("5", -2.5)),
                token("}", 0.0),
            ],
            {'{"rating": 4}': -0.1, '{"rating": 5}': -2.5},
        ),
        ("Yes", [token("Yes", -0.2, ("No", -1.7))], {"Yes": -0.2, "No": -1.7}),
        ("4", [*(token(text, 0.0) for text in ("<think>", "3", "</think>")), token("4", -0.5)], {"4": -0.5}),
        ("4 or 5", [token("4", 0.0), token(" or", 0.0), token(" 5", 0.0)], None),
        ("4", [], None),
    ],
)
def test_likelihoods_of_other_answers_are_read_where_a_server_gives_them(answer, tokens, likelihoods):
    content = "".join(item["token"] for item in tokens) or answer
    body = json.loads(completion(content))
    body["choices"][0]["logprobs"] = {"content": tokens}
    said = read_completion(json.dumps(body).encode(), 512)
    assert said.text == answer
    assert said.likelihoods == (None if likelihoods is None else pytest.approx(likelihoods))
