"""`examboard cite`."""

from __future__ import annotations

from exam_core.answers.asking import at_one_tau, figures
from exam_core.asked import RankingAsked
from exam_core.cli import common as cli
from exam_core.cli.analysis_commands import subject
from exam_core.cli.declared_options import takes_declared


@takes_declared()
def cite(collection: cli.Collection, options: RankingAsked, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """A methods paragraph that states every choice and version, and BibTeX of the papers whose measures are used.

    With --format latex the paragraph cites them by their keys.

    Example: examboard cite dl19 --measure Cover@20 --tau 3 --format latex
    """
    from exam_core.reports.methods_paragraph import methods

    about = subject(collection)
    held, asked = figures(about, options), at_one_tau(about, options)
    found = methods(held, [asked.grader] if asked.grader else [], asked)
    answer = {"words": found.words, "latex": found.latex, "bibtex": found.bibtex, "papers": found.rows}
    if form in (cli.OutputForm.CSV, cli.OutputForm.JSON):
        cli.print_object(answer, found.rows, form)
        return
    cli.say(f"{found.words if form is cli.OutputForm.TABLE else found.latex}\n\n{found.bibtex}")
