"""Probes for gullibility: what is drawn, what is asked, what is kept, and that nothing is asked twice."""

from dataclasses import replace

import msgspec
import pandas as pd
import pytest

from exam_core.actions.job_control import create_job
from exam_core.errors import GraderError, UsageError
from exam_core.formats import Reading
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer
from exam_core.installation import JOB
from exam_core.jobs import records, watching
from exam_core.jobs.ordering import Order
from exam_core.store import Store
from exam_core.tables import JUDGMENTS
from exam_core.wings.trust.actions import plan_probe, run_probe
from exam_core.wings.trust.gullibility import INSTRUCTION, VARIANTS, changes, content_words, gullibility
from exam_core.wings.trust.probe import ProbeTask
from exam_core.wings.trust.probe_request import ProbeRequest
from exam_core.wings.trust.probes import Probe, Setting, keep_probe, probes_of
from tests.actions.fake_model import FakeModel
from tests.actions.test_grading_jobs import DOCS, QUERY_IDS, frames
from tests.store.store_samples import change_record

REQUEST = ProbeRequest(Order("c", "self-rating", GradingOptions("fake")), sample=12)
ASKED = 4
"""Questions of each query."""


@pytest.fixture
def store(tmp_path):
    """The collection of the grading tests, in which every second passage of each query is judged not relevant."""
    found = Store(tmp_path / "store")
    judged = [(query, f"d{number}", 3 * (number % 2)) for query in QUERY_IDS for number in range(DOCS)]
    rows = pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"])
    judgments = JUDGMENTS.frame({"qrels_id": ["official"] * len(rows)} | {name: rows[name].tolist() for name in rows})
    found.commit("c", Reading(frames() | {"judgments": judgments}), source="c")
    return found


class Gullible(FakeModel):
    """Believes praise, and nothing else."""

    def answers(self, prompts):
        for place, prompt in enumerate(prompts):
            self.asked.append(prompt)
            yield place, ModelAnswer("5" if INSTRUCTION in prompt.context else "1")


def probed(store, model, request=REQUEST):
    return run_probe(create_job(store, request), ProbeTask(store, request, model=model))


def pairs(probe):
    return set(zip(probe.query_id, probe.doc_id, strict=True))


def test_a_grader_that_believes_praise_alone_is_found(store):
    probed(store, Gullible())
    rows = gullibility(store, "c").rows.set_index("perturbation")
    assert rows["rises"].to_dict() == {"question": 0, "words": 0, "instruction": 1, "doubled": 0}
    assert rows["label_rises"].to_dict() == rows["net"].to_dict() == rows["rises"].to_dict()
    assert rows["queries"].tolist() == [3] * 4
    assert rows["rises_interval"].isna().all()  # Three queries tell nothing of others.


def test_a_sample_is_of_non_relevant_passages_evenly_over_queries_and_grows(store):
    _, small = probed(store, FakeModel())
    _, large = probed(store, FakeModel(), replace(REQUEST, sample=20))
    _, other = probed(store, FakeModel(), replace(REQUEST, seed=1))
    assert small is not None
    assert large is not None
    assert other is not None
    assert (small.population, len(small.query_id)) == (3 * 15, 12 * ASKED)
    assert all(int(doc[1:]) % 2 == 0 for _, doc in pairs(large))
    assert pd.Series([query for query, _ in pairs(small)]).value_counts().tolist() == [4, 4, 4]
    assert pairs(small) < pairs(large)
    assert pairs(small) != pairs(other)
    assert len(probes_of(store, "c")) == 3


def test_what_is_asked_is_the_passage_and_what_was_done_to_it_or_its_query_where_it_is_graded_as_a_whole(store):
    task = ProbeTask(store, REQUEST, model=FakeModel())
    plain, question, words, praise, doubled = (task.asked(slice(n, n + 1))[0] for n in range(0, len(task), task.items))
    text, asked = plain.passage_text, plain.question_text
    assert question.passage_text == f"{asked} {text}"
    assert words.passage_text == f"{content_words(asked)} {text}"
    assert (praise.passage_text, doubled.passage_text) == (f"{INSTRUCTION} {text}", f"{text} {text}")
    assert content_words("What is the role of iron in blood, and of Iron?") == "iron blood"
    task = ProbeTask(store, replace(REQUEST, order=Order("c", "sun", GradingOptions("fake"))), model=FakeModel())
    assert task.items == 12
    assert task.asked(slice(12, 13))[0].passage_text.startswith("query q")


def test_a_probe_that_is_stopped_is_not_kept_and_goes_on_where_it_was(store):
    first, second = FakeModel(), FakeModel()
    task = ProbeTask(store, REQUEST, model=first)
    done, found = run_probe(create_job(store, REQUEST), task, stopped=lambda: len(first.asked) > 40)
    assert (done.state, found, probes_of(store, "c")) == ("stopped", None, [])
    _, whole = probed(store, second)
    assert len(task) == 12 * ASKED * len(VARIANTS)
    assert set(first.asked) | set(second.asked) == set(task.prompts(slice(0, len(task))))
    assert len(first.asked) + len(second.asked) == len(task)
    again = FakeModel()
    assert probed(store, again)[1] == whole
    assert (again.asked, probes_of(store, "c")) == ([], [whole])


def test_a_probe_is_no_part_of_the_collection(store):
    before = store.snapshot("c").fingerprint
    probed(store, FakeModel())
    assert store.snapshot("c").fingerprint == before
    assert store.snapshot("c").graders == {}
    assert store.collections() == ["c"]


def test_prompts_without_an_answer_keep_the_others_and_no_probe(store):
    with pytest.raises(GraderError, match=r"gave no answer to \d+ of 240 prompts"):
        probed(store, FakeModel(failing=lambda prompt: INSTRUCTION in prompt.context))
    assert probes_of(store, "c") == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"judgments": "mine"}, "c has no judgments mine. There are: official."),
        ({"relevant_from": 0}, "has a relevance below 0 in official"),
        ({"order": Order("c", "self-rating", GradingOptions("fake"), bank="no")}, "There is no bank no"),
    ],
)
def test_what_can_not_be_drawn_is_said(store, change, message):
    with pytest.raises(UsageError, match=message):
        ProbeTask(store, replace(REQUEST, **change), model=FakeModel())


def test_a_record_of_a_probe_says_its_command(store):
    job = create_job(store, replace(REQUEST, seed=3, plan=True))
    assert job.request == replace(REQUEST, seed=3, plan=True)
    said = "examboard gullible c --grader self-rating --model fake --sample 12 --seed 3 --plan"
    assert records.as_row(job)["command"] == said
    assert watching.table([create_job(store, REQUEST)])["what"].tolist() == ["probe"]


def test_a_plan_that_the_dashboard_started_says_in_its_record_why_it_failed(store, monkeypatch):
    job = create_job(store, replace(REQUEST, plan=True))
    monkeypatch.setenv(JOB, job.id)
    with pytest.raises(UsageError, match="There is nothing to ask about"):
        plan_probe(store, replace(REQUEST, plan=True, relevant_from=-5))
    assert (job.progress().state, "nothing to ask about" in job.progress().message) == ("failed", True)


def test_a_damaged_probe_is_named_with_what_heals_it(store):
    probed(store, FakeModel())
    whole = change_record(store.path, "probe", b"")
    change_record(store.path, "probe", whole[:-20])
    store = Store(store.path)
    assert probes_of(store, "c") == []
    assert "the model's answers are in the cache" in gullibility(store, "c").notes[0]
    _, whole = probed(store, FakeModel())
    assert probes_of(store, "c") == [whole]


def test_changes_are_those_of_a_slow_twin(store):
    setting = Setting(None, "g", {}, "official", 2, 9, 0)
    of = [("q1", "a"), ("q1", "a"), ("q1", "b"), ("q1", "b"), ("q2", "a"), ("q2", "a"), ("q3", "c")]
    probe = Probe(
        setting,
        9,
        {"original": "", "doubled": ""},
        tuple(query for query, _ in of),
        tuple(doc for _, doc in of),
        tuple("xyxyxyx"),
        {"original": (1, 4, 0, 2, 3, None, 2), "doubled": (3, 4, 1, 1, 2, 5, None)},
        {"original": 0, "doubled": 0},
    )
    # q1: 2 of 4 rise, 1 falls; label of a 4 -> 4, of b 2 -> 1. q2: one grade is readable twice, and falls. q3: none.
    rises, falls, labels, n = changes(probe, "doubled")
    assert (rises.tolist(), falls.tolist(), labels.tolist(), n) == ([0.5, 0.0], [0.25, 1.0], [0.0, 0.0], 5)
    keep_probe(store, "c", probe)
    (row,) = gullibility(store, "c").rows.to_dict("records")
    assert (row["rises"], row["falls"], row["net"], row["unreadable"]) == (0.25, 0.625, -0.375, 2)
    assert msgspec.json.decode(msgspec.json.encode(probe), type=Probe) == probe
