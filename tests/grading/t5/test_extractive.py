"""Reading answers out of passages: spans, windows and no answer, beside a slow obvious twin."""

import random
from itertools import pairwise

import pytest
import torch
from grading import tiny
from grading.plain import marked

from exam_core.errors import GraderError
from exam_core.grading.answerers import local
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer, Prompt
from exam_core.grading.t5.extractive import AnswerSpan, Extractive, Window, _answer, best_span
from exam_core.grading.t5.models import Loaded

DOUBT = 120.0
"""So much for no answer makes it win for some of the random reader's questions."""


def reader(*, cls=True, seed=1, precision="fp32", doubt=0.0):
    """A random span reader, whose tokenizer has a <cls> as the papers' model has; `doubt` is added to no answer."""
    tokenizer = tiny.tokenizer()
    if cls:
        tokenizer.add_special_tokens({"cls_token": "<cls>"})
    model = tiny.extractive_t5(seed, vocab_size=len(tokenizer))
    # Untrained logits are nearly equal; apart, they make the choice of span a real one.
    model.qa_outputs.weight.data *= 30

    def add_doubt(_, __, said):
        said.start_logits[:, 0] += doubt

    model.register_forward_hook(add_doubt)
    return Loaded(model, tokenizer, "cpu", "tiny-squad2", "r1", precision)


def questions(count, seed=3, longest=60):
    """Questions with passages of 0 to `longest` words, some shared."""
    draw = random.Random(seed)
    passages = [" ".join(draw.choices(tiny.WORDS, k=draw.randint(0, longest))) for _ in range(count // 2 + 1)]
    asked = [f"what is {draw.choice(tiny.WORDS)}?" for _ in range(count)]
    return [Prompt("", draw.choice(passages), "", question) for question in asked]


def texts(extractive, prompts):
    answers = dict(extractive.answers(prompts))
    return [answers[place].text for place in range(len(prompts))]


@pytest.mark.parametrize("cls", [True, False], ids=["with <cls>", "without <cls>"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_answers_are_those_of_the_slow_twin(cls, seed):
    loaded = reader(cls=cls, seed=seed, doubt=DOUBT)
    prompts = questions(60, seed)
    answers = texts(Extractive(loaded, batch_tokens=300), prompts)
    assert answers == [marked(loaded, prompt) for prompt in prompts]
    assert "" in answers
    assert len(set(answers)) > 3


def test_answers_from_windows_are_those_of_the_slow_twin(monkeypatch):
    monkeypatch.setattr("exam_core.grading.t5.extractive.OVERLAP", 10)
    loaded = reader(doubt=DOUBT)
    prompts = questions(20, longest=150)
    extractive = Extractive(loaded, max_tokens=48, batch_tokens=200)
    assert max(extractive.lengths(prompts)) > 3 * 48
    assert texts(extractive, prompts) == [marked(loaded, prompt, max_tokens=48, overlap=10) for prompt in prompts]


@pytest.mark.parametrize("budget", [1, 64, 10_000])
def test_the_size_of_a_batch_changes_no_answer(budget):
    prompts = questions(30)
    usual, other = (Extractive(reader(), batch_tokens=tokens) for tokens in (500, budget))
    assert texts(other, prompts) == texts(usual, prompts)


def test_an_answer_is_a_part_of_the_original_passage():
    passage = "The  river,\nwhich Flows — slowly — carries SAND; and (salt) to the ocean."
    prompts = [Prompt("", passage, "", f"what is {word}?") for word in tiny.WORDS]
    extractive = Extractive(reader())
    assert all(answer.text in passage for _, answer in extractive.answers(prompts))
    places = extractive.windows(prompts)[0].offsets
    assert (places[0][0], places[-1][1]) == (0, len(passage))


def test_windows_cover_the_passage_and_overlap():
    prompt = Prompt("", " ".join(tiny.WORDS * 20), "", "what is river?")
    windows = Extractive(reader()).windows([prompt])
    assert windows[0].offsets[0][0] == 0
    assert windows[-1].offsets[-1][1] == len(prompt.context)
    assert all(len(window.ids) <= 512 for window in windows)
    for one, following in pairwise(windows):
        assert one.offsets[-128:] == following.offsets[:128]


def test_the_question_begins_with_the_token_of_no_answer():
    loaded = reader()
    window = Extractive(loaded).windows([Prompt("", "river sand", "", "what is river?")])[0]
    assert loaded.tokenizer.decode(window.ids) == "<cls> what is river?</s> river sand</s>"
    assert window.ids == loaded.tokenizer("<cls>what is river?", "river sand").input_ids


def test_an_empty_passage_has_no_answer_and_no_prompts_have_none():
    assert dict(Extractive(reader()).answers([Prompt("", "", "", "what is river?")])) == {0: ModelAnswer("")}
    assert dict(Extractive(reader()).answers([])) == {}
    places = [place for place, _ in Extractive(reader(), max_tokens=40, batch_tokens=100).answers(questions(50))]
    assert sorted(places) == list(range(50))


def scores(start, end, first=2):
    """The best span of a passage of one-letter words, which stands behind `first` other tokens."""
    count = len(start) - first
    offsets = [(2 * place, 2 * place + 1) for place in range(count)]
    return best_span(Window(0, [0] * len(start), first, offsets), torch.tensor(start), torch.tensor(end))


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        # begin and end in the text: word w stands at 2w to 2w + 1
        ([0, 0, 1, 5, 2], [0, 0, 1, 2, 4], AnswerSpan(2, 5, 9, 0)),
        ([0, 0, 1, 2, 9], [0, 0, 8, 1, 1], AnswerSpan(4, 5, 10, 0)),  # 9 + 8 would end before it begins
        ([9, 9, 1, 0, 0], [9, 9, 0, 0, 1], AnswerSpan(0, 5, 2, 18)),  # outside of the passage nothing counts
    ],
    ids=["best sum", "end before start", "only in the passage"],
)
def test_the_best_span_has_the_greatest_sum(start, end, expected):
    assert scores(list(map(float, start)), list(map(float, end))) == expected


def test_a_span_has_at_most_thirty_tokens():
    start, end = [0.0] * 50, [0.0] * 50
    start[2], end[31], end[32] = 10.0, 5.0, 6.0
    assert scores(start, end) == AnswerSpan(0, 59, 15.0, 0.0)


@pytest.mark.parametrize(
    ("spans", "text", "margin"),
    [
        ([AnswerSpan(4, 9, 3.0, 1.0)], "river", 2.0),
        ([AnswerSpan(4, 9, 1.0, 3.0)], "", 2.0),
        ([AnswerSpan(4, 9, 2.0, 2.0)], "river", 0.0),
        ([AnswerSpan(0, 3, 1.0, 9.0), AnswerSpan(4, 9, 3.0, 2.0)], "river", 1.0),
        ([AnswerSpan(4, 9, 3.0, 9.0), AnswerSpan(0, 3, 1.0, 4.0)], "", 1.0),
        ([AnswerSpan(4, 9, 3.0, 0.0), AnswerSpan(0, 3, 3.0, 0.0)], "the", 3.0),
    ],
    ids=["answer", "no answer", "a tie is an answer", "best window", "least doubt", "the first of equals"],
)
def test_no_answer_wins_where_its_score_is_greater(spans, text, margin):
    assert _answer("the river", spans) == ModelAnswer(text, margin=margin)


def test_a_question_without_room_for_the_passage_and_a_prompt_without_one_are_refused():
    long = Prompt("", "river", "", "what is " + "sand " * 60)
    with pytest.raises(GraderError, match="leaves no room for the passage: it has 63 tokens of the 64"):
        dict(Extractive(reader(), max_tokens=64).answers([long]))
    with pytest.raises(GraderError, match="no bare question"):
        dict(Extractive(reader()).answers([Prompt("Answer: what?", "river")]))


def test_what_answers_depend_on_is_told():
    about = Extractive(reader(precision="tf32"), max_tokens=384, batch_tokens=77).about
    expected = {"model": "tiny-squad2", "revision": "r1", "precision": "tf32", "max_tokens": 384}
    assert about | expected == about
    assert about == Extractive(reader(precision="tf32"), max_tokens=384).about


def test_a_batch_that_the_memory_does_not_hold_is_halved():
    loaded = reader()
    prompts = questions(20)
    expected = texts(Extractive(loaded), prompts)
    sizes = limit_rows(loaded.model, 3)
    extractive = Extractive(loaded)
    assert texts(extractive, prompts) == expected
    first_try, tries = sizes[0], len(sizes)
    dict(extractive.answers(prompts))
    assert sizes[tries] < first_try  # what was too large is not tried again


def test_the_size_of_a_batch_can_be_chosen(extractive_folder):
    extractive = local(GradingOptions(str(extractive_folder), device="cpu", batch_tokens=1), "extract")
    assert isinstance(extractive, Extractive)
    sizes = limit_rows(extractive._loaded.model, 1)
    assert len(dict(extractive.answers(questions(5)))) == len(sizes) == 5


def test_a_prompt_that_the_memory_does_not_hold_is_an_error():
    loaded = reader()
    limit_rows(loaded.model, 0)
    with pytest.raises(GraderError, match=r"One prompt of \d+ tokens alone does not fit.*too many rows"):
        dict(Extractive(loaded).answers(questions(4)))


def limit_rows(model, most):
    """Let a model's memory hold so many rows; returns the sizes that were tried."""
    sizes = []

    def refuse(_, __, given):
        sizes.append(len(given["input_ids"]))
        if sizes[-1] > most:
            raise torch.OutOfMemoryError("too many rows")

    model.register_forward_pre_hook(refuse, with_kwargs=True)
    return sizes
