"""The live page from disk in a real browser: its numbers are the command line's, and only its own script runs."""

import pickle
import re
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from urllib.parse import urlencode

import pandas as pd
import pytest
from analysis.worlds import store_of, table
from browser.dashboard import barriers
from playwright.sync_api import expect
from thoroughly import thoroughly

from exam_core.analysis.agreement import agreement
from exam_core.analysis.choosing import evaluation_of
from exam_core.analysis.contents import names_of
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard, run_passages, standing
from exam_core.analysis.outliers import outliers
from exam_core.analysis.passage_evidence import cell_of, search
from exam_core.errors import ExamboardError
from exam_core.hiding import hidden_runs
from exam_core.numbers.means import mean_and_stderr
from exam_core.reports.board_lines import closest_to_reference
from exam_core.reports.methods_paragraph import methods
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.evidence import grades_by, passage_text
from exam_core.store.question_texts import questions_under
from exam_core.tables import GRADES, JUDGMENTS, PASSAGES, QUERIES, QUESTIONS, RANKINGS
from exam_core.texts.marking import mark
from exam_core.wings.live.cube import INTERVALS, axes_of, cube, first_of
from exam_core.wings.live.live_page import live_page
from exam_core.wings.live.passages import passages
from exam_core.wording import rank_interval, rank_text, rank_texts

pytestmark = pytest.mark.browser
MEASURES = ("Cover@20", "nCover@20", "P@20", "nDCG@20", "AP", "RR", "Rprec", "R@20", "P@10", "RBP")
"""Those of the benchmark."""
HOSTILE = "<img src=x onerror=alert(1)>"
VERSIONS = ((1, "n1"), (2, "n1"), (2, "n2"))
"""Versions of a bank, with the questions of each."""
SHOWN = """(addresses) => {
  window.Plotly = undefined;  // charts are not what is read here
  const text = (id) => [...document.getElementById(id).tBodies[0].rows].map((row) =>
    [...row.cells].map((cell) => cell.textContent));
  return addresses.map((address) => {
    history.replaceState(null, "", address);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
    window.dispatchEvent(new Event("beforeprint"));  // fills what is out of sight
    const methods = document.getElementById("methods").textContent;
    return [text("headline"), text("board"), text("outliers"), methods, document.getElementById("bibtex").textContent];
  });
}"""


def made(snapshot, folder, measures=(), banks=(), **fewer):
    """The file of a page and its cube; `fewer` are choices of a field of `Axes` in place of all."""
    axes = replace(axes_of(snapshot, Request(), (), measures, (), banks), **fewer)
    found = cube(snapshot, Request(), axes)
    file, first = folder / "page.html", first_of(snapshot, Request(), axes)
    page = live_page(found, first, {"Data": "d"}, passages(found))
    file.write_text(page, encoding="utf-8")
    return file, found


@pytest.fixture(scope="module")
def saved(demo, once):
    """The file of a page of the demo, with its cube as `choices` takes it."""

    def fill(folder):
        fewer = {"taus": (2, 3, 4), "label_ranks": (1, 2)}  # a third of the leaderboards, which take most of the time
        _, found = made(demo, folder, ("Cover@20", "P@20", "AP"), **fewer)
        (folder / "found").write_bytes(pickle.dumps(SimpleNamespace(axes=found.axes, at=found.at)))

    folder = once("live page", fill)
    return folder / "page.html", pickle.loads((folder / "found").read_bytes())


@contextmanager
def open_page(chromium, address):
    """A page from disk once its data are read; a dialog would be a script that should not run."""
    with chromium.new_context(viewport={"width": 1280, "height": 1000}) as context:
        page = context.new_page()
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        page.goto(address)
        expect(page.locator("body.ready")).to_be_attached()
        yield page


@pytest.fixture
def opened(chromium, saved):
    with open_page(chromium, saved[0].as_uri()) as page:
        yield page


def in_digits(value):
    return "-" if pd.isna(value) else f"{value:.3f}"


def plain(value):
    return "-" if pd.isna(value) else f"{value:g}"


def kappa(demo, choice, cut):
    try:
        return agreement(demo, choice.labelling, tau=choice.tau, relevant_from=cut).kappa
    except ExamboardError:
        return None


def expected(demo, asked):
    """The numbers of the headline and of each run, as the analyses have them one by one."""
    choice, _ = evaluation_of(demo, asked, asked.grader)
    board = leaderboard(demo, choice)
    assert board.correlation is not None
    kappas = [kappa(demo, choice, cut) for cut in (1, 2)]
    coefficients = [getattr(board.correlation, name) for name in INTERVALS]
    head = [in_digits(one) for one in (*coefficients, *kappas)]
    unanswered, table = board.rows.set_index("run_id")["unanswered"], standing(demo, choice)
    ranks, references = (rank_texts(table[name].tolist()) for name in ("rank", "reference_rank"))
    rows = {
        str(row.run_id): [
            *shown,
            rank_interval(row.rank_low, row.rank_high) or "-",
            plain(row.tier),
            *(in_digits(one) for one in (row.mean, row.stderr, row.normalised, row.normalised_stderr)),
            "-" if pd.isna(row.holes) else f"{row.holes:.1%}",
            plain(row.n_queries),
            plain(unanswered[row.run_id]),
            plain(row.displacement) if not row.displacement > 0 else f"+{row.displacement:g}",
        ]
        for row, shown in zip(table.itertuples(), zip(ranks, references, strict=True), strict=True)
    }
    return head, rows


def displaced(demo, asked):
    """The cells of the outliers by run, as the analysis has them alone."""
    choice, _ = evaluation_of(demo, asked, asked.grader)
    rows = outliers(demo, [choice]).rows.set_index("run_id").dropna(subset="rank_displacement")
    return {
        str(run): [
            *(rank_text(row[name], rows[name]) for name in ("rank", "reference_rank")),
            f"{row['rank_displacement']:+g}" if row["rank_displacement"] else "0",
            *("-" if pd.isna(row[name]) else f"{row[name]:+.1f}" for name in ("low", "high")),
            *(in_digits(row[name]) for name in ("p", "p_holm")),
            "-" if pd.isna(row["flagged"]) else "yes" if row["flagged"] else "no",
        ]
        for run, row in rows.iterrows()
    }


def choices(snapshot, found):
    """Every choice of a page: the snapshot and what is asked of it alone, with the address that shows it."""
    axes = found.axes
    for mode, measure, tau, rank in found.at:
        own = axes.modes[mode]
        for reference in axes.references:
            asked = Request(bank=own.bank, grader=own.grader, measure=axes.measures[measure], tau=axes.taus[tau])
            asked = asked.but(label_rank=axes.label_ranks[rank], reference=reference)
            said = {name: getattr(asked, name) for name in ("measure", "tau", "label_rank", "reference")}
            said |= {"mode": f"{own.bank}:{own.grader}" if own.bank else own.grader}
            yield snapshot, asked, f"#{urlencode(said, doseq=True)}"


def assert_shown(page, chosen, least=25):
    """The page shows the numbers of the analyses for these choices."""
    assert len(chosen) > least
    shown = page.evaluate(SHOWN, [address for _, _, address in chosen])
    for (world, asked, _), (headline, board, moved, *said) in zip(chosen, shown, strict=True):
        head, rows = expected(world, asked)
        found = [cell.split(" ")[0] for cell in headline[0][-(len(INTERVALS) + 3) :]]
        assert [*found[: len(INTERVALS)], *found[len(INTERVALS) + 1 :]] == head, asked
        assert {row[0]: row[1:] for row in board} == rows, asked
        assert {row[0]: row[1:] for row in moved} == displaced(world, asked), asked
        cited = methods(figures_of(world), [str(asked.grader)], asked)
        assert said == [cited.words, cited.bibtex], asked


@pytest.mark.parametrize("step", [2, *thoroughly(1)])
def test_every_number_is_that_of_the_analysis_asked_alone(demo, opened, saved, step):
    assert_shown(opened, list(choices(demo, saved[1]))[::step])


def test_versions_of_a_bank_are_modes_whose_numbers_are_those_of_their_questions(chromium, tmp_path):
    questions = [("b", version, name, "q", None, None, "?", None, 1.0, True) for version, name in VERSIONS]
    frames = {
        "questions": table(QUESTIONS, questions),
        "grades": table(GRADES, [("g", f"n{name}", "q", f"d{name}", 3 + name) for name in (1, 2)]),
        "rankings": table(RANKINGS, [(run, "q", doc, 1, 1, 1.0, False) for run, doc in (("r1", "d1"), ("r2", "d2"))]),
        "judgments": table(JUDGMENTS, [("official", "q", "d1", 2)]),
    }
    snapshot = store_of(tmp_path / "store", frames)
    file, found = made(snapshot, tmp_path, measures=("Cover@5",), banks=("b@1", "b"), label_ranks=(1,))
    chosen = list(choices(snapshot, found))
    assert {asked.bank for _, asked, _ in chosen} == {"b@1", "b"}
    with open_page(chromium, file.as_uri()) as page:
        assert_shown(page, chosen, least=15)


@pytest.mark.thorough
def test_two_thousand_random_choices_of_real_data_show_the_numbers_of_the_analyses(chromium, full_dl19_store, tmp_path):
    dl19 = Store(full_dl19_store).snapshot("dl19")
    file, found = made(dl19, tmp_path, measures=MEASURES)
    with open_page(chromium, file.as_uri()) as page:
        assert_shown(page, Random(39).sample(list(choices(dl19, found)), 2000))


FOCUSED = "document.activeElement.id || document.activeElement.textContent || document.activeElement.value"
REACHABLE = """() => [...document.querySelectorAll("button, input, select, summary, [tabindex='0']")]
  .filter((one) => one.checkVisibility({visibilityProperty: true}))"""


def test_everything_is_reached_and_done_by_keyboard_alone(opened, chromium):
    press, focused = opened.keyboard.press, lambda: opened.evaluate(FOCUSED)
    expect(opened.locator(".modebar-btn").first).to_be_attached()
    opened.evaluate("fillRest()")
    opened.evaluate(f"window.reachable = ({REACHABLE})()")
    reached = []
    for _ in range(opened.evaluate("reachable.length")):
        press("Tab")
        reached.append(opened.evaluate("reachable.indexOf(document.activeElement)"))
    assert reached == list(range(len(reached)))
    before = opened.locator("#headline").inner_text()
    opened.locator("#tau").focus()
    press("ArrowLeft")
    expect(opened.locator("#tau-shown")).to_have_text("3")
    assert opened.locator("#headline").inner_text() != before
    opened.locator("#modes input").last.focus()
    press("Space")
    opened.locator("#board thead").get_by_role("button", name="Score", exact=True).focus()
    press("Enter")
    assert focused() == "Score"
    scores = [float(text) for text in opened.locator("#board tbody td:nth-child(6)").all_inner_texts()]
    assert scores == sorted(scores)
    press("Tab")
    opened.locator("#board tbody button").first.focus()
    run = focused()
    press("Enter")
    expect(opened.locator("#run-heading")).to_be_focused()
    expect(opened.locator("#run-heading")).to_be_in_viewport()
    press("Tab")
    press("Enter")
    expect(opened.locator("#run-section")).to_be_hidden()
    assert focused() == run
    opened.locator("#copy-link").focus()
    press("Enter")
    expect(opened.locator("#copied")).to_have_text(re.compile("Copied|Copy the address: file"))
    with open_page(chromium, opened.url) as again:
        expect(again.locator("#headline")).to_have_text(opened.locator("#headline").text_content() or "")


SEEN = """() => [...document.querySelectorAll("#passages li")].map((item) => [item.querySelector("strong").textContent,
  item.querySelector("bdi").textContent, item.querySelector("p").textContent.split(" · ").slice(1),
  item.querySelector(".passage").textContent, [...item.querySelectorAll("mark")].map((one) => one.textContent)])"""


def items(demo, bank, run, query, number):
    """A run's passages for a query with what is marked for a question, as the analyses have them."""
    choice, _ = evaluation_of(demo, Request(bank=bank, tau=3), "lexical.pourpre-idf")
    questions = questions_under(demo, bank, 1, query)
    name, asked, gold = questions.iloc[number]
    for row in run_passages(demo, choice, run, query).itertuples():
        grade = grades_by(demo, "lexical.pourpre-idf", [row.doc_id])[row.doc_id, name]
        judged = "not judged" if pd.isna(row.relevance) else f"judged {row.relevance:g}"
        label = f"label {row.label:g} ({'reaches' if row.label >= 3 else 'below'} tau 3)"
        text = passage_text(demo, row.doc_id) or ""
        marks = [text[start:end] for start, end in mark(text, asked, () if gold is None else gold).places]
        yield [f"{row.rank}", row.doc_id, [label, judged, f"grade on this question: {grade}"], text, marks]


def test_a_run_and_its_query_open_their_values_and_passages_with_the_words_marked_that_the_analyses_mark(opened, demo):
    opened.evaluate("() => Promise.all([change({run: 'random'}), change({run: ''})])")  # before the values are read
    opened.locator("#tau").focus()
    opened.keyboard.press("ArrowLeft")
    opened.locator("#board").get_by_role("button", name="bm25-flat", exact=True).click()
    rows = opened.locator("#run tbody tr")
    expect(rows).to_have_count(8)
    shown = pd.Series([float(text) for text in rows.locator("td:nth-child(2)").all_inner_texts()])
    board = opened.locator("#board tbody tr", has_text="bm25-flat").locator("td").all_inner_texts()
    mean, _, _ = mean_and_stderr(shown.to_numpy()[None])
    assert float(mean[0]) == pytest.approx(float(board[1]), abs=0.001)
    opened.locator("#run").get_by_role("button", name="demo-02").focus()
    opened.keyboard.press("Enter")
    expect(opened.locator("#passages-heading")).to_be_focused()
    assert opened.evaluate(SEEN) == list(items(demo, "manual", "bm25-flat", "demo-02", 0))
    opened.locator("#by").select_option(index=1)
    opened.locator("#question").select_option(index=4)
    wanted = list(items(demo, "open", "bm25-flat", "demo-02", 4))
    assert sum(len(one[-1]) for one in wanted) > 10
    assert opened.evaluate(SEEN) == wanted
    opened.reload()
    expect(opened.locator("#passages li")).to_have_count(20)
    assert opened.evaluate(SEEN) == wanted
    opened.locator("#close-run").click()
    expect(opened.locator("#passages-section")).to_be_hidden()


def saved_by(page, button, name=None):
    """What a button saves, under a name."""
    with page.expect_download() as saving:
        page.locator(button).click()
    assert name in (None, saving.value.suggested_filename)
    return saving.value.path().read_bytes()


def test_a_cell_opens_its_passages_and_a_table_and_a_chart_are_saved_as_they_are_shown(opened, demo):
    choice, _ = evaluation_of(demo, Request(bank="manual"), "lexical.pourpre-idf")
    rows = search(demo, cell_of(5, 2), choice.labelling, size=1000).rows
    ranked = rows[rows["best_rank"] <= 20]
    opened.locator("button[title='Show passages with label 5, judged 2']").first.click()
    expect(opened.locator("#cell-heading")).to_have_text("Passages with label 5, judged 2: manual: Lexical match")
    expect(opened.locator("#cell-count")).to_contain_text(f"{len(ranked)} of {len(rows)} are among the first 20")
    names = [opened.locator(f"#cell {one}").all_text_contents() for one in ("strong", "bdi")]
    assert 5 < len(ranked) <= 50
    assert sorted(zip(*names, strict=True)) == sorted(zip(ranked["query_id"], ranked["doc_id"], strict=True))
    assert opened.locator("#cell mark").count() > 10

    opened.locator("#modes input").last.uncheck()
    opened.get_by_role("button", name="Score", exact=True).click()
    assert saved_by(opened, "button[data-csv=board]").splitlines()[1].split(b",")[0].decode() == (
        opened.locator("#board tbody th").first.inner_text()
    )
    expect(opened.locator("#chart .main-svg").first).to_be_visible()
    for kind, begins in (("svg", b"<svg"), ("png", b"\x89PNG")):
        name = f"demo-Cover-20-tau4-manual-Lexical-match-leaderboard_chart.{kind}"
        assert saved_by(opened, f"#save-{kind}", name).startswith(begins)
    opened.locator("#modes input").last.check()
    expect(opened.locator("#board th[aria-sort]")).to_have_count(0)


def test_runs_are_hidden_as_the_dashboard_hides_them_or_have_no_rank_in_the_reference(opened):
    runs = opened.evaluate("data.runs.splice(0, 1, 'Ångström'), data.runs")
    for words in ("", "BM25", "lsa* random -8", "-twin -*", "\u212b"):
        hidden = opened.evaluate("(words) => data.runs.filter((run) => !isShown(run, words))", words)
        assert hidden == list(hidden_runs(words, runs))

    opened.evaluate("""() => {
      data.boards.forEach((board) => board.outliers.forEach((one) => one.rank_displacement.fill(null)));
      show();
      fillRest();
    }""")
    expect(opened.locator("#outliers-said li").first).to_have_text(re.compile("^No run that is shown has a rank"))
    for hidden in ("#outliers", "[data-csv=outliers]", "#ringed"):
        expect(opened.locator(hidden)).to_be_hidden()


def test_of_judgments_alone_what_there_is_can_be_chosen_and_nothing_that_moves_nothing(chromium, demo_store, tmp_path):
    answers = Store(demo_store).snapshot("demo-answers")
    file, found = made(answers, tmp_path)
    with open_page(chromium, file.as_uri()) as page:
        measures = found.axes.measures
        assert measures == ["nDCG@10", "AP", "P@10", "RR", "NRP"]
        for one, (_, board, *_) in zip(
            measures, page.evaluate(SHOWN, [f"#measure={one}" for one in measures]), strict=True
        ):
            choice, _ = evaluation_of(answers, Request(measure=one), "judgments:relevance")
            rows = leaderboard(answers, choice).rows
            assert {(row[0], row[1], row[5]) for row in board} == {
                (run, rank, in_digits(mean))
                for run, rank, mean in zip(rows["run_id"], rank_texts(rows["rank"].tolist()), rows["mean"], strict=True)
            }
        for hidden in ("#tau", "#labelRank", "#taus-section"):
            expect(page.locator(hidden)).to_be_hidden()


def test_it_has_no_blemish_in_light_or_dark_and_asks_for_nothing(chromium, saved):
    context = chromium.new_context(color_scheme="light", viewport={"width": 400, "height": 800})
    page, asked, said = context.new_page(), list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    everything = "run=bm25-flat&query=demo-02&cell=5,2&by=manual:lexical.pourpre-idf"
    page.goto(f"{saved[0].as_uri()}#{everything}")
    expect(page.locator("#chart .main-svg").first).to_be_visible()
    expect(page.locator(".modebar-btn[data-title*=Share]")).to_have_count(0)
    for passages_of in ("#passages", "#cell"):
        expect(page.locator(f"{passages_of} li").nth(19)).to_be_visible()
    assert not barriers(page)
    page.emulate_media(color_scheme="dark")
    assert not barriers(page)
    assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert not page.evaluate("choices.scrollWidth > choices.clientWidth || modes.scrollWidth > modes.clientWidth")
    page.emulate_media(media="print")
    expect(page.locator("#choices")).to_be_hidden()
    expect(page.locator("#chart .main-svg").first).to_have_attribute("width", "680")
    page.emulate_media(media="screen")
    expect(page.locator("#chart .main-svg").first).not_to_have_attribute("width", "680")
    assert [url for url in asked if not url.startswith(("file:", "blob:"))] == []
    assert said == []
    context.close()


def test_the_methods_of_several_modes_name_each_with_its_tau(chromium, tmp_path):
    frames = {
        "questions": table(QUESTIONS, [("a", 1, "a1", "q", None, None, "?", None, 1.0, True)]),
        "grades": table(
            GRADES, [("m.QuestionSelfRated", "a1", "q", "d1", 5), ("b", "a1", "q", "d1", 1), ("b", "a1", "q", "d2", 0)]
        ),
        "rankings": table(RANKINGS, [(run, "q", run, 1, 1, 1.0, False) for run in ("d1", "d2")]),
        "judgments": table(JUDGMENTS, [("official", "q", "d1", 2)]),
    }
    snapshot = store_of(tmp_path / "store", frames, {"b": {"scale": 2}})
    measures = ("Cover@20", "P@20", "nDCG@20")
    file, found = made(snapshot, tmp_path, measures=measures, taus=(4,), label_ranks=(1,))
    graders = [mode.grader for mode in found.axes.modes]
    with open_page(chromium, file.as_uri()) as page:
        for measure in measures:
            asked = Request(measure=measure, tau=4, reference="qrels:nDCG@10", own_taus=(("b", 1),))  # b ends before 4
            wanted = methods(figures_of(snapshot), graders, asked)
            modes = "&".join(f"mode=a:{grader}" for grader in graders)
            shown = page.evaluate(SHOWN, [f"#{modes}&measure={measure}&tau=4&reference=qrels:nDCG@10"])[0][3:]
            assert shown == [wanted.words, wanted.bibtex]
            compared = figures_of(snapshot).compare(graders, asked)
            said = closest_to_reference(compared, names_of(snapshot))
            assert page.locator("#said").text_content() == (said and f"{said}.")
        assert "tau (b: 2, m.QuestionSelfRated: 4)" in methods(figures_of(snapshot), graders, Request(tau=4)).words


def test_modes_without_questions_are_named_below_the_headline_where_the_measure_needs_them(chromium, tmp_path):
    grades = [("m", "a1", "q", "d1", 5), *((mode, None, "q", "d1", 1) for mode in ("x", "y"))]
    frames = {
        "questions": table(QUESTIONS, [("a", 1, "a1", "q", None, None, "?", None, 1.0, True)]),
        "grades": table(GRADES, grades),
        "rankings": table(RANKINGS, [(run, "q", run, 1, 1, 1.0, False) for run in ("d1", "d2")]),
    }
    one_tau = {"taus": (1,), "label_ranks": (1,)}
    file, _ = made(store_of(tmp_path / "store", frames), tmp_path, measures=("Cover@20", "P@20"), **one_tau)
    with open_page(chromium, f"{file.as_uri()}#mode=a:m&mode=x&mode=y&measure=Cover@20&tau=1") as page:
        expect(page.locator("#said")).to_contain_text("x and y grade whole passages: choose P@20.")
    with open_page(chromium, f"{file.as_uri()}#mode=a:m&mode=x&mode=y&measure=P@20&tau=1") as page:
        expect(page.locator("#said")).not_to_contain_text("whole passages")


def test_hostile_names_are_texts(chromium, tmp_path):
    frames = {
        "queries": table(QUERIES, [("q", HOSTILE)]),
        "passages": table(PASSAGES, [("d1", f"\U0001d400 {HOSTILE}</script>"), ("d2", HOSTILE)]),
        "questions": table(QUESTIONS, [(HOSTILE, 1, HOSTILE, "q", None, None, f"alert {HOSTILE}?", None, 1.0, True)]),
        "grades": table(GRADES, [(HOSTILE, HOSTILE, "q", doc, 5) for doc in ("d1", "d2")]),
        "rankings": table(
            RANKINGS, [(run, "q", doc, 1, 1, 1.0, False) for run, doc in ((HOSTILE, "d1"), ("</script>", "d2"))]
        ),
        "judgments": table(JUDGMENTS, [("official", "q", "d1", 2)]),
    }
    file, _ = made(store_of(tmp_path / "store", frames), tmp_path, measures=("Cover@20", "P@20"), label_ranks=(1,))
    with open_page(chromium, file.as_uri()) as page:
        expect(page.locator("#chart .main-svg").first).to_be_visible()
        page.locator("#board").get_by_role("button", name=HOSTILE).click()
        page.locator("#run").get_by_role("button", name="q").click()
        expect(page.locator("#passages-query")).to_have_text(HOSTILE)
        expect(page.locator(".passage")).to_have_text(f"\U0001d400 {HOSTILE}</script>")
        assert page.locator("mark").all_inner_texts() == ["img", "src", "x", "onerror", "alert", "1"]
        assert page.locator("img").count() == 0


def test_without_scripts_the_first_leaderboard_stands_there(chromium, saved):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(saved[0].as_uri())
    expect(page.get_by_text("Other choices need JavaScript")).to_be_visible()
    expect(page.locator("form")).to_be_hidden()
    expect(page.locator("#first td", has_text="bm25-flat")).to_be_visible()
    context.close()
