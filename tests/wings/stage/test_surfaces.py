"""Page, slide, story, report, live page, methods paragraph and notebook have the command's numbers.

The grading modes have scales of their own, so that each has another tau, and all printed collections are looked at.
"""

import base64
import functools
import gzip
import html
import json
import re
from dataclasses import dataclass, field, replace

import pandas as pd
import pytest
from analysis.worlds import store_of, world
from dashboards import opened, sentences, table, unfolded
from thoroughly import thoroughly
from typer.testing import CliRunner

import exam_core as eb
from exam_core.aliases import in_words
from exam_core.analysis.figures import figures_of
from exam_core.cli.tree import app
from exam_core.reports.methods_paragraph import methods
from exam_core.reports.part import ask_now
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.summary import names_of
from exam_core.view import View
from exam_core.wings.stage.report_page import ReportOrigin
from exam_core.wings.stage.slides import slide_of, story_html
from exam_core.wings.stage.story import Story
from exam_core.wording import QUESTIONS, method_in_words

RATED = "QuestionSelfRatedUnanswerablePromptWithChoices"
OWN_SCALES = ("Thomas", "Sun_few")
THREE = (RATED, *OWN_SCALES)
LEXICAL = "lexical.pourpre-idf"
CHOICES = ("labelled", "lexical", "nuggets", "judgments")
PRINTED = {
    "car-y3-published": {
        "tqa Cover@20 verified answers": ("tqa", 1, 1),
        "genq Cover@20 tau=4": ("genq", 4, 2),
        "genq P@20 tau=4": ("genq", 4, 2),
    },
    "dl19-published": {"genq Cover@20 tau=3": ("genq", 4, 2), "genq P@20 as printed": ("genq", 4, 2)},
    "dl20-published": {"genq Cover@20 tau=4": ("genq", 4, 2), "genq P@20 tau=4": ("genq", 4, 2)},
}
"""The bank, tau and judgment cut of each column's printed kappa, where the bar has tau 4 and judgments from 2."""
THE_SAME = "P@20 and AP of the judgments are made of the same judgments. Where they rank runs differently, "
NUMBERS, KAPPA = ("Spearman", "Kendall", "kappa"), "Cohen's kappa"


@dataclass(frozen=True)
class Choice:
    """What is evaluated, and what the commands say of each series, and of displacements."""

    store: object
    collection: str
    series: tuple[str, ...]
    asked: Request
    numbers: dict[str, dict[str, float]]
    displaced: list[dict] = field(default_factory=list)
    reference: str = "official"

    @property
    def taus(self):
        return {name: told["tau"] for name, told in self.numbers.items()}

    def flagged(self, series):
        """Runs that a series flags by the measure, and how many are tested."""
        title = self.asked.measure + (f" tau={self.taus[series]}" if self.taus[series] else "")
        own = [row for row in self.displaced if title in row["method"] and self._is_of(series, row["method"])]
        own = [row for row in own if row["flagged"] is not None]
        return {row["run_id"] for row in own if row["flagged"]}, len(own)

    @property
    def beside(self):
        """How many runs are flagged by other measures than the one that is asked for."""
        return sum(row["flagged"] is True for row in self.displaced if self.asked.measure not in row["method"])

    def _is_of(self, series, method):
        return len(self.series) == 1 or series in method.split()

    def view(self, page, *series):
        own = tuple((name, tau) for name, tau in self.taus.items() if name in (*OWN_SCALES, "nuggetizer"))
        asked = self.asked.but(tau=4, own_taus=own, reference=self.reference)
        return View(page, series or self.series, asked)

    @property
    def snapshot(self):
        return Store(self.store).snapshot(self.collection)

    @property
    def figures(self):
        return figures_of(self.snapshot)

    def of(self, *series):
        return replace(self, series=series)

    def written(self, series):
        """The coefficients of a series as they are written."""
        return [f"{value:.3f}" for value in self.coefficients(series).values()]

    def coefficients(self, series):
        return {name: self.numbers[series][name] for name in NUMBERS if name in self.numbers[series]}

    @property
    def line(self):
        """Words of a command that say which bank, measure and reference."""
        bank = ("--bank", self.asked.bank) if self.asked.bank else ()
        return ("--measure", self.asked.measure, "--reference", self.reference, *bank)


def command(store, *line):
    done = CliRunner().invoke(app, ["--store", str(store), *map(str, line)])
    assert done.exit_code == 0, done.output
    return done.stdout


def told(store, *line):
    return json.loads(command(store, *line, "--format", "json"))


def coefficients(correlation, agreed):
    kappa = {"kappa": agreed["kappa"]} if agreed else {}
    return {"Spearman": correlation["spearman"], "Kendall": correlation["kendall"]} | kappa


def computed(store, collection, series, measure, measures, *bank, reference="official", judged=True):
    choice = Choice(store, collection, series, Request(measure, bank[1] if bank else None), {}, reference=reference)
    for name in series:
        board = told(store, "leaderboard", collection, "--grader", name, *choice.line)
        agreed = told(store, "agreement", collection, "--grader", name, *bank) if judged else {}
        choice.numbers[name] = coefficients(board["correlation"][reference], agreed) | {"tau": board["tau"]}
        assert agreed.get("tau", board["tau"]) == board["tau"]
    graders = ("--graders", ",".join(series)) if len(series) > 1 else ("--grader", *series)
    line = ("outliers", collection, *graders, "--measures", measures, "--reference", reference)
    return replace(choice, displaced=told(store, *line, *bank)["rows"])


@pytest.fixture(scope="module")
def labelled(full_dl19_store):
    return computed(full_dl19_store, "dl19", THREE, "P@20", "P@20")


@pytest.fixture(scope="module")
def scales(tmp_path_factory):
    """A small collection with the same modes: reports and live pages of DL19 take long."""
    frames, folder = world(1), tmp_path_factory.mktemp("scales")
    labels = frames["grades"].query("grader_id == 'labels'")
    graded = {RATED: labels["grade"] * 2, "Thomas": labels["grade"].clip(upper=1), "Sun_few": 2 - labels["grade"]}
    grades = pd.concat([labels.assign(grader_id=name, grade=grade) for name, grade in graded.items()])
    store_of(
        folder, frames | {"grades": grades}, {RATED: {"scale": 5}, "Thomas": {"scale": 1}, "Sun_few": {"scale": 2}}
    )
    return computed(folder, "world", THREE, "P@20", "P@20")


@pytest.fixture(scope="module")
def lexical(demo_store):
    return computed(demo_store, "demo", (LEXICAL,), "Cover@20", "Cover@20,P@20", "--bank", "open")


@pytest.fixture(scope="module")
def nuggets(demo_store):
    """The nuggetizer's labels, 0 to 2, of which no human judged any."""
    more = {"reference": f"grades:Cover@20:bank=nuggets:grader={LEXICAL}:tau=4", "judged": False}
    return computed(demo_store, "demo-nuggets", ("nuggetizer",), "Cover@20", "Cover@20", "--bank", "nuggets", **more)


@pytest.fixture(scope="module")
def judgments(judged_store):
    more = {"reference": "qrels:AP", "judged": False}
    return computed(judged_store, "mine", ("judgments:official",), "P@20", "P@20", **more)


@pytest.fixture(scope="module", params=["car-y3-published", *thoroughly("dl19-published", "dl20-published")])
def printed(demo_store, request):
    correlated = {one["leaderboard"]: one for one in told(demo_store, "correlate", request.param)}
    numbers = {}
    for column, (bank, tau, cut) in PRINTED[request.param].items():
        at = ("--bank", bank, "--tau", tau, "--relevant-from", cut)
        numbers[column] = coefficients(correlated[column], told(demo_store, "agreement", request.param, *at))
    return Choice(demo_store, request.param, tuple(numbers), Request(""), numbers | {}, [])


def tables(text):
    """Cells of each table by its caption, row by row."""
    found = {}
    for one in re.findall(r"<table.*?</table>", text, re.DOTALL):
        caption = re.search(r"<caption[^>]*>(.*?)</caption>", one, re.DOTALL)
        rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in one.split("<tr")[1:]]
        cells = [[html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in rows]
        found[html.unescape(re.sub(r"<[^>]*>", "", caption[1])) if caption else ""] = cells
    return found


def column(rows, heading):
    """The cells of the first column whose heading begins so."""
    [place, *_] = [place for place, cell in enumerate(rows[0]) if cell.startswith(heading)]
    return [row[place] for row in rows[1:]]


def on_board(test):
    """Coefficients of the series above the page's leaderboard: a table, of one series a sentence."""
    text = sentences(test)
    [rows] = [rows for rows in tables(text).values() if any(cell.startswith("Kendall") for cell in rows[0])] or [None]
    if rows is None:
        found = re.search(r"Spearman ([\d.]+), Kendall ([\d.]+)(?:; kappa with the judgments ([\d.]+))?", text)
        return [[one for one in found.groups() if one]]
    return [list(row) for row in zip(*(column(rows, name) for name in ("Spearman", "Kendall", KAPPA)), strict=True)]


def on_home(choice, monkeypatch, modes="modes"):
    """Kendall and kappa at a glance, of the first series."""
    links = page(choice, "home", monkeypatch, modes, "from app.py").get("page_link")
    return re.findall(
        r"(?:Kendall's rank correlation with [^:]*|the judges): ([\d.]+) over",
        " ".join(one.proto.label for one in links).replace("\\", ""),
    )


def judged(choice):
    return "kappa" in choice.numbers[choice.series[0]]


def page(choice, name, monkeypatch, modes="modes", way="alone", **more):
    asked = {"bank": choice.asked.bank} if choice.asked.bank else {}
    if choice.asked.measure:
        measure, _, depth = choice.asked.measure.partition("@")
        asked |= {"measure": measure, "depth": depth, "tau": "4"}
    asked |= {"collection": choice.collection, "reference": choice.reference, modes: list(choice.series)}
    return opened(name, choice.store, monkeypatch, way, **asked, **more)


def ringed(figure, boards):
    """By series, in their order, the runs with a ring."""
    rings = figure.data[boards : 2 * boards]
    return [{run for run, seen in zip(one.x, one.marker.opacity, strict=True) if seen} for one in rings]


@pytest.mark.parametrize("name", ["labelled", "nuggets", "judgments"])
def test_pages_have_the_command_s_numbers_of_every_grading_mode(request, monkeypatch, name):
    choice = request.getfixturevalue(name)
    board = page(choice, "leaderboard", monkeypatch)
    if name == "judgments":  # beside another measure of them no agreement is a finding
        assert "Best: " in sentences(board)
    else:
        assert on_board(board) == [choice.written(one) for one in choice.series]
    assert on_home(choice, monkeypatch) == choice.written(choice.series[0])[1:]
    rows = table(unfolded(page(choice, "outliers", monkeypatch), "outliers_figures"), "score_displacement")
    names, flagged = names_of(choice.snapshot), rows["flagged"].fillna(False).astype(bool)
    flags = {(row.run_id, row.method) for row in rows[flagged].itertuples()}
    assert flags == {
        (row["run_id"], in_words(method_in_words(row["method"]), names)) for row in choice.displaced if row["flagged"]
    }
    if judged(choice):
        assert on_agreement(choice, monkeypatch) == [choice.written(one)[2] for one in choice.series]


def on_agreement(choice, monkeypatch, **more):
    test = page(choice, "agreement", monkeypatch, **more)
    kappas = [row for rows in tables(sentences(test)).values() for row in column(rows, "kappa")]
    return kappas or [test.metric[0].value]


@pytest.mark.parametrize("name", CHOICES)
def test_slides_and_stories_have_the_command_s_numbers_of_every_grading_mode(request, name):
    choice = request.getfixturevalue(name)
    views, ask = [choice.view("Leaderboard", one) for one in choice.series], functools.cache(ask_now)
    for one, view in zip(choice.series, views, strict=True):
        slide, (flagged, n) = slide_of(choice.figures, view, ask), choice.flagged(one)
        assert slide.ticks == pytest.approx(choice.coefficients(one), abs=1e-12), one
        assert (f"; {len(flagged) or 'none'} of {n} runs " in slide.takeaway) == (n > 0), one
        assert ringed(slide.figure, 1) == [flagged], one
        moved = slide_of(choice.figures, choice.view("Outliers", one), ask)
        assert f"tau {choice.taus[one]})" in moved.takeaway or not flagged, one
        assert not choice.taus[one] or f"(tau {choice.taus[one]})" in slide.ticks_of, one
    text = story_html(Story("s", tuple(views)), lambda _: choice.figures, ORIGIN, ask)
    assert [[*filter(None, one)] for one in TICKS.findall(text)] == [choice.written(one) for one in choice.series]


ORIGIN = ReportOrigin("", "f", "story s", "2026-01-02", "")
TICKS = re.compile(r": Spearman ([\d.]+), Kendall ([\d.]+)(?:, kappa ([\d.]+))?</p>")


def test_a_slide_of_several_modes_says_which_is_closest_counts_and_rings_each_mode_s_own(labelled):
    slide = slide_of(labelled.figures, labelled.view("Leaderboard", *THREE))
    flags = [labelled.flagged(one)[0] for one in THREE]
    assert ringed(slide.figure, len(flags)) == flags
    modes = ["Self-rating (labels), tau 4", "Thomas, tau 1", "Sun few-shot, tau 1"]
    assert (list(slide.table), slide.of.names) == (["run_id", *modes],) * 2
    assert slide.table.set_index("run_id")[modes[1]].notna().all()
    assert slide.takeaway == (
        "Closest to the official ranking: Sun few-shot, Kendall 0.884; then Self-rating (labels) 0.805, Thomas 0.710; "
        "significantly displaced: 1 by Self-rating (labels), 2 by Thomas, 1 by Sun few-shot."
    )
    assert list(slide.ticks) == modes
    for page, begins in (
        ("Outliers", "ICT-BERT2 ranks lower"),
        ("Agreement", "Closest to the judges: "),
        ("Choose method and tau", "Closest to the official ranking on held-out queries: Sun few-shot at tau 1, "),
    ):
        assert slide_of(labelled.figures, labelled.view(page, *THREE)).takeaway.startswith(begins)
    assert len(set().union(*flags)) > len(flags[0])


def test_the_slide_of_a_mode_beside_itself_says_so(labelled):
    itself = labelled.view("Leaderboard", "Thomas")
    itself = replace(itself, asked=itself.asked.but(reference="grades:P@20:grader=Thomas:tau=1"))
    slide = slide_of(labelled.figures, itself)
    assert slide.takeaway == "P@20 of Thomas (tau 1) is compared with itself: that correlation says nothing."
    assert list(slide.ticks) == ["kappa"]


@pytest.mark.parametrize("name", ["scales", "lexical", "judgments"])
def test_the_report_for_print_has_the_command_s_numbers_of_every_grading_mode(request, tmp_path, name):
    choice, file = request.getfixturevalue(name), tmp_path / "report.html"
    graders = [word for one in choice.series for word in ("--grader", one)]
    command(choice.store, "export", "report", choice.collection, file, "--static", *graders, *choice.line)
    found = tables(file.read_text(encoding="utf-8"))
    if agreed := found.get("Labels against judgments"):
        assert column(agreed, KAPPA) == [choice.written(one)[2] for one in choice.series]
        assert column(agreed, "tau") == [str(choice.taus[one]) for one in choice.series]
    correlated = next(rows for caption, rows in found.items() if caption.startswith("Over the runs that both rank"))
    if len(choice.series) > 1:
        kendalls = column(correlated, "Kendall")
    else:
        kendalls = [row[1] for row in correlated if row[0].startswith("Kendall")]
    assert kendalls == [choice.written(one)[1] for one in choice.series]
    if name == "judgments":
        assert f"<li>{THE_SAME}" in file.read_text(encoding="utf-8")
    if name == "scales":
        (said,) = re.findall("<dt>Choice</dt><dd><code>(.*?)</code>", file.read_text(encoding="utf-8"))
        assert "graded by Self-rating, Thomas and Sun few-shot, P@20" in said, "names, no ids"
        assert {row[0] for row in found["Taus side by side"]} >= {"Thomas", "Sun few-shot"}, "each row has a tau"
    flags = sum(row.count("yes") for row in found["Displacement of every run, flagged first"])
    assert flags == sum(len(choice.flagged(one)[0]) for one in choice.series) + choice.beside


@pytest.mark.parametrize("name", ["scales", "nuggets", "judgments"])
def test_the_live_page_has_the_command_s_numbers_of_every_grading_mode(request, tmp_path, name):
    choice, file = request.getfixturevalue(name), tmp_path / "live.html"
    graders = [word for one in choice.series for word in ("--grader", one)]
    command(choice.store, "export", "site", choice.collection, file, *choice.line, *graders)
    held = re.search(r'id="data"[^>]*>([^<]+)<', file.read_text(encoding="utf-8"))[1]
    data = json.loads(gzip.decompress(base64.b64decode(held)))
    for place, one in enumerate(choice.series):
        tau = data["taus"].index(choice.taus[one] or 1)
        board = data["boards"][data["at"][f"{place},0,{tau},0"]]
        agreed = [data["agreements"][number] for number in data["agreedAt"].get(f"{place},{tau},0", ())]
        kappas = [found for found in agreed if found["from"] == data["relevantFrom"]] if judged(choice) else [{}]
        beside, flags = board["beside"][0], board["outliers"][0]["flagged"]
        assert [coefficients(beside, found) for found in kappas] == [pytest.approx(choice.coefficients(one), abs=1e-12)]
        assert {run for run, flag in zip(data["runs"], flags, strict=True) if flag} == choice.flagged(one)[0], one


def test_the_methods_paragraph_has_each_mode_s_tau_and_names_all_modes_once(labelled):
    said = methods(labelled.figures, THREE, labelled.view("Leaderboard").asked).words
    taus = "tau (Self-rating (labels): 4, Thomas: 1, Sun few-shot: 1)"
    assert f"; labels of at least {taus} are relevant." in said
    assert f"Cohen's kappa (Cohen 1960) of labels of at least {taus} and judgments of at least 2 (n = 9260)." in said
    assert said.count("Grades are those of") == 1
    assert ", Thomas (EXAM++; Thomas et al. 2023) and Sun few-shot (id Sun_few) (EXAM++; Sun et al. 2023)." in said
    assert "from a file of the authors' workbench." in said


@pytest.mark.parametrize("name", CHOICES)
def test_a_notebook_has_the_command_s_numbers_of_every_grading_mode(request, name):
    choice = request.getfixturevalue(name)
    held, bank = eb.open(choice.store)[choice.collection], {"bank": choice.asked.bank} if choice.asked.bank else {}
    beside = {"reference": choice.reference}
    for one in choice.series:
        board = held.leaderboard(grader=one, measure=choice.asked.measure, **beside, **bank).told
        agreed = held.agreement(grader=one, **bank).told if judged(choice) else {}
        assert coefficients(board["correlation"][choice.reference], agreed) == choice.coefficients(one)
    measures = [choice.asked.measure, *(["P@20"] if name == "lexical" else [])]
    graders = {"graders": list(choice.series)} if len(choice.series) > 1 else {"grader": choice.series[0]}
    rows = held.outliers(**graders, measures=measures, **beside, **bank).rows
    assert [None if pd.isna(one) else one for one in rows["flagged"]] == [row["flagged"] for row in choice.displaced]


def test_judgments_beside_themselves_are_a_finding_on_no_surface(judgments, monkeypatch):
    assert any(row["rank_displacement"] for row in judgments.displaced)
    outliers = sentences(page(judgments, "outliers", monkeypatch)).replace("\\", "")
    assert THE_SAME in outliers
    assert "(95% interval" not in outliers
    slides = {one: slide_of(judgments.figures, judgments.view(one)).takeaway for one in ("Leaderboard", "Outliers")}
    assert slides["Outliers"].startswith(THE_SAME)
    assert "displaced" not in slides["Leaderboard"]


def test_what_generated_answers_are_worth_is_the_command_s_on_every_surface(demo_store, monkeypatch, tmp_path):
    rows = told(demo_store, "leaderboard", "demo-answers", "--measure", "NRP")["rows"]
    means = {row["run_id"]: pytest.approx(row["mean"], abs=1e-12) for row in rows}
    choice = Choice(demo_store, "demo-answers", ("NRP",), Request("NRP"), {})
    slide = slide_of(choice.figures, View("Leaderboard", ("NRP",), choice.asked))
    answer = eb.open(demo_store)["demo-answers"].leaderboard(measure="NRP")
    for found in (
        table(opened("leaderboard", demo_store, monkeypatch, collection="demo-answers"), "mean"),
        answer.rows,
    ):
        assert dict(zip(found["run_id"], found["mean"], strict=True)) == means
    assert dict(zip(slide.table["run_id"], slide.table["mean"], strict=True)) == means
    line = ("export", "report", "demo-answers", file := tmp_path / "report.html", "--static", "--measure", "NRP")
    command(demo_store, *line)
    scores = next(one for one in tables(file.read_text(encoding="utf-8")).values() if "Score" in one[0])
    assert column(scores, "Score") == [f"{row['mean']:.3f}" for row in rows]


def test_at_a_cut_of_the_papers_a_slide_reads_a_shorter_scale_as_its_page(labelled, monkeypatch):
    thomas = labelled.of("Thomas")
    assert on_agreement(thomas, monkeypatch, agreement_cut="DL strict") == ["0.063"]
    asked = thomas.view("Agreement").asked.but(label_rank=2)
    for cut, kappa in (("DL strict", "0.063"), ("CAR strict", "0.037"), ("", thomas.written("Thomas")[2])):
        view = View("Agreement", ("Thomas",), asked, address={"agreement_cut": (cut,)})
        assert f"{slide_of(labelled.figures, view).ticks['kappa']:.3f}" == kappa


def test_printed_columns_have_their_own_numbers_on_every_surface(printed, monkeypatch, tmp_path):
    wanted = [printed.written(one) for one in printed.series]
    test = page(printed, "leaderboard", monkeypatch, modes="columns")
    assert on_board(test) == wanted
    assert on_home(printed, monkeypatch, modes="columns") == wanted[0][1:]
    views = [View("Leaderboard", (one,), Request("", tau=4, reference="official")) for one in printed.series]
    for view, one in zip(views, printed.series, strict=True):
        slide, (bank, tau, cut) = slide_of(printed.figures, view), PRINTED[printed.collection][one]
        assert slide.ticks == {name: pytest.approx(printed.numbers[one][name], abs=1e-12) for name in NUMBERS}
        assert slide.ticks_of.endswith(
            f" against the official ranking; kappa: grade at least {tau}, human judgment at least {cut}"
        )
        agreed = slide_of(printed.figures, View("Agreement", (one,), view.asked))
        assert (agreed.ticks["kappa"], agreed.ticks_of) == (slide.ticks["kappa"], f"The grader of {QUESTIONS[bank]}")
    text = story_html(Story("s", tuple(views)), lambda _: printed.figures, ORIGIN)
    assert [list(one) for one in TICKS.findall(text)] == wanted
    command(printed.store, "export", "report", printed.collection, file := tmp_path / "report.html", "--static")
    found = tables(file.read_text(encoding="utf-8"))
    assert column(found["Labels against judgments"], KAPPA) == [kappa for *_, kappa in wanted]
