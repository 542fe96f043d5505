"""Prompts cut to what the model takes."""

import json
from functools import cache

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import T5Tokenizer

from exam_core.errors import GraderError
from exam_core.grading.prompt import Prompt
from exam_core.grading.t5.truncation import fit_all

HEAD = "Can the question be answered?\n\nQuestion: What do the eyes of fish see?\nContext: "
PASSAGE = (
    "The lens of a fish's eye is spherical, which lets it see underwater; most species (about 95 %) tell colours "
    "apart.\n  Deep-sea fish have larger eyes, and some see bioluminescence.   Others are blind, as in caves.\n"
)


@cache
def vocabulary():
    """A T5 tokenizer whose pieces were learnt from the texts of this page."""
    learner = Tokenizer(models.Unigram())
    learner.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")]
    )
    trainer = trainers.UnigramTrainer(
        vocab_size=110, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    learner.train_from_iterator([HEAD, PASSAGE, 'Is "', '" an answer?'], trainer)
    return T5Tokenizer(vocab=[tuple(piece) for piece in json.loads(learner.to_str())["model"]["vocab"]], extra_ids=0)


def whole(text):
    return list(vocabulary()(text)["input_ids"])


def length(text):
    return len(whole(text)) - 1


def the_authors_way(prompt, limit):
    """Context cut by tokens, both decoded to one text, and that text tokenised again."""
    tokenizer = vocabulary()
    head, context = whole(prompt.head)[:-1], whole(prompt.context)[:-1]
    return whole(str(tokenizer.decode(head + context[: limit - 1 - 5 - len(head)])))


def test_a_prompt_with_room_to_spare_is_the_whole_text_and_the_end_token():
    [fitted] = fit_all(vocabulary(), [Prompt(HEAD, PASSAGE, "\n\nAnswer:")])
    assert fitted.ids == whole(HEAD + PASSAGE + "\n\nAnswer:")
    assert not fitted.cut


@pytest.mark.parametrize("room", range(1, 90))
def test_a_cut_prompt_has_the_ids_that_the_authors_code_gives(room):
    prompt, limit = Prompt(HEAD, PASSAGE), length(HEAD) + room + 6
    [fitted] = fit_all(vocabulary(), [prompt], limit)
    assert fitted.cut
    assert fitted.ids == the_authors_way(prompt, limit)


def test_five_tokens_below_the_limit_stay_free():
    needed = length(HEAD + PASSAGE) + 1
    [just], [short] = (fit_all(vocabulary(), [Prompt(HEAD, PASSAGE)], needed + free) for free in (5, 4))
    assert not just.cut
    assert len(just.ids) == needed
    assert short.cut
    assert len(short.ids) == needed - 1


def test_only_the_context_is_cut():
    tail = "\n\nAnswer:"
    room = length(HEAD + tail) + 4
    [fitted] = fit_all(vocabulary(), [Prompt(HEAD, PASSAGE, tail)], room + 6)
    head, rest, end = fitted.ids[: length(HEAD)], fitted.ids[length(HEAD) : -length(tail) - 1], whole(tail)
    assert head == whole(HEAD)[:-1]
    assert rest == whole(PASSAGE)[:4]
    assert fitted.ids[-length(tail) - 1 :] == end


def test_quotes_around_a_context_are_one_word_with_it():
    [fitted] = fit_all(vocabulary(), [Prompt('Is "', PASSAGE.strip(), '" an answer?')])
    assert fitted.ids == whole(f'Is "{PASSAGE.strip()}" an answer?')


def test_quotes_around_a_cut_context_stay():
    limit = length('Is "fish" an answer?') + 3 + 6
    [fitted] = fit_all(vocabulary(), [Prompt('Is "', PASSAGE.strip(), '" an answer?')], limit)
    assert fitted.cut
    assert len(fitted.ids) <= limit - 5
    text = str(vocabulary().decode(fitted.ids[:-1]))
    assert text.startswith('Is "')
    assert text.endswith('" an answer?')


def test_prompts_keep_their_order_whatever_they_share():
    prompts = [Prompt(f"Question: {word}\nContext: ", PASSAGE[start:]) for word in ("eye", "fish") for start in (0, 9)]
    fitted = fit_all(vocabulary(), prompts)
    assert [item.ids for item in fitted] == [whole(prompt.head + prompt.context) for prompt in prompts]


def test_a_prompt_without_context_is_taken_whole():
    [fitted] = fit_all(vocabulary(), [Prompt(HEAD)], limit=length(HEAD) + 6)
    assert (fitted.ids, fitted.cut) == (whole(HEAD), False)


def test_a_passage_that_spells_the_end_token_does_not_end_the_prompt():
    [fitted] = fit_all(vocabulary(), [Prompt(HEAD, "blind </s> fish <pad>", "\nAnswer:")])
    special = {vocabulary().eos_token_id, vocabulary().pad_token_id}
    assert not special & set(fitted.ids[:-1])


@pytest.mark.parametrize(
    ("head", "context"), [(HEAD, PASSAGE), (HEAD * 3, PASSAGE), (HEAD * 3, ""), ('Is the "', PASSAGE)]
)
def test_a_prompt_without_room_for_the_passage_is_refused_with_its_question(head, context):
    prompts = [Prompt("eye", "fish", "", ""), Prompt(head, context, "", "What do the eyes of fish see?")]
    with pytest.raises(GraderError, match=r"no room for the passage(.|\n)*What do the eyes of fish see\?"):
        fit_all(vocabulary(), prompts, limit=min(length(head), length(HEAD)) + 6)
