"""The methods paragraph that a live page opens with; those of every choice are read in a browser."""

from dataclasses import replace

from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.live.cube import axes_of, cube, first_of
from exam_core.wings.live.data import first_methods


def test_the_first_choice_has_a_paragraph_for_each_bank(demo_store):
    demo, asked = Store(demo_store).snapshot("demo"), Request()
    axes = replace(axes_of(demo, asked, (), ("P@20",), ()), taus=(4,))
    first = first_methods(cube(demo, asked, axes), first_of(demo, asked, axes))
    assert len(first) == len({mode.bank for mode in axes.modes}) == 2
