"""Models behind an address: a real server that answers, stumbles, lies and hangs."""

import json
import logging
import os
import socket
import sys
import threading
import time
import traceback
from contextlib import closing

import pytest
from grading.server import TRICKLES, Server, always, breaks_off, completion, fails, hangs, hangs_up, says, sends, zipped

from exam_core.errors import GraderError, UsageError
from exam_core.grading.failures import BUDGET
from exam_core.grading.prompt import ModelAnswer, Prompt, cache_name
from exam_core.wings.servers import connection
from exam_core.wings.servers.remote import PATIENCE, Remote, first_tokens
from exam_core.wings.servers.remote import TRIVIAL as TRIVIAL_PROMPT
from exam_core.wings.servers.replies import Prices, ServerTerms

TRIVIAL = TRIVIAL_PROMPT.text

KEY = "sk-a+Secret/0123456789"


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self):
        self.time = 1000.0
        self.waits = []

    def now(self):
        return self.time

    def wait(self, _stop, seconds):
        self.time += seconds
        self.waits.append(seconds)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "")  # So that what `model_at` sets is forgotten after the test.
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def model_at(server, clock=None, **options):
    """A model whose waiting takes no time, at the server that the key is for."""
    clock = clock or Clock()
    address = server.address if isinstance(server, Server) else server
    os.environ["OPENAI_BASE_URL"] = address
    return Remote("m", address, ServerTerms(**{"timeout": 5.0, **options}), clock)


def prompts(*texts):
    return [Prompt(head=text) for text in texts]


def coming(model, *texts):
    """The places and answers as they come, without what says that none came for a while."""
    with closing(model.answers(prompts(*texts))) as answers:
        yield from filter(None, answers)


def answered(model, *texts):
    """The answers by place; fails where a place comes twice."""
    pairs = list(coming(model, *texts))
    assert len({place for place, _ in pairs}) == len(pairs)
    return [answer for _, answer in sorted(pairs, key=lambda pair: pair[0])]


@pytest.fixture
def server():
    with Server(always(says("4"))) as found:
        yield found


def first(behaviour, times=1):
    """Behaves so at first, then answers 4."""
    return lambda _text, time: behaviour if time <= times else says("4")


def test_a_prompt_is_one_user_message_of_a_chat_completion(server):
    list(model_at(server, max_output_tokens=7).answers([Prompt("head ", "passage", " tail", "question")]))
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "head passage tail"}],
        "max_tokens": 7,
        "temperature": 0.0,
    }


def test_every_prompt_is_answered_once_and_in_its_place_whatever_the_order():
    others = threading.Semaphore(0)

    def plan(text, _time):
        if text == "0":
            others.acquire(timeout=60)  # the first is answered after the tenth
        if text == "9":
            others.release()
        return says(f"answer {text}")

    names = [str(number) for number in range(50)]
    with Server(plan) as server:
        came = list(coming(model_at(server, concurrency=8), *names))
    assert [place for place, _ in came].index(0) > 0
    assert sorted(came, key=lambda pair: pair[0]) == [(n, ModelAnswer(f"answer {n}")) for n in range(50)]
    assert len(server.requests) == 50


@pytest.mark.parametrize("limit", [1, 3])
def test_so_many_requests_are_under_way_at_once_and_never_more(limit):
    together = threading.Barrier(limit)

    def meets(handler):
        together.wait(60)
        handler.server.active -= 1  # done, before the client can know
        handler.send(200, completion("4"))
        handler.server.active += 1

    with Server(always(meets)) as server:
        assert len(answered(model_at(server, concurrency=limit), *map(str, range(4 * limit)))) == 4 * limit
    assert server.most_active == limit


def test_a_connection_is_used_again():
    with Server(first(fails(503))) as server:
        answered(model_at(server, concurrency=2), *map(str, range(20)))
    assert len({request.connection for request in server.requests}) <= 2


def test_nothing_asked_is_nothing_answered(server):
    assert list(model_at(server).answers([])) == []


@pytest.mark.parametrize(
    "behaviour",
    [
        *[pytest.param(fails(status), id=str(status)) for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)],
        pytest.param(hangs, id="hangs"),
        pytest.param(TRICKLES["body"], id="drips"),
        pytest.param(hangs_up, id="hangs up"),
        pytest.param(breaks_off, id="breaks off"),
        pytest.param(sends(completion("4")[:-9]), id="half a JSON"),
        pytest.param(sends(b"<html>Welcome</html>"), id="HTML"),
        pytest.param(sends(b'{"choices": "4"}'), id="choices of another type"),
        pytest.param(sends(b'["4"]'), id="a list"),
        pytest.param(sends(b"[" * 100_000), id="deep JSON"),
        pytest.param(sends(b"\xff\xfe"), id="no text"),
        pytest.param(sends(b""), id="nothing"),
        pytest.param(sends(b'{"error": {"message": "overloaded", "code": 502}}'), id="an error with status 200"),
        pytest.param(sends(b"no gzip", Content_Encoding="gzip"), id="broken gzip"),
    ],
)
def test_what_may_pass_is_tried_again(behaviour):
    endless = behaviour in (hangs, TRICKLES["body"])
    with Server(first(behaviour)) as server:
        model = model_at(server, timeout=0.25 if endless else 60.0)
        assert answered(model, "a") == [ModelAnswer("4")]
    assert len(server.requests) == 2 or endless  # a busy machine may be late a second time


def test_a_server_that_sends_no_choices_is_told_of_and_given_up_as_soon_as_one_that_is_not_there():
    clock, nothing = Clock(), b'{"choices": null, "error": {"message": "Provider returned error", "code": 502}}'
    with Server(always(sends(nothing))) as server:
        model = Remote("m", server.address, ServerTerms(), clock)
        with pytest.raises(GraderError, match=r"Provider returned error \(4 tries\)"):
            answered(model, "a")
        assert model.trying.endswith("Provider returned error; asked again (3 of 3)")


def test_a_server_that_trickles_is_left_at_the_timeout_whatever_it_is_at():
    with Server(lambda text, _time: TRICKLES.get(text, says("4"))) as server:
        model = model_at(server, timeout=1.0, retries=0)
        found = answered(model, "good", *TRICKLES)
    assert found == [
        ModelAnswer("4"),
        *[ModelAnswer(None, failure="no complete answer in time (1 tries)", reason="error")] * len(TRICKLES),
    ]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_takes_a_connection_and_says_nothing_is_left_at_the_timeout(scheme):
    with socket.create_server(("127.0.0.1", 0)) as mute, pytest.raises(GraderError, match="no complete answer in time"):
        answered(model_at(f"{scheme}://127.0.0.1:{mute.getsockname()[1]}/v1", timeout=0.2, retries=0), "a")


@pytest.mark.parametrize("form", [says, zipped])
def test_an_endless_body_is_not_read_to_its_end(monkeypatch, form):
    monkeypatch.setattr(connection, "LARGEST_BODY", 1000)
    with Server(first(form("4" * 100_000))) as server:
        assert answered(model_at(server), "a") == [ModelAnswer("4")]


def test_a_zipped_answer_is_read():
    with Server(always(zipped("4" * 1000))) as server:
        assert answered(model_at(server), "a") == [ModelAnswer("4" * 1000)]


def test_pauses_double_and_are_drawn_at_random_below_that():
    clock = Clock()
    with Server(first(fails(500), times=8)) as server:
        answered(model_at(server, clock, retries=8), "a")
    assert len(clock.waits) == 8
    assert all(0 <= wait <= min(60, 2**n) for n, wait in enumerate(clock.waits))
    assert max(clock.waits) > 4


def test_a_prompt_that_keeps_failing_fails_alone_where_others_are_answered():
    def plan(text, _time):
        return fails(500, "out of luck") if text == "bad" else says("4")

    with Server(plan) as server:
        bad, good = answered(model_at(server, concurrency=1, retries=2), "bad", "good")
    assert bad == ModelAnswer(None, failure="HTTP 500: out of luck (3 tries)", reason="error")
    assert good == ModelAnswer("4")
    assert [request.text for request in server.requests] == ["bad", "bad", "bad", TRIVIAL, "good"]


def test_a_prompt_that_keeps_failing_while_others_are_answered_needs_no_further_proof():
    def plan(text, time):
        if text != "bad":
            return says("4")
        time == 2 and others.wait(60)
        return fails(500)

    others = threading.Event()
    with Server(plan) as server:
        arriving = coming(model_at(server, concurrency=2, retries=1), "bad", "good")
        assert next(arriving) == (1, ModelAnswer("4"))
        others.set()
        assert next(arriving)[1].text is None
    assert server.times[TRIVIAL] == 0


def test_a_server_that_answers_nothing_any_more_ends_the_work_and_what_came_stays():
    def plan(text, _time):
        return says("4") if text in "abc" else fails(500, "out of memory")

    kept = []
    with Server(plan) as server, pytest.raises(GraderError) as caught:
        kept.extend(coming(model_at(server, concurrency=1, retries=2), "a", "b", "c", "xx", "yy"))
    assert kept == [(0, ModelAnswer("4")), (1, ModelAnswer("4")), (2, ModelAnswer("4"))]
    for words in (server.address, "does not answer as it should", "HTTP 500: out of memory", "3 tries", "are kept"):
        assert words in str(caught.value)
    assert server.times["yy"] == 0


def test_an_address_where_nobody_listens_ends_the_work_soon():
    clock = Clock()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(GraderError, match=rf"{address} can't be reached.*no connection.*\(4 tries\)"):
            answered(model_at(address, clock), "a")
    assert sum(clock.waits) <= 1 + 2 + 4


def test_an_address_that_answered_once_is_given_more_time():
    with Server(lambda text, time: hangs_up if text == "b" and time < 9 else says("4")) as server:
        assert answered(model_at(server, concurrency=1), "a", "b") == [ModelAnswer("4"), ModelAnswer("4")]


@pytest.mark.parametrize(
    ("behaviour", "retries", "words", "requests"),
    [
        pytest.param(sends(b"<html>Welcome</html>"), 1, r"but HTML.*in /v1", 3, id="a page for people"),
        pytest.param(fails(429, Retry_After="7200"), 3, "for 120 minutes", 1, id="left alone for hours"),
        pytest.param(fails(429, "too fast"), 1, r"slow down.*too fast", PATIENCE + 2, id="slowed down for ever"),
        pytest.param(fails(400, "no idea"), 3, r"even a trivial prompt.*no idea", 2, id="every prompt refused"),
    ],
)
def test_a_server_that_will_not_answer_ends_the_work(behaviour, retries, words, requests):
    with Server(always(behaviour)) as server, pytest.raises(GraderError, match=words):
        answered(model_at(server, retries=retries), "a")
    assert len(server.requests) == requests


@pytest.mark.parametrize("status", [429, 503])
def test_nobody_asks_before_the_time_that_the_server_named(status):
    clock, seen = Clock(), []

    def plan(_text, _time):
        seen.append(clock.time)
        return fails(status, Retry_After="40") if len(seen) == 1 else says("4")

    with Server(plan) as server:
        answered(model_at(server, clock, concurrency=1), "a", "b")
    assert seen[1] - seen[0] >= 40
    assert seen[2] >= seen[1]


def test_a_prompt_told_to_slow_down_is_patient():
    with Server(first(fails(429), times=2 * PATIENCE)) as server:
        assert answered(model_at(server, retries=2), "a") == [ModelAnswer("4")]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_prompt_that_the_server_refuses_fails_alone(status):
    def plan(text, _time):
        return fails(status, "maximum context length " + "x" * 500) if text == "long" else says("4")

    with Server(plan) as server:
        good, long, last = answered(model_at(server, concurrency=1), "good", "long", "last")
    assert (good, last) == (ModelAnswer("4"), ModelAnswer("4"))
    assert long.text is None
    assert long.failure.startswith(f"HTTP {status}: maximum context length xxx")
    assert len(long.failure) < 250
    assert server.times["long"] == 1


@pytest.mark.parametrize(
    ("status", "texts", "terms"),
    [(400, ["long"], {}), (403, ["a", "long", "b"], {}), (400, ["a", "long", "b"], {"schema": {"type": "object"}})],
    ids=["the first", "by a firewall", "with and without a schema"],
)
def test_a_prompt_that_is_refused_does_not_end_the_work(status, texts, terms):
    with Server(lambda text, _time: fails(status) if text == "long" else says("4")) as server:
        found = answered(model_at(server, concurrency=1, **terms), *texts)
    assert [one.text for one in found] == [None if text == "long" else "4" for text in texts]
    assert ("response_format" in server.requests[-1].body) == bool(terms)


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (fails(401, "Incorrect key"), ["refuses the key", "Incorrect key", "OPENAI_API_KEY is set and was sent"]),
        (fails(403, "no access"), ["refuses the key", "no access", "OPENAI_API_KEY is set and was sent"]),
        (sends(b"", 407, Proxy_Authenticate="Basic"), ["proxy wants a user", "HTTP_PROXY"]),
        (fails(402, "Insufficient balance"), ["paid", "Insufficient balance"]),
        (fails(429, "You exceeded", "insufficient_quota"), ["paid", "You exceeded"]),
        (fails(429, "Spent", "credit_balance_exhausted"), ["paid", "Spent"]),
        (fails(404, "not found"), ["no chat completions", "'m'", "HTTP 404: not found", "/v1"]),
        (fails(405), ["no chat completions", "HTTP 405"]),
        (sends(b"", 301, Location="https://u:pw@else.where/v1?k=1"), ["HTTP 301: moved to else.where/v1)"]),
        (sends(b'{"detail": "Not Found"}', 404), ["HTTP 404: Not Found"]),
        (sends(b'{"error": "model gone"}', 404), ["HTTP 404: model gone"]),
        (sends(b"<html>nginx</html>", 404), ["HTTP 404: HTML"]),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_what_no_retry_mends_ends_the_work_at_once(behaviour, words):
    with Server(always(behaviour)) as server, pytest.raises(GraderError) as caught:
        answered(model_at(server), "a")
    assert [word for word in [server.address, *words] if word not in str(caught.value)] == []
    assert server.times["a"] == 1


def test_a_missing_key_is_named(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with (
        Server(always(fails(401))) as server,
        pytest.raises(GraderError, match=r"wants a key.*OPENAI_API_KEY is not set"),
    ):
        answered(model_at(server), "a")
    assert "Authorization" not in server.requests[0].headers


def test_a_refusal_names_the_proxy_that_the_request_went_by(monkeypatch):
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with Server(always(sends(b"<title>Blocked</title>", 403, Via="1.1 gate"))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.address.removesuffix("/v1").replace("//", "//me:secret@"))
        with pytest.raises(GraderError) as caught:
            answered(Remote("m", "http://models.example.org/v1", ServerTerms(retries=0)), "a")
    said = str(caught.value)
    assert "HTML (Blocked)" in said
    assert f"by the proxy {proxy.address.removesuffix('/v1')}, which may be what refuses it" in said
    assert "NO_PROXY=models.example.org" in said
    assert "secret" not in said


@pytest.mark.parametrize("named", ["127.0.0.1", "localhost, 127.0.0.0/8"])
def test_a_server_whose_address_or_network_is_in_no_proxy_is_asked_itself(monkeypatch, named, server):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("NO_PROXY", named)
    assert answered(model_at(server), "a") == [ModelAnswer("4")]


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("http_proxy", "socks5://me:secret@127.0.0.1:9", "the proxy socks5://127.0.0.1:9, which can't be used"),
        ("http_proxy", "ftp://me:secret@127.0.0.1:9", "the proxy ftp://127.0.0.1:9, which can't be used"),
        ("REQUESTS_CA_BUNDLE", "/no/such/file", "/no/such/file, which REQUESTS_CA_BUNDLE names, has no certificates"),
        ("SSL_CERT_FILE", "/no/such/file", "/no/such/file, which SSL_CERT_FILE names, has no certificates"),
    ],
)
def test_a_proxy_or_certificates_of_the_environment_that_can_not_be_used_are_named(monkeypatch, variable, value, words):
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=words) as caught:
        answered(Remote("m", "http://models.example.org/v1"), "a")
    assert "secret" not in str(caught.value)


def test_without_the_client_the_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(GraderError, match=r"needs OpenAI's client.*pip install -e '.+\[servers\]'"):
        Remote("m", "http://127.0.0.1:9/v1")


def of_openai(handler):
    """As gpt-5-mini and o3-mini refuse."""
    body = handler.server.requests[-1].body
    for name in ("max_tokens", "temperature"):
        if name in body:
            use = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            message = f"Unsupported parameter: '{name}'.{use}"
            error = {"message": message, "param": name, "code": "unsupported_parameter"}
            handler.send(400, json.dumps({"error": error}).encode())
            return
    handler.send(200, completion("4"))


def test_effort_and_more_fields_are_sent_and_name_the_cache(server):
    terms = {"effort": "low", "extra": {"top_p": 0.5, "chat_template_kwargs": {"enable_thinking": False}}}
    model = model_at(server, **terms)
    answered(model, "a")
    assert server.requests[0].body | {"reasoning_effort": "low", "top_p": 0.5} == server.requests[0].body
    assert server.requests[0].body["chat_template_kwargs"] == {"enable_thinking": False}
    assert {name: model.about[name] for name in terms} == terms
    models = [Remote("m", server.address, ServerTerms(**options)) for options in (terms, {}, {"effort": "low"})]
    assert len({cache_name(model.about) for model in models}) == 3


@pytest.mark.parametrize("budget", [0.0, 2000.0, 2250.0, 100_000.0])
def test_a_budget_is_never_exceeded_whatever_is_under_way(budget):
    texts = ["word " * 40 + str(number) for number in range(40)]
    with Server(always(sends(completion("4", usage={"prompt_tokens": 50, "completion_tokens": 3})))) as server:
        model = model_at(server, concurrency=8, max_output_tokens=64, prices=Prices(1e6, 2e6), budget=budget)
        model.meter.before = 1000.0 if budget else 0.0
        found = answered(model, *texts)
    asked = [answer for answer in found if answer.text]
    assert all(answer.reason == BUDGET for answer in found if not answer.text)
    assert all(answer.usage == (50, 3) for answer in asked)
    # 56 each, after 1,000 by earlier jobs; the next may cost 253: 50 * 1.5 tokens, 50 around, 64 answered
    counts = model.meter.prompt, model.meter.answer, model.meter.spent
    assert counts == (50 * len(asked), 3 * len(asked), 56 * len(asked))
    assert model.meter.before + model.meter.spent <= budget
    assert len(asked) == {0.0: 0, 2000.0: 14, 2250.0: 18, 100_000.0: 40}[budget]
    assert len(server.requests) == len(asked)


SCHEMA = {"type": "object"}


def test_a_schema_is_asked_for_and_left_out_where_the_server_refuses_it():
    def plan(_text, _time):
        refusal = fails(400, "response_format is not supported")
        return refusal if "response_format" in server.requests[-1].body else says("4")

    with Server(plan) as server:
        assert answered(model_at(server, concurrency=1, schema=SCHEMA), "a", "b") == [ModelAnswer("4")] * 2
    asked = [
        request.body.get("response_format", {}).get("json_schema", {}).get("schema") for request in server.requests
    ]
    assert asked == [SCHEMA, None, None]


def test_an_answer_that_stopped_at_the_limit_counts_and_no_answer_is_a_failure_that_is_not_tried_again():
    with Server(lambda text, _time: says(text if text != "empty" else None, "length")) as server:
        found = answered(model_at(server), "4", "empty")
    unsaid = ModelAnswer(None, failure="no answer, stopped at max_output_tokens=512", reason="length")
    assert found == [ModelAnswer("4", stopped=True), unsaid]
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("text", "room", "kept"),
    [
        # 1.3 tokens a word, one for each letter of a script without blanks
        (" one  two\nthree ", 4, " one  two\nthree "),
        (" one  two\nthree ", 3.8, " one  two"),
        (" one  two\nthree ", 1.3, " one"),
        (" one  two\nthree ", 1.2, ""),
        ("日本語、です", 5.4, "日本語、で"),
        ("日本 ok です", 5.3, "日本 ok です"),
    ],
)
def test_a_passage_is_cut_after_so_many_tokens_and_keeps_its_blanks(text, room, kept):
    assert first_tokens(text, room) == (kept, kept != text)


def test_only_the_passage_is_cut_and_the_answer_says_so(server):
    asked = [Prompt("a b c ", "one two three", " d e f"), Prompt("a b c ", "one", " d e f"), Prompt("a " * 9, "one")]
    model = model_at(server, max_tokens=11, concurrency=1)
    *found, full = sorted(filter(None, model.answers(asked)))
    assert found == [(0, ModelAnswer("4", cut=True)), (1, ModelAnswer("4"))]
    assert (full[1].text, full[1].reason) == (None, "context")
    assert [request.text for request in server.requests] == ["a b c one two d e f", "a b c one d e f"]
    # 8 and 7 words, 1.3 tokens each, rounded up: 10.4 and 9.1
    assert model.lengths(asked[:2]) == [11, 10]


TOO_LONG = {
    "OpenAI": "This model's maximum context length is 100 tokens. However, you requested {n} tokens ({n} in the "
    "messages, 0 in the completion). Please reduce the length of the messages or completion.",
    "vLLM": "This model's maximum context length is 100 tokens. However, your request has {n} input tokens.",
    "TGI": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 100. Given: {n} `inputs` tokens",
    "Mistral": "Prompt contains {n} tokens and 0 draft tokens, too large for model with 100 maximum context length",
    "Anthropic": "prompt is too long: {n} tokens > 100 maximum",
    "Gemini": "The input token count ({n}) exceeds the maximum number of tokens allowed (100).",
    "TGI's inputs": "Input validation error: `inputs` must have less than 100 tokens. Given: {n}",
    "SGLang": "The input ({n} tokens) is longer than the model's context length (100 tokens).",
    "LM Studio": "Trying to keep the first {n} tokens when context the overflows. However, the model is loaded with "
    "context length of only 100 tokens, which is not enough.",
    "vLLM's engine": "The decoder prompt (length {n}) is longer than the maximum model length of 100.",
    "llama.cpp": "request ({n} tokens) exceeds the available context size (100 tokens), try increasing it",
    "Ollama": '{{"error":{{"code":400,"message":"request ({n} tokens) exceeds the available context size (100 tokens)",'
    '"type":"exceed_context_size_error","n_prompt_tokens":{n},"n_ctx":100}}}}',
    "llama.cpp, earlier": "the request exceeds the available context size. try increasing the context size or enable "
    "context shift",
    "without numbers": "Please reduce the length of the messages.",
}

STATUS = {"llama.cpp, earlier": 500, "TGI's inputs": 422, "TGI": 422}

"""The status where it is not 400."""


@pytest.mark.parametrize("server", TOO_LONG)
def test_a_prompt_that_is_too_long_is_cut_as_far_as_the_server_says_and_asked_again(server):
    words, status = TOO_LONG[server], STATUS.get(server, 400)

    def plan(text, _time):
        count = len(text.split())
        return fails(status, words.format(n=count)) if count > 100 else says("4")

    asked = [Prompt("a b ", "word " * length, " c d") for length in (90, 150, 1000)] + [Prompt("a " * 120, "word", "")]
    with Server(plan) as server:
        found = dict(filter(None, model_at(server, concurrency=2).answers(asked)))
    assert [found[place].cut for place in range(4)] == [False, True, True, False]
    assert [found[place].text for place in range(4)] == ["4", "4", "4", None]
    assert found[3].reason == "context"
    sent = [request.text for request in server.requests if request.text.startswith("a b ")]
    assert all(text.endswith(" c d") for text in sent)
    if "{n}" in words:  # one refusal each, and then most of what fits
        assert len(sent) == 5
        assert sorted(len(text.split()) for text in sent)[:3] > [80, 80, 94]


def ours():
    return [thread for thread in threading.enumerate() if "_work" in thread.name]


def gone(seconds):
    end = time.monotonic() + seconds
    while ours() and time.monotonic() < end:
        time.sleep(0.01)
    return not ours()


def test_closing_starts_no_new_request_and_waits_for_none():
    released = threading.Event()

    def plan(text, _time):
        if text != "0":
            released.wait(60)
        return says("4")

    with Server(plan) as server:
        arriving = coming(model_at(server, concurrency=3), *map(str, range(100)))
        next(arriving)
        while len(server.requests) < 4:  # the one that was answered, and one that hangs in each thread
            time.sleep(0.005)
        start = time.monotonic()
        arriving.close()
        assert time.monotonic() - start < 30  # half of what the others hang
        released.set()
        assert gone(30)
        assert len(server.requests) == 4


def test_closing_ends_threads_that_have_nothing_to_do(server):
    arriving = coming(model_at(server, concurrency=3), "a", "b", "c")
    next(arriving)
    while len(server.requests) < 3 or server.active:
        time.sleep(0.005)
    arriving.close()
    assert gone(30)


@pytest.mark.parametrize("behaviour", [fails(429, Retry_After="600"), fails(500)])
def test_closing_wakes_those_who_pause(behaviour, monkeypatch):
    monkeypatch.setattr("exam_core.wings.servers.remote.random.uniform", lambda _low, _high: 600.0)
    with Server(lambda text, _time: says("4") if text == "0" else behaviour) as server:
        arriving = coming(Remote("m", server.address, ServerTerms(concurrency=1)), *map(str, range(100)))
        next(arriving)
        while server.times["1"] < 1:
            time.sleep(0.005)
        arriving.close()
        assert gone(30)


def test_an_error_stops_the_other_threads():
    with Server(lambda text, _time: fails(401) if text == "5" else says("4")) as server:
        with pytest.raises(GraderError):
            answered(model_at(server, concurrency=4), *map(str, range(1000)))
        assert gone(30)
    assert len(server.requests) < 1000


def test_a_reader_who_has_stopped_reading_pays_for_few_more(server):
    arriving = coming(model_at(server, concurrency=2), *map(str, range(100)))
    next(arriving)
    while len(server.requests) < 5:  # two for each thread, and one for the answer that was read
        time.sleep(0.005)
    time.sleep(0.1)
    assert len(server.requests) == 5
    arriving.close()


def test_user_password_and_query_of_the_address_are_sent(server):
    model = model_at(server.address.replace("//", "//me:p%40ss@") + "?api-version=7")
    answered(model, "a")
    assert server.requests[0].path == "/v1/chat/completions?api-version=7"
    assert server.requests[0].headers["Authorization"] == "Basic bWU6cEBzcw=="  # me:p@ss


def test_nothing_that_the_environment_has_for_openai_alone_is_sent(monkeypatch, server):
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gate: secret\nAuthorization: secret")
    answered(model_at(server), "a")
    names = "authorization host accept accept-encoding connection user-agent content-type content-length"
    assert {name.lower() for name in server.requests[0].headers} == set(names.split())
    assert "secret" not in str(server.requests[0].headers)


def tell(handler):
    """A server that says everything it was sent."""
    said = handler.headers["Authorization"]
    status = {"400": 400, "401": 401, "404": 404, "429": 429}.get(handler.server.requests[-1].text, 500)
    handler.send(status, json.dumps({"error": {"message": f"I got {said}", "code": said}}).encode())


@pytest.mark.parametrize("text", ["400", "401", "404", "429", "500"])
def test_the_key_is_in_no_error_log_or_object(text, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    found = ""
    with Server(always(tell), [KEY]) as server:
        model = model_at(server, retries=1)
        try:
            answered(model, text)
        except GraderError as error:
            trace = traceback.TracebackException.from_exception(error, capture_locals=True)
            found += "".join(trace.format()) + repr(error) + str(vars(error))
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "I got Bearer ***" in found or text == "404"
    found += f"{model!r} {vars(model)} {vars(model.server)} {json.dumps(model.about)} {cache_name(model.about)}"
    found += caplog.text + "".join(capfd.readouterr())
    assert "chat/completions" in caplog.text  # the log was listened to
    assert KEY not in found


@pytest.mark.parametrize("key", ["two words", "sk-\nX-Evil: 1", "schlüssel", "sk-\x00"])
def test_a_key_that_cannot_be_sent_is_refused_unseen(key, monkeypatch):
    if "\x00" in key:
        monkeypatch.setattr(connection, "_key", lambda: key)  # no environment can hold it
    else:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        Remote("m", "http://localhost/v1")
    assert key not in str(caught.value)


NO_ADDRESSES = (
    "localhost:8000/v1 ftp://host/v1 http:// http://[::1/v1 http://host:99999/v1 me:pw@h?k http://.h/v1".split()
)


@pytest.mark.parametrize("address", ["", *NO_ADDRESSES])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(UsageError, match="http://localhost:8000/v1") as caught:
        Remote("m", address)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [*((name, 0) for name in "concurrency max_output_tokens timeout max_tokens".split()), ("timeout", float("nan"))],
)
def test_an_option_out_of_range_is_named(option, value):
    with pytest.raises(UsageError, match=f"{option} is {value}"):
        ServerTerms(**{option: value})


def test_an_unknown_model_is_told_which_there_are_and_a_listed_one_without_chat_is_not_called_unknown():
    models = [f"model-{number}" for number in range(12)]
    with Server(always(fails(404)), models) as server, pytest.raises(GraderError) as caught:
        answered(model_at(server), "a")
    assert "has no model 'm'. It has: model-0, model-1," in str(caught.value)
    assert str(caught.value).endswith("model-9 and 2 more.")
    with Server(always(fails(404)), ["m"]) as server, pytest.raises(GraderError, match="no chat completions of 'm'"):
        answered(model_at(server), "a")


def test_a_model_that_takes_no_temperature_is_asked_without_unless_somebody_asked_for_one():
    with Server(always(of_openai)) as server:
        model = model_at(server, concurrency=1)
        assert answered(model, "a", "b") == [ModelAnswer("4")] * 2
    limits = [request.body.get("max_completion_tokens") for request in server.requests]
    assert limits == [None, 512, 512, 512]
    assert model.notes == ["m takes no temperature: it was asked with its own."]
    with Server(always(of_openai)) as server, pytest.raises(GraderError, match="Unsupported parameter: 'temperature'"):
        answered(model_at(server, temperature=0.7, temperature_given=True), "a")
    quoting = fails(400, "blocked: the temperature rises")
    with Server(lambda text, _time: quoting if text == "hot" else says("4")) as server:
        model = model_at(server, concurrency=1)
        answered(model, "a", "hot")
    assert (len(server.requests), model.notes) == (2, [])


def test_an_option_out_of_bounds_or_an_answer_that_leaves_no_room_is_no_reason_to_cut_for_ever():
    words = "Input validation error: `max_new_tokens` must be <= 192. Given: 512"
    with Server(always(fails(422, words))) as server, pytest.raises(GraderError, match="refuses even a trivial prompt"):
        answered(model_at(server), "a")
    words = "This model's maximum context length is 512 tokens and your request has 88 input tokens (512 > 512 - 88)."
    with Server(lambda text, _time: says("4") if text == TRIVIAL else fails(400, words)) as server:
        found = dict(filter(None, model_at(server).answers([Prompt("a ", "word " * 60)])))
    assert (found[0].text, found[0].reason, server.times[TRIVIAL]) == (None, "context", 1)


def test_about_holds_what_the_answers_depend_on_and_nothing_else():
    model = Remote("m", "https://me:pw@host:8000/v1/?api-version=7", ServerTerms(max_output_tokens=9))
    assert model.about == {
        "engine": "openai",
        "model": "m",
        "base_url": "https://host:8000/v1",
        "temperature": 0.0,
        "max_output_tokens": 9,
        "max_context_words": None,
    }
    terms = ServerTerms(concurrency=2, timeout=3, retries=1)
    assert cache_name(Remote("m", "http://h/v1/", terms).about) == cache_name(Remote("m", "http://h/v1").about)


def test_neither_a_netrc_file_nor_blanks_change_the_key_nor_a_stand_in_for_one_an_answer(monkeypatch, tmp_path, server):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password pw\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    answered(model_at(server), "a")
    assert server.requests[-1].headers["Authorization"] == f"Bearer {KEY}"
    monkeypatch.setenv("OPENAI_API_KEY", " another \n")
    answered(model_at(server), "a")
    assert server.requests[-1].headers["Authorization"] == "Bearer another"
    monkeypatch.setenv("OPENAI_API_KEY", "4")
    assert answered(model_at(server), "a") == [ModelAnswer("4")]


def test_the_key_is_in_no_answer_and_in_no_failure_of_a_prompt():
    with Server(lambda text, _time: says(f"your key is {KEY}") if text == "good" else tell) as server:
        found = answered(model_at(server, concurrency=1), "good", "400")
    assert found == [
        ModelAnswer("your key is ***"),
        ModelAnswer(None, failure="HTTP 400: I got Bearer ***", reason="error"),
    ]
