"""`examboard export report`: a choice as one HTML page. Wings write it, and have the command where they do."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.export_commands import Reported, writer
from exam_core.errors import NothingToChoose

_LIVE, _STATIC = writer(is_static=False), writer(is_static=True)


@takes_declared(leave_out=() if _LIVE and _STATIC else ("static",))
def report(
    options: Reported,
    static: Annotated[bool, typer.Option("--static", help="Make the report for print, with this choice only.")] = False,
) -> None:
    """One HTML page that needs no network, opens with this choice and offers others, as with `export site`.

    Example: examboard export report dl19 dl19.html --measure Cover@20 --tau 3

    Example: examboard export report dl19 print.html --measure Cover@20 --tau 3 --static
    """
    if _LIVE and not static:
        try:
            _LIVE(options)
        except NothingToChoose as error:
            if _STATIC is None:
                raise
            cli.say(f"{error} The report for print is made instead.", err=True)
        else:
            return
    if _STATIC:
        _STATIC(options)
