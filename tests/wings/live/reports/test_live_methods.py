"""The methods paragraphs of a live page beside those that are asked for alone."""

from dataclasses import replace

import pytest

from exam_core.analysis.figures import figures_of
from exam_core.asked import Asked
from exam_core.errors import ExamboardError
from exam_core.reports.methods_paragraph import methods
from exam_core.store import Store
from exam_core.wings.live.analysis.axes import axes_of, first_of
from exam_core.wings.live.analysis.cube import cube
from exam_core.wings.live.reports.live_methods import first_methods, live_methods


@pytest.mark.parametrize("bank", [None, "open"])
def test_every_choice_has_the_paragraph_of_the_command_line(demo_store, bank):
    demo = Store(demo_store).snapshot("demo")
    axes = replace(axes_of(demo, asked := Asked(bank=bank), (), ("Cover@20", "P@20", "nDCG@20"), ()), taus=(2, 4))
    found = cube(demo, asked, axes)
    packed, alone = live_methods(found), figures_of(demo)
    said = 0
    for place in list(found.at)[::4]:
        for name, number in zip(axes.references, packed["at"][",".join(map(str, place))], strict=True):
            sentences = [packed["sentences"][one] for one in packed["paragraphs"][number]]
            keys = dict.fromkeys(key for _, named in sentences for key in named)
            one = found.asked_at(place[:-1]).but(reference=name)
            try:
                wanted = methods(alone, [one.grader or ""], one)
            except ExamboardError:
                continue
            said += 1
            assert " ".join(words for words, _ in sentences) == wanted.words
            assert "\n\n".join(packed["papers"][key] for key in keys).strip() == wanted.bibtex.strip()
    assert said >= 10
    first = first_methods(found, first_of(demo, asked, axes))
    assert len(first) == len({mode.bank for mode in axes.modes})
