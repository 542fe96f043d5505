"""A grading job: what it asks, what it keeps, and that nothing is asked twice, whatever stops it."""

import math
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest
from thoroughly import thoroughly

from exam_core.actions import grading_jobs, planning
from exam_core.actions.grading_jobs import run
from exam_core.actions.planning import Plan, plan, plan_job
from exam_core.cli.grade_commands import plan_lines
from exam_core.errors import GraderError, ModelMissing, UsageError
from exam_core.formats import Reading
from exam_core.formats.workbench import text_hash
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer, Prompt, Workers, cache_key
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import JobProgress, progress_sentence
from exam_core.jobs.task import Task
from exam_core.store import Store
from exam_core.store.summary import summary
from exam_core.tables import GRADES as GRADED
from exam_core.tables import PASSAGES, QUERIES, QUESTIONS, RANKINGS
from tests.conftest import Once

from .fake_model import FakeModel, said

ORDER = Order("c", "self-rating", GradingOptions("fake"))
QUERY_IDS = ("q1", "q2", "q3")
DOCS, ASKED = 30, 4
PAIRS = len(QUERY_IDS) * DOCS
GRADES = PAIRS * ASKED


def frames(*, run: str = "bm25", docs: int = DOCS, first: int = 0, keyed: bool = True) -> dict[str, pd.DataFrame]:
    """Three queries with four questions each, and a run of so many passages, beginning with number `first`."""
    ids = [f"d{number}" for number in range(first, first + docs)]
    texts = [f"passage number d{number} " * (1 + number % 4) for number in range(first, first + docs)]
    ranked = [(query, doc, place) for query in QUERY_IDS for place, doc in enumerate(ids, 1)]
    questions = [(query, f"{query}/{letter}") for query in QUERY_IDS for letter in "abcd"]
    return {
        "passages": PASSAGES.frame(
            {"doc_id": ids, "passage_text": texts, "text_hash": [text_hash(text) for text in texts]}
        ),
        "queries": QUERIES.frame({"query_id": list(QUERY_IDS), "query_text": [f"query {q}" for q in QUERY_IDS]}),
        "questions": QUESTIONS.frame(
            {
                "bank_id": ["bank"] * len(questions),
                "version": [1] * len(questions),
                "question_id": [question for _, question in questions],
                "query_id": [query for query, _ in questions],
                "question_text": [f"what of {question}?" for _, question in questions],
                "gold_answers": [["5"] if keyed else None for _ in questions],
                "weight": [1.0] * len(questions),
                "enabled": [True] * len(questions),
            }
        ),
        "rankings": RANKINGS.frame(
            {
                "run_id": [run] * len(ranked),
                "query_id": [query for query, _, _ in ranked],
                "doc_id": [doc for _, doc, _ in ranked],
                "rank": [place for _, _, place in ranked],
                "source_rank": [place for _, _, place in ranked],
                "score": [-float(place) for _, _, place in ranked],
                "cut": [False] * len(ranked),
            }
        ),
    }


def fill(folder: Path) -> None:
    Store(folder / "store").commit("c", Reading(frames()), source="a")


@pytest.fixture
def store(copied: Once) -> Store:
    """A store with a collection that nobody graded."""
    return Store(copied("not graded", fill) / "store")


def graded(store: Store, collection: str = "c") -> pd.DataFrame:
    return store.snapshot(collection).frame("grades").sort_values(["question_id", "query_id", "doc_id"])


def test_every_missing_grade_is_made_once_and_the_second_time_none(store: Store) -> None:
    model = FakeModel()
    done = run(Task(store, ORDER, model=model))
    assert (done.state, done.total, done.done, done.failed) == ("done", GRADES, GRADES, 0)
    assert summary(store.snapshot("c"))["grades"] == GRADES == len(model.asked)
    again = Task(store, ORDER, model=model)
    assert (run(again).total, again.work.graded, len(model.asked)) == (0, GRADES, GRADES)


def test_each_grade_is_that_of_its_own_passage_and_question(store: Store) -> None:
    task = Task(store, ORDER, model=FakeModel())
    run(task)
    texts = frames()["passages"].set_index("doc_id")["passage_text"]
    for row in graded(store).itertuples():
        answer = said(Prompt(_head(task, str(row.question_id)), texts[row.doc_id]))
        assert row.answer == answer
        assert pd.isna(row.grade) if answer == "no idea" else row.grade == int(answer)


def _head(task: Task, question_id: str) -> str:
    asked = replace(task.asked(slice(0, 1))[0], question_text=f"what of {question_id}?")
    return task.mode.prompt(asked).head


def test_a_new_run_costs_its_new_passages_only(store: Store) -> None:
    run(Task(store, ORDER, model=FakeModel()))
    store.commit("c", Reading(frames(run="dense", docs=10, first=DOCS - 4)), source="b")
    model = FakeModel()
    done = run(Task(store, ORDER, model=model))
    assert done.done == len(model.asked) == 6 * len(QUERY_IDS) * ASKED


def test_what_was_graded_in_one_collection_is_not_asked_in_another(store: Store) -> None:
    run(Task(store, ORDER, model=FakeModel()))
    store.commit("other", Reading(frames()), source="a")
    model = FakeModel()
    done = run(Task(store, replace(ORDER, collection="other"), model=model))
    assert (done.done, done.asked, model.asked) == (GRADES, 0, [])
    assert graded(store, "other")["grade"].tolist() == graded(store)["grade"].tolist()


def test_another_model_is_asked_anew(store: Store) -> None:
    run(Task(store, ORDER, model=FakeModel()))
    model = FakeModel(revision="2")
    run(Task(store, replace(ORDER, name="second"), model=model))
    assert len(model.asked) == GRADES


def test_another_reading_of_the_answers_asks_nothing(store: Store) -> None:
    run(Task(store, ORDER, model=FakeModel()))
    model = FakeModel()
    run(Task(store, replace(ORDER, unreadable="authors"), model=model))
    assert model.asked == []
    by_grader = graded(store).groupby("grader_id")["grade"].agg(lambda grades: int(grades.isna().sum()))
    assert by_grader["fake.self-rating"] > 0
    assert by_grader["fake.self-rating.unreadable-authors"] == 0


def test_equal_passages_are_asked_once(store: Store) -> None:
    same = frames(docs=5)
    same["passages"]["passage_text"] = "the same words"
    store.commit("same", Reading(same), source="a")
    model = FakeModel()
    done = run(Task(store, replace(ORDER, collection="same"), model=model))
    assert done.done == 5 * len(QUERY_IDS) * ASKED
    assert len(model.asked) == len(QUERY_IDS) * ASKED


def test_passages_that_a_run_ranks_high_are_graded_first(store: Store) -> None:
    told: list[tuple[int, int, int]] = []
    run(Task(store, ORDER, model=FakeModel()), tell=lambda p: told.append((p.first_done, p.first_total, p.done)))
    first_total = len(QUERY_IDS) * 20 * ASKED
    assert told[-1] == (first_total, first_total, GRADES)
    assert all(done == first or first == first_total for first, _, done in told)


def test_unreadable_and_cut_answers_are_counted(store: Store) -> None:
    done = run(Task(store, ORDER, model=FakeModel()))
    answers = graded(store)["answer"]
    assert done.unreadable == (answers == "no idea").sum() > 0
    long = frames()["passages"]["passage_text"].str.len() > 60
    assert done.cut == long.sum() * len(QUERY_IDS) * ASKED > 0


def test_what_a_model_does_not_answer_has_no_grade_and_is_asked_again(store: Store) -> None:
    done = run(Task(store, ORDER, model=FakeModel(failing=lambda prompt: "d7 " in prompt.context)))
    assert done.failed == len(QUERY_IDS) * ASKED
    assert done.done == GRADES - done.failed
    model = FakeModel()
    assert run(Task(store, ORDER, model=model)).done == len(model.asked) == done.failed


class Dies(FakeModel):
    """A model that breaks after so many answers."""

    def __init__(self, after: int, error: type[BaseException]) -> None:
        super().__init__()
        self._after, self._error = after, error

    def answers(self, prompts):  # type: ignore[no-untyped-def]
        for one in super().answers(prompts):
            if len(self.asked) > self._after:
                raise self._error("broken")
            yield one


@pytest.mark.parametrize("error", [KeyboardInterrupt, *thoroughly(GraderError, MemoryError)])
def test_interrupted_at_twenty_random_moments_it_ends_as_if_run_once(
    store: Store, tmp_path: Path, error: type[BaseException]
) -> None:
    chance, asked = random.Random(7), 0
    for _ in range(20):
        model = Dies(chance.randrange(0, 60), error)
        with suppress(error):
            run(Task(store, ORDER, model=model))
        asked += len(model.asked)
    last = FakeModel()
    run(Task(store, ORDER, model=last))
    whole = Store(tmp_path / "whole")
    whole.commit("c", Reading(frames()), source="a")
    run(Task(whole, ORDER, model=FakeModel()))
    pd.testing.assert_frame_equal(graded(store).reset_index(drop=True), graded(whole).reset_index(drop=True))
    # Each interruption loses the one answer that broke.
    assert asked + len(last.asked) <= GRADES + 20


def test_asked_to_stop_it_stops_and_goes_on_later(store: Store) -> None:
    model = FakeModel()
    done = run(Task(store, ORDER, model=model), stopped=lambda: len(model.asked) >= 100)
    assert done.state == "stopped"
    assert len(model.asked) == 100
    again = FakeModel()
    assert run(Task(store, ORDER, model=again)).state == "done"
    assert len(again.asked) == GRADES - 100


def test_where_the_model_is_missing_the_lexical_grader_is_named_that_grades_without_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exam_core.jobs.task.answerer", Mock(side_effect=ModelMissing("It is not here.")))
    with pytest.raises(GraderError, match=r"It is not here\.\nThe lexical grader needs no model: --grader lexical"):
        run(Task(store, ORDER))


def test_the_grader_is_described_with_its_model_and_options(store: Store) -> None:
    run(Task(store, replace(ORDER, unreadable="paper"), model=FakeModel()))
    about = store.snapshot("c").graders["fake.self-rating.unreadable-paper"]
    assert (about["llm"], about["mode"], about["scale"]) == ("fake", "self-rating", 5)
    assert about["llm_options"] == {"revision": "1", "unreadable": "paper"}


def test_verified_answers_are_right_or_wrong(store: Store) -> None:
    run(Task(store, replace(ORDER, mode="qa"), model=FakeModel()))
    found = graded(store)
    assert ((found["answer"] == "5") == found["correct"]).all()
    assert (found["grade"] == found["correct"].astype(int)).all()


class LikelyModel(FakeModel):
    """Says how likely each grade is: the one that it answers as much as all others together."""

    says_likelihoods = True

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        for place, answer in super().answers(prompts):
            others = {text: math.log(0.1) for text in "012345" if text != answer.text}
            yield place, replace(answer, likelihoods={str(answer.text): math.log(0.5), **others, "well": math.log(0.2)})


def test_likelihoods_of_all_grades_make_the_expected_one(store: Store) -> None:
    run(Task(store, ORDER, model=LikelyModel()))
    found = graded(store)
    read = found[found["grade"].notna()]
    # One answer in two, and five of 15 whose others weigh a tenth each; what is no grade weighs nothing.
    expected = 0.5 * read["grade"].astype(float) + 0.1 * (15 - read["grade"].astype(float))
    assert read["decimal"].to_numpy() == pytest.approx(expected.to_numpy())
    assert found[found["grade"].isna()]["decimal"].isna().all()


def test_answers_that_were_kept_without_likelihoods_are_asked_again(store: Store) -> None:
    run(Task(store, ORDER, model=FakeModel()))
    again = LikelyModel()
    run(Task(store, replace(ORDER, name="again"), model=again))
    assert len(again.asked) == GRADES
    once_more = LikelyModel()
    run(Task(store, replace(ORDER, name="once-more"), model=once_more))
    assert once_more.asked == []


class Verifier(FakeModel):
    """Answers "5" to exam questions, and "yes" where it is asked to verify."""

    def answers(self, prompts):  # type: ignore[no-untyped-def]
        for place, answer in super().answers(prompts):
            verifies = "equally correct" in prompts[place].head + prompts[place].context + prompts[place].tail
            yield place, replace(answer, text="yes" if verifies else "five")


def test_a_model_verifies_answers_and_its_replies_are_cached_too(store: Store) -> None:
    order, model = replace(ORDER, mode="qa-llm"), Verifier()
    done = run(Task(store, order, model=model))
    assert done.done == GRADES
    assert graded(store)["grade"].unique().tolist() == [1]
    assert graded(store)["answer"].unique().tolist() == ["five"]
    store.commit("other", Reading(frames()), source="a")
    again = Verifier()
    run(Task(store, replace(order, collection="other"), model=again))
    assert again.asked == []


def test_direct_labels_have_no_question(store: Store) -> None:
    run(Task(store, replace(ORDER, mode="thomas"), model=FakeModel()))
    found = graded(store)
    assert len(found) == PAIRS
    assert found["question_id"].isna().all()
    assert set(found["grade"].dropna()) <= {0, 1, 2}


def planned(store: Store, order: Order = ORDER, price: float | None = None) -> Plan:
    return plan(Task(store, order, model=FakeModel()), price_per_hour=price)


def test_a_plan_counts_what_is_there_cached_repeated_and_new(store: Store) -> None:
    run(Task(store, replace(ORDER, limit=40), model=FakeModel()))
    found = planned(store, price=2.0)
    # What the plan itself asked is in the cache by then.
    assert (found.graded, found.missing, found.cached, found.repeated) == (40, GRADES - 40, 256, 0)
    assert found.new == GRADES - 40 - 256
    assert found.tokens > 0
    assert found.seconds == pytest.approx(found.new / found.prompts_per_second)
    assert found.cost == pytest.approx(found.seconds / 1800)


class Waking(FakeModel):
    """Takes a while for what it is asked first."""

    rounds: Sequence[int] = ()

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        if not self.rounds:
            time.sleep(0.5)
        self.rounds = [*self.rounds, len(prompts)]
        yield from super().answers(prompts)


@pytest.mark.parametrize(("short", "rounds"), [(60.0, 2), (0.1, 1)])
def test_a_plan_asks_more_where_the_first_were_too_quick_to_know_the_speed(
    store: Store, monkeypatch: pytest.MonkeyPatch, short: float, rounds: int
) -> None:
    monkeypatch.setattr(planning, "MEASURED", (8, 32, GRADES))
    monkeypatch.setattr(planning, "MEASURED_SECONDS", (short, 10.0))
    model = Waking()
    found = plan(Task(store, ORDER, model=model))
    assert len(model.rounds) == rounds
    assert len(model.asked) == len(set(model.asked))
    assert (found.prompts_per_second > 30) == (rounds > 1)  # the first round has 16 a second


def test_a_job_and_a_plan_on_a_cluster_say_how_many_workers_work(store: Store) -> None:
    model = FakeModel()
    model.workers = Workers(2, 3)  # type: ignore[attr-defined]
    planned = "\n".join(plan_lines(plan(Task(store, ORDER, model=model))))
    assert [words for words in ("prompts/s with 2 workers: ", "in the cache") if words not in planned] == []
    told: list[str] = []
    done = run(Task(store, ORDER, model=model), tell=lambda so_far: told.append(progress_sentence(so_far)))
    assert any(" · 2 of 3 workers" in said for said in told)
    assert (done.workers, done.workers_wanted) == (2, 3)
    assert "workers" not in progress_sentence(done)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (replace(ORDER, mode="sing"), "No grading mode sing"),
        (replace(ORDER, bank="other"), "no bank other. There are: bank"),
        (replace(ORDER, bank="bank@7"), "Bank bank has versions 1 to 1, not 7"),
        (replace(ORDER, bank="bank@old"), "no bank bank@old. There are: bank"),
        (replace(ORDER, collection="nowhere"), "no collection nowhere"),
        (replace(ORDER, verification="words"), "no answers to verify"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_can_not_be_graded_is_refused(store: Store, order: Order, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Task(store, order, model=FakeModel())


@pytest.mark.parametrize(
    ("known", "order", "said"),
    [
        ({"prompt_info": {"prompt_class": "Sun"}}, ORDER, "prompt is Sun, not QuestionSelf"),
        ({"llm": "google/flan-t5-large"}, ORDER, "model is flan-t5-large, not fake"),
        ({"kind": "labels"}, ORDER, "labels come from a file alone"),
        ({}, replace(ORDER, name="lexical.pourpre-idf"), "means a grader that asks no model"),
        ({}, replace(ORDER, name="median(a,b)"), "made of others"),
    ],
)
def test_a_grader_that_is_there_or_means_something_keeps_its_name(
    store: Store, known: dict[str, object], order: Order, said: str
) -> None:
    order = order if order.name else replace(order, name="mine")
    imported = Reading({"grades": GRADED.frame({"grader_id": ["mine"], "query_id": ["q1"], "doc_id": ["d0"]})})
    imported.graders = {"mine": known}
    store.commit("c", imported, source="b")
    with pytest.raises(UsageError, match=said):
        Task(store, order, model=FakeModel())


def test_grades_by_the_older_stemmer_of_words_authors_are_not_mixed_with_new_ones(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = replace(ORDER, mode="qa", verification="words-authors")
    task = Task(store, order, model=FakeModel())
    older = task.described()
    assert older["llm_options"].pop("stemmer") == "nltk"
    store.describe_grader("c", task.grader, older)
    with pytest.raises(UsageError, match=r"differs in llm_options(.|\n)*--grader NAME"):
        run(task)
    monkeypatch.setattr("exam_core.jobs.task.answerer", Mock(return_value=(model := FakeModel())))
    with pytest.raises(UsageError, match="differs in llm_options"):
        plan_job(store, JobRequest(order))
    assert model.asked == []


def test_the_missing_grades_of_an_imported_grader_are_added(store: Store) -> None:
    run(Task(store, replace(ORDER, name="theirs", limit=30), model=FakeModel()))
    imported = graded(store)
    other = Store(store.path.with_name("other"))
    about = {"prompt_info": {"prompt_class": "QuestionSelfRatedUnanswerablePromptWithChoices"}, "scale": 5}
    other.commit("c", Reading(frames()), source="a")
    other.commit("c", Reading({"grades": imported}, {"theirs": about}), source="b")
    model = FakeModel()
    done = run(Task(other, replace(ORDER, name="theirs"), model=model))
    assert done.done == len(model.asked) == GRADES - 30
    assert len(graded(other)) == GRADES


def test_a_passage_without_text_is_left_out_and_counted(store: Store) -> None:
    some = frames(docs=3)
    some["passages"] = some["passages"].iloc[:2]
    store.commit("some", Reading(some), source="a")
    found = planned(store, replace(ORDER, collection="some"))
    assert (found.without_text, found.missing) == (len(QUERY_IDS), 2 * len(QUERY_IDS) * ASKED)


@pytest.mark.parametrize(
    ("lacks", "said"),
    [
        ("texts", r"no text is known of 90 passages, the first is d0\.\n.*: examboard import passages FILE --coll"),
        ("pairs", r"no run, judgment or graded file names a passage\.\n.*: examboard import run FILE --coll"),
        ("questions", r"grade with bank@1: none of its questions is switched on"),
        ("queries", r"bank@1: its questions are of queries such as 1, and some has passages under queries such as q1"),
    ],
)
def test_where_nothing_can_be_graded_job_and_plan_say_what_is_missing(store: Store, lacks: str, said: str) -> None:
    some = frames()
    if lacks == "texts":
        some["passages"]["passage_text"] = None
    elif lacks == "pairs":
        del some["rankings"]
    elif lacks == "questions":
        some["questions"]["enabled"] = False
    else:
        some["questions"]["query_id"] = some["questions"]["query_id"].str.removeprefix("q")
    store.commit("some", Reading(some), source="a")
    with pytest.raises(UsageError, match=said):
        Task(store, replace(ORDER, collection="some"), model=FakeModel())


def test_progress_tells_a_rate_and_the_time_left(store: Store) -> None:
    told: list[JobProgress] = []
    run(Task(store, ORDER, model=FakeModel()), tell=lambda so_far: told.append(replace_state(so_far)))
    assert told[0].state == "running"
    assert told[-1].state == "done"
    assert told[-1].left == 0
    assert told[-1].rate > 0


def replace_state(progress: JobProgress) -> JobProgress:
    """A copy: the job goes on to change its own."""
    return JobProgress(**{name: getattr(progress, name) for name in JobProgress.__struct_fields__})


def test_answers_wait_for_a_tenth_of_the_time_that_a_job_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now, kept = 0.0, dict[int, int]()
    monkeypatch.setattr(grading_jobs, "time", Mock(monotonic=lambda: now))

    class Slow(FakeModel):
        """A prompt in a fiftieth of a second of its own clock, and what is on disk before each answer."""

        def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
            nonlocal now
            for place, prompt in enumerate(prompts):
                kept[len(self.asked)] = len(cache.find([cache_key(one) for one in self.asked]))
                self.asked.append(prompt)
                now += 0.02
                yield place, ModelAnswer("4")

    task = Task(store, ORDER, model=Slow())
    cache = task.cache
    assert run(task).done == GRADES
    assert kept[51] >= 36  # after a second, all but the last quarter of it
    assert len(set(kept.values())) < 40  # files; the job takes seven seconds


def test_a_job_that_waits_for_the_first_worker_of_a_cluster_says_so_and_can_be_stopped(store):
    class Waiting(Task):
        answerer = property(lambda self: [self.waits() for _ in range(2)])

    told, stops = [], iter([False, True])
    with pytest.raises(KeyboardInterrupt):
        run(Waiting(store, ORDER), tell=told.append, stopped=lambda: next(stops))
    assert [progress_sentence(so_far) for so_far in told] == [
        f"0 of {GRADES} · waits for the first worker of the Ray cluster"
    ]
