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

import pytest
from dashboards import opened, sentences, table, unfolded
from typer.testing import CliRunner

import exam_core as eb
from exam_core.aliases import in_words
from exam_core.analysis.figures import figures_of
from exam_core.asked import Asked
from exam_core.cli.tree import app
from exam_core.reports.methods_paragraph import methods
from exam_core.reports.part import ask_now
from exam_core.store import Store
from exam_core.store.summary import names_of
from exam_core.view import View
from exam_core.wings.stage.reports.page import ReportOrigin
from exam_core.wings.stage.slides.making import slide_of
from exam_core.wings.stage.slides.story_page import story_html
from exam_core.wings.stage.story import Story

RATED = "QuestionSelfRatedUnanswerablePromptWithChoices"
OWN_SCALES = ("Thomas", "Sun", "Sun_few", "HELM", "FagB", "FagB_few")
THREE = (RATED, "Thomas", "Sun_few")
LEXICAL = "lexical.pourpre-idf"
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
NUMBERS, KAPPA = ("Spearman", "Kendall", "kappa"), "Cohen's kappa"


@dataclass(frozen=True)
class Choice:
    """What is evaluated, and what the commands say of each series, and of displacements."""

    store: object
    collection: str
    series: tuple[str, ...]
    asked: Asked
    numbers: dict[str, dict[str, float]]
    displaced: list[dict] = field(default_factory=list)

    @property
    def taus(self):
        return {name: told["tau"] for name, told in self.numbers.items()}

    def flagged(self, series):
        """Runs that a series flags by the measure."""
        title = f"{self.asked.measure} tau={self.taus[series]}"
        own = [row for row in self.displaced if title in row["method"] and self._is_of(series, row["method"])]
        return {row["run_id"] for row in own if row["flagged"]}, len(own)

    @property
    def beside(self):
        """How many runs are flagged by other measures than the one that is asked for."""
        return sum(row["flagged"] for row in self.displaced if self.asked.measure not in row["method"])

    def _is_of(self, series, method):
        return len(self.series) == 1 or series in method.split()

    def view(self, page, *series):
        own = tuple((name, tau) for name, tau in self.taus.items() if name in OWN_SCALES)
        asked = self.asked.but(tau=4, own_taus=own, reference="official")
        return View(page, series or self.series, asked)

    @property
    def snapshot(self):
        return Store(self.store).snapshot(self.collection)

    @property
    def figures(self):
        return figures_of(self.snapshot)

    def of(self, *series):
        """The same of some of the series."""
        return replace(self, series=series)

    def written(self, series):
        """The coefficients of a series as they are written."""
        return [f"{self.numbers[series][name]:.3f}" for name in NUMBERS]


def command(store, *line):
    done = CliRunner().invoke(app, ["--store", str(store), *map(str, line)])
    assert done.exit_code == 0, done.output
    return done.stdout


def told(store, *line):
    return json.loads(command(store, *line, "--format", "json"))


def coefficients(correlation, agreed):
    return {"Spearman": correlation["spearman"], "Kendall": correlation["kendall"], "kappa": agreed["kappa"]}


def computed(store, collection, series, measure, measures, *bank):
    numbers = {}
    for name in series:
        board = told(store, "leaderboard", collection, "--grader", name, "--measure", measure, *bank)
        agreed = told(store, "agreement", collection, "--grader", name, *bank)
        numbers[name] = coefficients(board["correlation"]["official"], agreed) | {"tau": board["tau"], "n": agreed["n"]}
        assert agreed["tau"] == board["tau"]
    line = ("outliers", collection, "--graders", ",".join(series), "--measures", measures)
    asked = Asked(measure, bank[1] if bank else None)
    return Choice(store, collection, series, asked, numbers, told(store, *line, *bank)["rows"])


@pytest.fixture(scope="module")
def labelled(full_dl19_store):
    return computed(full_dl19_store, "dl19", (RATED, *OWN_SCALES), "P@20", "P@20")


@pytest.fixture(scope="module")
def lexical(demo_store):
    return computed(demo_store, "demo", (LEXICAL,), "Cover@20", "Cover@20,P@20", "--bank", "open")


@pytest.fixture(scope="module", params=PRINTED)
def printed(demo_store, request):
    correlated = {one["leaderboard"]: one for one in told(demo_store, "correlate", request.param)}
    numbers = {}
    for column, (bank, tau, cut) in PRINTED[request.param].items():
        at = ("--bank", bank, "--tau", tau, "--relevant-from", cut)
        numbers[column] = coefficients(correlated[column], told(demo_store, "agreement", request.param, *at))
    return Choice(demo_store, request.param, tuple(numbers), Asked(""), numbers | {}, [])


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
        return [
            list(re.search(r"Spearman ([\d.]+), Kendall ([\d.]+); kappa with the judgments ([\d.]+)", text).groups())
        ]
    return [list(row) for row in zip(*(column(rows, name) for name in ("Spearman", "Kendall", KAPPA)), strict=True)]


def on_home(choice, monkeypatch, modes="modes"):
    """Kendall and kappa at a glance, of the first series."""
    links = page(choice, "home", monkeypatch, modes, "from app.py").get("page_link")
    return re.findall(
        r"(?:the official ranking|the judges): ([\d.]+) over",
        " ".join(one.proto.label for one in links).replace("\\", ""),
    )


def page(choice, name, monkeypatch, modes="modes", way="alone"):
    asked = {"bank": choice.asked.bank} if choice.asked.bank else {}
    if choice.asked.measure:
        asked |= {"measure": choice.asked.measure.partition("@")[0], "tau": "4"}
    asked |= {"collection": choice.collection, modes: list(choice.series)}
    return opened(name, choice.store, monkeypatch, way, **asked)


def ringed(figure, boards):
    """By series, in their order, the runs with a ring."""
    rings = figure.data[boards : 2 * boards]
    return [{run for run, seen in zip(one.x, one.marker.opacity, strict=True) if seen} for one in rings]


@pytest.mark.parametrize("name", ["labelled", "lexical"])
def test_pages_have_the_command_s_numbers_of_every_grading_mode(request, monkeypatch, name):
    choice = request.getfixturevalue(name)
    assert on_board(page(choice, "leaderboard", monkeypatch)) == [choice.written(one) for one in choice.series]
    assert on_home(choice, monkeypatch) == choice.written(choice.series[0])[1:]
    rows = table(unfolded(page(choice, "outliers", monkeypatch), "outliers_figures"), "score_displacement")
    flags, names = {(row.run_id, row.method) for row in rows.itertuples() if row.flagged}, names_of(choice.snapshot)
    assert flags == {(row["run_id"], in_words(row["method"], names)) for row in choice.displaced if row["flagged"]}
    test = page(choice, "agreement", monkeypatch)
    kappas = [row for rows in tables(sentences(test)).values() for row in column(rows, "kappa")]
    assert (kappas or [test.metric[0].value]) == [choice.written(one)[2] for one in choice.series]


@pytest.mark.parametrize("name", ["labelled", "lexical"])
def test_slides_and_stories_have_the_command_s_numbers_of_every_grading_mode(request, name):
    choice = request.getfixturevalue(name)
    views, ask = [choice.view("Leaderboard", one) for one in choice.series], functools.cache(ask_now)
    for one, view in zip(choice.series, views, strict=True):
        slide, (flagged, n) = slide_of(choice.figures, view, ask), choice.flagged(one)
        assert slide.ticks == {name: pytest.approx(choice.numbers[one][name], abs=1e-12) for name in NUMBERS}, one
        assert f"; {len(flagged) or 'none'} of {n} runs " in slide.takeaway, one
        assert ringed(slide.figure, 1) == [flagged], one
        moved = slide_of(choice.figures, choice.view("Outliers", one), ask)
        assert f"tau {choice.taus[one]})" in moved.takeaway or not flagged, one
        assert f"(tau {choice.taus[one]})" in slide.ticks_of, one
    text = story_html(Story("s", tuple(views)), lambda _: choice.figures, ORIGIN, ask)
    assert [list(one) for one in TICKS.findall(text)] == [choice.written(one) for one in choice.series]


ORIGIN = ReportOrigin("", "f", "story s", "2026-01-02", "")
TICKS = re.compile(r": Spearman ([\d.]+), Kendall ([\d.]+), kappa ([\d.]+)</p>")


def test_a_slide_of_several_modes_counts_those_of_the_first_and_rings_each_mode_s_own(labelled):
    slide = slide_of(labelled.figures, labelled.view("Leaderboard", *THREE))
    flags = [labelled.flagged(one)[0] for one in THREE]
    assert ringed(slide.figure, len(flags)) == flags
    assert f"; {len(flags[0])} of 36 runs " in slide.takeaway
    assert len(set().union(*flags)) > len(flags[0])


@pytest.mark.parametrize("name", ["labelled", "lexical"])
def test_the_report_for_print_has_the_command_s_numbers_of_every_grading_mode(request, tmp_path, name):
    choice, file = request.getfixturevalue(name), tmp_path / "report.html"
    choice = choice.of(*THREE) if name == "labelled" else choice
    graders = [word for one in choice.series for word in ("--grader", one)]
    bank = ["--bank", choice.asked.bank] if choice.asked.bank else []
    line = ["export", "report", choice.collection, file, "--static", "--measure", choice.asked.measure]
    command(choice.store, *line, *graders, *bank)
    found = tables(file.read_text(encoding="utf-8"))
    agreed = found["Labels against judgments"]
    assert column(agreed, KAPPA) == [choice.written(one)[2] for one in choice.series]
    assert column(agreed, "tau") == [str(choice.taus[one]) for one in choice.series]
    correlated = next(rows for caption, rows in found.items() if caption.startswith("Over the runs that both rank"))
    if len(choice.series) > 1:
        kendalls = column(correlated, "Kendall")
    else:
        kendalls = [row[1] for row in correlated if row[0].startswith("Kendall")]
    assert kendalls == [choice.written(one)[1] for one in choice.series]
    flags = column(found["Displacement of every run, flagged first"], "Flagged")
    assert flags.count("yes") == sum(len(choice.flagged(one)[0]) for one in choice.series) + choice.beside


def test_the_live_page_has_the_command_s_numbers_of_every_grading_mode(labelled, tmp_path):
    file, graders = tmp_path / "live.html", [word for one in labelled.series for word in ("--grader", one)]
    line = ["export", "site", "dl19", file, "--measure", "P@20", "--reference", "official", *graders]
    command(labelled.store, *line)
    held = re.search(r'id="data"[^>]*>([^<]+)<', file.read_text(encoding="utf-8"))[1]
    data = json.loads(gzip.decompress(base64.b64decode(held)))
    for place, one in enumerate(labelled.series):
        tau = data["taus"].index(labelled.taus[one])
        board = data["boards"][data["at"][f"{place},0,{tau},0,0"]]
        agreed = [data["agreements"][number] for number in data["agreedAt"][f"{place},{tau},0"]]
        [kappa] = [found["kappa"] for found in agreed if found["from"] == data["relevantFrom"]]
        beside, flags = board["beside"][0], board["outliers"][0]["flagged"]
        said = {"Spearman": beside["spearman"], "Kendall": beside["kendall"], "kappa": kappa}
        assert said == {name: pytest.approx(labelled.numbers[one][name], abs=1e-12) for name in NUMBERS}, one
        assert {run for run, flag in zip(data["runs"], flags, strict=True) if flag} == labelled.flagged(one)[0], one


def test_the_methods_paragraph_has_each_mode_s_tau_and_names_all_modes_once(labelled):
    said = methods(labelled.figures, THREE, labelled.view("Leaderboard").asked).words
    taus = f"tau ({RATED}: 4, Thomas: 1, Sun_few: 1)"
    assert f"; labels of at least {taus} are relevant." in said
    assert f"Cohen's kappa (Cohen 1960) of labels of at least {taus} and judgments of at least 2 (n = 9260)." in said
    assert said.count("Grades are those of") == 1
    assert ", Thomas and Sun few-shot (Sun_few)." in said
    assert "from a file of the authors' workbench." in said


@pytest.mark.parametrize("name", ["labelled", "lexical"])
def test_a_notebook_has_the_command_s_numbers_of_every_grading_mode(request, name):
    choice = request.getfixturevalue(name)
    held, bank = eb.open(choice.store)[choice.collection], {"bank": choice.asked.bank} if choice.asked.bank else {}
    for one in choice.series:
        board = held.leaderboard(grader=one, measure=choice.asked.measure, **bank).told
        agreed = held.agreement(grader=one, **bank).told
        assert coefficients(board["correlation"]["official"], agreed) == {
            name: choice.numbers[one][name] for name in NUMBERS
        }
    measures = list(dict.fromkeys([choice.asked.measure, "P@20"]))
    rows = held.outliers(graders=list(choice.series), measures=measures, **bank).rows
    assert rows["flagged"].tolist() == [row["flagged"] for row in choice.displaced]


def test_printed_columns_have_their_own_numbers_on_every_surface(printed, monkeypatch, tmp_path):
    wanted = [printed.written(one) for one in printed.series]
    test = page(printed, "leaderboard", monkeypatch, modes="columns")
    assert on_board(test) == wanted
    assert on_home(printed, monkeypatch, modes="columns") == wanted[0][1:]
    views = [View("Leaderboard", (one,), Asked("", tau=4, reference="official")) for one in printed.series]
    for view, one in zip(views, printed.series, strict=True):
        slide, (bank, tau, cut) = slide_of(printed.figures, view), PRINTED[printed.collection][one]
        assert slide.ticks == {name: pytest.approx(printed.numbers[one][name], abs=1e-12) for name in NUMBERS}
        assert slide.ticks_of.endswith(f" against the official ranking; kappa: grade ≥ {tau}, judgment ≥ {cut}")
        agreed = slide_of(printed.figures, View("Agreement", (one,), view.asked))
        assert (agreed.ticks["kappa"], agreed.ticks_of) == (slide.ticks["kappa"], f"The grader of {bank}")
    text = story_html(Story("s", tuple(views)), lambda _: printed.figures, ORIGIN)
    assert [list(one) for one in TICKS.findall(text)] == wanted
    command(printed.store, "export", "report", printed.collection, file := tmp_path / "report.html", "--static")
    found = tables(file.read_text(encoding="utf-8"))
    assert column(found["Labels against judgments"], KAPPA) == [kappa for *_, kappa in wanted]
