"""The list of measures: `python -m exam_core.reports.measure_list > docs/reference/measures.md`."""

from __future__ import annotations

from collections.abc import Iterator

from exam_core.declared import Declared, declared
from exam_core.measures import MEASURES
from exam_core.wording import in_cell

_HEADINGS = {
    "questions": "Over the bank's questions",
    "labels": "Over labels",
    "texts": "Over texts",
    "scores": "Over ranks of generated answers",
}
_ABOUT = """\
# Measures

*For whoever wants to know what a measure means: spelling, formula and source of each.*

Made from the table in `exam_core/measures/__init__.py` by `python -m exam_core.reports.measure_list`.

Measures are spelled as ir_measures spells them. `@k` looks at the first k passages; a measure without it looks at
all that is read of a ranking (`--depth`, 20 by default, `all` for uncut rankings), and its titles and columns say
so: `AP (first 20)`. Values lie between 0 and 1, larger is better; `Rubric` alone can be below 0.

- A question is *answered* by a passage whose grade on it is at least tau.
- A passage's *label* is its N-th best grade over the query's questions (`--label-rank N`, 1 by default), or its
  relevance where human judgments are evaluated; `--label-map 5=3,4=1` gives grades other labels. A passage is
  *relevant* if its label is at least tau.
- Passages are ordered by score as a 32-bit number, ties by doc_id descending, as trec_eval does.
- A query for which a run returned nothing counts 0, as with trec_eval's option -c; every leaderboard names runs that
  leave queries unanswered. A run that returned nothing for any of them has no value: its queries are others.
  A query without a grade on a question that is switched on has no value and is left out.
- Questions to avoid (importance `avoid`) count in `Rubric` alone, where they are switched on.
- What rests on unreadable answers alone has no value (the [data dictionary](data-dictionary.md#what-is-missing) says
  when), but for `Judged@k` and nugget scores, where it counts as no answer (as in AutoNuggetizer's scores). A question
  whose answer on a passage can't be read beside others that can is not answered.
- A query without a relevant passage counts 0, as in trec_eval; so do intents that nothing answers.

Options stand behind the name, as in ir_measures: `P(rel=2)@10`, `nDCG(dcg=exp-log2)@20`, `RBP(p=0.95)`. With
`rel=` a measure has its own tau. With `judged_only=True` passages without a label leave the rankings first, and others
move up: of the first 20, unless `--depth` says more. So `--depth all` gives what ir_measures gives. Tables of all
options are at the end.

All label measures equal trec_eval, ERR and exponential gains gdeval, RBP cwl_eval, and the measures over intents
ndeval, to 1e-9; the tests compare them on trec_eval's own test files and on random and real collections."""


_OF_TEXTS = """\
Measures of texts compare what a run wrote, the texts of its first k passages, with the query's nuggets: the questions
of a bank. They have no tau. Options stand behind the name, `POURPRE(beta=5,terms=idf)@20`. A query without nuggets has
no value, nor has one without a vital nugget where recall is that of vital ones; a run that returned nothing for a query
has 0. Recall and precision of ROUGE are those of the script ROUGE-1.5.5.pl to the last of its five decimals; its F is
made of the rounded ones, ours is not. The script reads a to z and 0 to 9: where less than half of the letters of a
query's nuggets are these, or none of an answer's, ROUGE has no value here; `words=unicode` reads every script."""


def measure_list() -> str:
    """Every measure of the table as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _ABOUT
    for of, heading in _HEADINGS.items():
        yield from (
            "",
            f"## {heading}",
            *(("", *_OF_TEXTS.splitlines()) if of == "texts" else ()),
            "",
            "| measure | meaning | formula | source |",
            "| --- | --- | --- | --- |",
        )
        for info in MEASURES.values():
            if info.of == of:
                yield f"| `{info.spelling}` | {info.meaning} | {in_cell(info.formula)} | {info.source} |"
    owners: dict[type, list[str]] = {}
    for info in MEASURES.values():
        if info.options:
            owners.setdefault(info.options, []).append(info.name)
    for options, names in owners.items():
        heading = f"### Options of {', '.join(names)}"
        yield from ("", heading, "", "| as usual | others | what it says |", "| --- | --- | --- |")
        yield from map(_option, declared(options).values())


def _option(field: Declared) -> str:
    """An option as a row: how it is written as usual, what else there is."""
    bounds = f"{field.about.least:g} to {field.about.most:g}" if field.about.least is not None else ""
    choices = ("True",) if field.is_switch else field.choices
    others = ", ".join(f"`{choice}`" for choice in choices if choice != field.default) or bounds
    usual = f"{field.default:g}" if isinstance(field.default, float) else field.default
    spelt = f"no `{field.name}=`" if usual is None else f"`{field.name}={usual}`"
    return f"| {spelt} | {others} | {field.about.help} |"


if __name__ == "__main__":
    print(measure_list(), end="")
