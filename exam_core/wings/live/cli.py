"""`examboard export site`, and the report as a live page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from exam_core import request as options_of
from exam_core.cli import common as cli
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.export_commands import Report, Reported
from exam_core.declared import Field
from exam_core.errors import NothingToChoose, UsageError
from exam_core.progress import Progress, within
from exam_core.wording import counted, quoted

if TYPE_CHECKING:
    from exam_core.request import Request
    from exam_core.store import Snapshot
    from exam_core.wings.live.cube import Axes
    from exam_core.wings.live.site_index import SitePage


@dataclass
class SiteOptions:
    """What live pages offer."""

    collections: Annotated[list[str], Field("Names of collections.")]
    file: Annotated[
        Path, Field("File to write; .gz and .xz are compressed, - prints it. For several collections, a folder.")
    ]
    measure: Annotated[list[str] | None, Field("Measure to offer; may be repeated. By default the usual ones.")] = None
    bank: Annotated[
        list[str] | None,
        Field("Question bank to offer, also in a version of its own (genq@1); may be repeated. By default all."),
    ] = None
    grader: Annotated[list[str] | None, Field("Grading mode to offer; may be repeated. By default all.")] = None
    reference: Annotated[
        list[str] | None,
        Field(
            "Reference to offer; may be repeated. By default the official leaderboard and nDCG@10 over the judgments."
        ),
    ] = None
    depth: Annotated[int, Field("Passages of a ranking that are read.", least=1)] = 20
    without: options_of.Without = None
    own_document: options_of.OwnDocumentRule = "yes"
    passages: Annotated[
        bool,
        Field(
            "Add the passages that the runs returned within the depth, with their grades and the questions, so that "
            "a run's queries open. Anyone who has the file can read them: check that their licence allows this."
        ),
    ] = False


@takes_declared()
def site(options: SiteOptions) -> None:
    """Leaderboards in one HTML file where mode, measure, tau, label rank and reference can be chosen without a server.

    Several collections make a folder with a page for each and an index.

    Example: examboard export site dl19 dl19.html --measure Cover@20 --measure P@20

    Example: examboard export site dl19 demo pages
    """
    names = list(dict.fromkeys(options.collections))
    _require_files(names)
    plans = [plan_of(options, _snapshot(name, options)) for name in names]
    if len(plans) == 1:
        _write_page(plans[0], options.file, _command("site", options, names))
    else:
        _write_folder(plans, options.file, _command("site", options, names))


def _require_files(collections: list[str]) -> None:
    """Refuse collections whose pages would have one name in a folder; some disks don't tell capitals from others."""
    taken = {"index"} if len(collections) > 1 else set()
    for name in collections:
        if name.lower() in taken:
            raise UsageError(f"The page of {name} would take another one's place in the folder. Export it by itself.")
        taken.add(name.lower())


def write_report(options: Reported) -> None:
    """Write the live page that opens with a choice: its grading modes with the usual measures and its own."""
    _write_page(_of_report(options), options.file, _command("report", options, [options.collection]))


@dataclass(frozen=True)
class LivePagePlan:
    """A live page that is to be made."""

    snapshot: Snapshot
    request: Request
    axes: Axes
    has_passages: bool = False

    def made(self, made_by: Mapping[str, str], progress: Progress) -> tuple[bytes, SitePage]:
        """The page, and what an index says of it; `made_by` says what made it."""
        from exam_core.wings.live.cube import cube, data_in_words, first_of
        from exam_core.wings.live.live_page import live_page
        from exam_core.wings.live.passages import passages
        from exam_core.wings.live.site_index import listed

        result = cube(self.snapshot, self.request, self.axes, progress=progress)
        facts = {"Data": data_in_words(self.snapshot), **made_by}
        first = first_of(self.snapshot, self.request, self.axes)
        texts = passages(result) if self.has_passages else None
        return live_page(result, first, facts, texts).encode(), listed(result)


def plan_of(options: SiteOptions, snapshot: Snapshot) -> LivePagePlan:
    """The live page of one of the collections."""
    from exam_core.analysis.choosing import usual
    from exam_core.request import Request
    from exam_core.wings.live.cube import axes_of

    request = Request(depth=options.depth)
    graders, measures, references = (names or () for names in (options.grader, options.measure, options.reference))
    axes = axes_of(snapshot, request, graders, measures, references, options.bank or ())
    request = usual(snapshot, request.but(grader=axes.modes[0].grader), axes.measures[0] if measures else None)
    return LivePagePlan(snapshot, request, axes, options.passages)


def _of_report(options: Reported) -> LivePagePlan:
    from exam_core.analysis.choosing import usual
    from exam_core.request import Request
    from exam_core.wings.live.cube import JUDGED_FROM, axes_of

    if options.relevant_from not in JUDGED_FROM:
        cuts = " or ".join(map(str, JUDGED_FROM))
        raise NothingToChoose(f"A live page has kappa for a judgment threshold of {cuts}, not {options.relevant_from}.")
    graders, references = options.grader or [], [options.reference] if options.reference else ()
    snapshot = _snapshot(options.collection, options)
    same = ("bank", "tau", "depth", "label_rank", "reference", "relevant_from")
    request = Request(**{name: getattr(options, name) for name in same})
    axes = axes_of(snapshot, request, graders, (), references)
    request = usual(snapshot, request.but(grader=axes.modes[0].grader), options.measure)
    return LivePagePlan(snapshot, request, axes.with_measure(snapshot, request.measure))


def _snapshot(collection: str, options: SiteOptions | Reported) -> Snapshot:
    """The collection with the grading modes that are named, also if made of others; runs that are left out are unnamed.

    `--without` serves whoever must hide a run.
    """
    from exam_core.analysis.choosing import restrict
    from exam_core.analysis.figures import figures_of

    hidden = options.without or []
    snapshot = restrict(cli.open_store().snapshot(collection), options).without(hidden, named=False)
    return figures_of(snapshot, *(options.grader or [])).snapshot


def _write_page(plan: LivePagePlan, file: Path, command: str) -> None:
    from exam_core.formats.writing import write_lines

    made: list[tuple[bytes, SitePage]] = []

    def lines() -> Iterator[bytes]:
        with cli.progress_bar("Computing") as progress:
            made.append(plan.made(_made_by(command), progress))
        yield made[0][0]

    write_lines(file, lines())
    [(text, about)] = made
    cli.wrote(file, f"{counted({'leaderboards': about.counts['leaderboards']})}, {len(text) / 1e6:.1f} MB")


def _write_folder(plans: list[LivePagePlan], folder: Path, command: str) -> None:
    from exam_core.formats.writing import prints, whole_folder
    from exam_core.wings.live.site_index import INDEX, files_of, index_page

    if prints(folder):
        raise UsageError("Several collections make a folder, which can't be printed. Name a folder.")

    def known(existing: Path) -> set[str]:
        index = existing / INDEX
        return files_of(index.read_text(encoding="utf-8", errors="replace")) if index.is_file() else set()

    pages: list[SitePage] = []
    with whole_folder(folder, known) as path:
        with cli.progress_bar("Computing") as progress:
            for at, plan in enumerate(plans):
                text, about = plan.made(_made_by(command), within(progress, at / len(plans), (at + 1) / len(plans)))
                (path / about.file).write_bytes(text)
                pages.append(about)
        (path / INDEX).write_text(index_page(pages, command, date.today().isoformat()), encoding="utf-8")
        size = sum(file.stat().st_size for file in path.iterdir())
    cli.wrote(folder, f"{counted({'live pages': len(pages)})}, {size / 1e6:.1f} MB")


def _made_by(command: str) -> dict[str, str]:
    return {"Command": command, "Made": date.today().isoformat()}


def _command(name: str, options: SiteOptions | Reported, collections: list[str]) -> str:
    """The command that makes this page again; runs that are left out of it are not named."""
    words = ["examboard", "export", name, *collections, options.file.name]
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name not in ("collection", "collections", "file") and value != field.default:
            option, several = f"--{field.name.replace('_', '-')}", value if isinstance(value, list) else [value]
            several = ["RUN"] * len(several) if field.name == "without" else several
            words += [option] if value is True else [word for text in several for word in (option, str(text))]
    return " ".join(map(quoted, words))


REPORTS = (Report(is_static=False, write=write_report),)
