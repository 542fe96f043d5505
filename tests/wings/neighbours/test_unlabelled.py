"""Measures that look at no grades, and the texts that they compare."""

import json

import pytest

import exam_core as eb
from exam_core.actions.importing import import_bank
from exam_core.actions.importing_boards import import_leaderboard
from exam_core.actions.importing_runs import import_run
from exam_core.analysis.choosing import choose, leave_out
from exam_core.analysis.comparison import correlations_of, of_modes
from exam_core.analysis.leaderboard import leaderboard, standing
from exam_core.analysis.outliers import method_choices, outliers
from exam_core.analysis.unlabelled import measures_of
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import MEASURES, Measure
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.wings.neighbours.importing import import_ranks, import_responses
from exam_core.wings.neighbours.sides import Nugget
from exam_core.wings.neighbours.texts import about_sides
from exam_core.wording import texts_come

NUGGETS = {"q1": {"red apple pie": "vital", "green tea": "okay"}, "q2": {"blue whale song": "vital"}}
WRITTEN = {
    "whole": {"q1": "A red apple pie.", "q2": "The song of a blue whale."},
    "half": {"q1": "An apple with green tea.", "q2": "A whale."},
    "none": {"q2": "Nothing of that."},
}
"""Recall of q1: 1, 1/3 and nothing returned; of q2: 1, 1/3 and 0. All answers are within their allowance."""
F = {"whole": [1.0, 1.0], "half": [10 * (1 / 3) / (9 + 1 / 3)] * 2, "none": [0.0, 0.0]}
"""F with beta 3 of precision 1 and these recalls: 10 R / (9 + R)."""
RANKS = [
    ("tall", "p", "q1", 1, 0, 4),
    ("tall", "p", "q1", 2, 2, 4),
    ("tall", "p", "q2", 1, 1, 5),
    ("tiny", "p", "q1", 1, 3, 4),
]
NRP = {"tall p": [(1 + 0.5) / 2, 0.8], "tiny p": [0.25, 0.0]}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A collection of three runs, a bank of nuggets, ranks of answers and an official order."""
    folder = tmp_path_factory.mktemp("unlabelled")
    store = Store(folder / "store")
    bank = folder / "nuggets.jsonl"
    lines = [
        {"qid": query, "query": query, "nuggets": [{"text": text, "importance": kind} for text, kind in found.items()]}
        for query, found in NUGGETS.items()
    ]
    bank.write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_bank(store, "world", bank, bank="nuggets")
    written = folder / "written.jsonl"
    lines = [
        {"run_id": run, "query_id": query, "text": text}
        for run, found in WRITTEN.items()
        for query, text in found.items()
    ]
    written.write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_responses(store, "world", written)
    ranks = folder / "ranks.csv"
    head = "model,prompt,qid,answer_number,rank_zero_based,documents_including_answer\n"
    ranks.write_text(head + "".join(",".join(map(str, row)) + "\n" for row in RANKS))
    import_ranks(store, "world", ranks, ranker="bm25")
    official = folder / "official.csv"
    official.write_text("system,rank\nhalf,1\nwhole,2\nnone,3\n")
    import_leaderboard(store, "world", official, name="official")
    tied = folder / "tied.csv"
    tied.write_text("system,rank\nhalf,2\nwhole,2\nnone,2\n")
    import_leaderboard(store, "world", tied, name="tied")
    yield store.snapshot("world")
    del store


def means(board):
    return dict(zip(board.rows["run_id"], board.rows["mean"], strict=True))


def test_pourpre_is_a_board_without_grader_and_tau_where_a_query_without_an_answer_counts_0_or_not_at_all(world):
    board = leaderboard(world, choose(world, Request(measure="POURPRE")))
    assert means(board) == pytest.approx({run: sum(values) / 2 for run, values in F.items()})
    assert (board.grader, board.tau, board.ungraded, board.overall, board.tau_applies) == (*[None] * 4, False)
    assert board.title == "nuggets POURPRE (first 20)"
    zero = leaderboard(world, choose(world, Request(measure="POURPRE"))).rows.set_index("run_id")
    skip = leaderboard(world, choose(world, Request(measure="POURPRE", missing="skip"))).rows.set_index("run_id")
    assert (zero.loc["none", "unanswered"], zero.loc["none", "n_queries"], skip.loc["none", "n_queries"]) == (1, 2, 1)


def test_micro_pourpre_has_a_board_without_errors_and_no_values_by_query(world):
    choice = choose(world, Request(measure="POURPRE(average=micro)"))
    board = leaderboard(world, choice)
    half = 1 / 3
    assert means(board) == pytest.approx({"whole": 1.0, "half": 10 * half / (9 + half), "none": 0.0})
    assert board.rows["stderr"].isna().all()
    with pytest.raises(UndefinedMeasure, match="not a mean over queries"):
        correlations_of(world, [choice])


def test_nrp_is_a_board_of_systems_and_prompts(world):
    board = leaderboard(world, choose(world, Request(measure="NRP")))
    assert means(board) == pytest.approx({run: sum(values) / 2 for run, values in NRP.items()})
    assert board.title == "NRP"


@pytest.mark.parametrize(
    ("run", "measure", "left"), [("half", "ROUGE1", {"whole", "none"}), ("tall p", "NRP", {"tiny p"})]
)
def test_a_run_that_is_left_out_is_left_out_of_texts_and_of_ranks(world, run, measure, left):
    without = leave_out(world, [run])
    assert set(means(leaderboard(without, choose(without, Request(measure=measure))))) == left


def test_several_rankers_are_chosen_from_in_the_measure(tmp_path):
    path = tmp_path / "ranks.csv"
    path.write_text("model,prompt,qid,answer_number,rank_zero_based,documents_including_answer\nm,p,q1,1,0,4\n")
    store = Store(tmp_path / "store")
    for ranker in ("x", "y"):
        import_ranks(store, "c", path, ranker=ranker)
    snapshot = store.snapshot("c")
    with pytest.raises(UsageError, match=r"choose with NRP\(ranker=x\)\."):
        leaderboard(snapshot, choose(snapshot, Request(measure="NRP")))


def test_ranks_and_displacements_go_on_without_grades(world):
    choices, _ = method_choices(world, Request(), ["POURPRE", "ROUGE1"])
    found = outliers(world, choices, draws=20)
    assert found.methods["of"].tolist() == ["texts", "texts"]
    assert set(found.combined["over"]) == {"texts"}
    rows = standing(world, choices[0])
    assert (rows["run_id"].tolist(), rows["holes"].isna().all()) == (["whole", "half", "none"], True)


def test_a_comparison_has_one_series_whatever_modes_are_chosen(world):
    found = of_modes(world, ["one", "another"], Request(measure="POURPRE"))
    assert (list(found.boards), found.agreements.empty) == (["POURPRE"], True)


def test_the_grid_has_a_row_for_what_looks_at_no_grades(world):
    rows = eb.open(world.folder.parent)["world"].grid(measures="POURPRE,NRP").rows
    assert rows["grader"].tolist() == ["texts of the runs"] * 2 + ["stored scores"] * 2
    assert rows["tau"].isna().all()
    assert rows["undefined"].tolist()[:2] == ["", "of another method"]
    assert rows["n"].iloc[0] == 3
    assert rows["spearman"].iloc[0] == pytest.approx(0.5)


def test_what_needs_grades_says_so(world):
    with pytest.raises(UsageError, match="no tau to choose"):
        eb.open(world.folder.parent)["world"].cutoffs(measure="POURPRE")
    with pytest.raises(UsageError, match="uses no judgments"):
        choose(world, Request(measure="POURPRE", judgments="official"))


def test_measures_are_offered_where_there_is_what_they_look_at(world, random_world):
    texts = {name for name, info in MEASURES.items() if info.of == "texts"}
    assert set(measures_of(world)) == texts | {"NRP"}
    assert set(measures_of(random_world)) == {name for name, info in MEASURES.items() if not info.of_nuggets} - {"NRP"}


def test_where_all_runs_tie_in_the_reference_nothing_is_displaced(world):
    choice = choose(world, Request(measure="POURPRE", reference="tied"))
    found = outliers(world, [choice], draws=50)
    assert found.rows["rank_displacement"].isna().all()
    assert not found.rows["flagged"].fillna(False).any()
    assert any("all runs tie in tied" in note for note in found.notes)
    assert standing(world, choice)["displacement"].isna().all()


BANK = [
    {
        "query_id": "q1",
        "items": [
            {"question_id": "q1/a", "question_text": "Rain falls."},
            {"question_id": "q1/b", "question_text": "Wind blows.", "importance": "okay", "weight": 0.5},
            {"question_id": "q1/c", "question_text": "Snow melts.", "importance": "failed"},
            {"question_id": "q1/off", "question_text": "Off.", "enabled": False},
            {"question_id": "q1/avoid", "question_text": "Frogs fall.", "importance": "avoid"},
            {"question_id": "q1/only-id"},
        ],
    },
    {"query_id": "q0", "items": [{"question_id": "q0/a", "question_text": "Ice floats."}]},
    {"query_id": "q2", "items": [{"question_id": "q2/off", "question_text": "Off.", "enabled": False}]},
]
# `b` ranks d3 before d2 by score, the other way round in its file; nobody knows the text of d9.
RUN = "q1 Q0 d2 1 1.0 b\nq1 Q0 d3 2 3.0 b\nq1 Q0 d9 3 2.0 b\nq2 Q0 d2 1 1.0 b\nq0 Q0 d9 1 1.0 b\n"
GENQ = BankRef("genq", 1)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sides")
    store = Store(folder / "store")
    files = {
        "bank": "\n".join(map(json.dumps, BANK)),
        "a": json.dumps({"run_id": "a", "query_id": "q1", "text": "It rains."}),
        "texts": "\n".join(json.dumps({"run_id": "texts", "query_id": name, "text": name}) for name in ("d2", "d3")),
        "b": RUN.replace("d2", "texts/d2").replace("d3", "texts/d3"),
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    import_bank(store, "c", folder / "bank", bank="genq")
    import_responses(store, "c", folder / "a")
    import_responses(store, "c", folder / "texts")
    import_run(store, "c", folder / "b")
    return store.snapshot("c")


def test_an_option_that_is_given_twice_is_refused():
    with pytest.raises(UsageError, match="beta is given twice"):
        Measure.parse("POURPRE(beta=3,beta=5)")


def test_nuggets_are_the_questions_that_are_on_and_what_has_no_text_is_counted(snapshot):
    found = about_sides(snapshot, GENQ).sides
    assert found.query_ids == ["q0", "q1"]
    assert found.nuggets == [
        [Nugget("q0/a", "Ice floats.")],
        [
            Nugget("q1/a", "Rain falls."),
            Nugget("q1/b", "Wind blows.", vital=False, weight=0.5),
            Nugget("q1/c", "Snow melts.", vital=False),
        ],
    ]
    about = about_sides(snapshot, GENQ)
    # b returned d9 for q0, whose text nobody knows, and three passages for q1.
    assert about.returned.tolist() == [[False, True], [True, True], [False, False]]
    assert about.notes == (
        f"2 of 5 ranked passages have no text: they count as empty answers. {texts_come('c')}",
        "1 question of bank genq@1 without text: left out.",
    )


def test_strings_are_the_first_passages_by_score_or_rank_and_documents_the_texts_of_the_collection(snapshot):
    found = about_sides(snapshot, GENQ).sides
    assert found.run_ids == ["a", "b", "texts"]
    assert found.strings == {(0, 1): ["It rains."], (1, 1): ["d3", "d2"]}
    assert about_sides(snapshot, GENQ, 1).sides.strings[1, 1] == ["d3"]
    assert about_sides(snapshot, GENQ, None, "rank").sides.strings[1, 1] == ["d2", "d3"]
    assert about_sides(snapshot, GENQ, 1, "rank").sides.strings[1, 1] == ["d2"]
    assert sorted(about_sides(snapshot, GENQ).sides.documents()) == ["It rains.", "d2", "d3"]
    assert about_sides(snapshot, GENQ).sides is about_sides(snapshot, GENQ).sides


def test_a_page_whose_rankings_are_by_facet_lends_its_questions_to_each_facet(tmp_path):
    store = Store(tmp_path / "store")
    items = [
        {"question_id": "p/a", "question_text": "A"},
        {"question_id": "p/b", "question_text": "B", "facet_id": "g"},
    ]
    (tmp_path / "bank").write_text(json.dumps({"query_id": "p", "items": items}), "utf-8")
    (tmp_path / "run").write_text("p/f Q0 d1 1 1.0 r\np/g Q0 d1 1 1.0 r\n")
    import_bank(store, "c", tmp_path / "bank", bank="genq")
    import_run(store, "c", tmp_path / "run")
    found = about_sides(store.snapshot("c"), GENQ).sides
    assert found.query_ids == ["p/f", "p/g"]
    assert [[nugget.nugget_id for nugget in nuggets] for nuggets in found.nuggets] == [["p/a"], ["p/a", "p/b"]]
