"""No measure depends on the order in which rows were read."""

import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.measures import OF_GRADES, Measure
from exam_core.request import Request

from .worlds import store_of, world


@pytest.fixture(scope="module")
def two_orders(tmp_path_factory):
    """The same random collection twice; in the second one the rows of every table are shuffled."""
    frames = world(7, facets=True)
    shuffled = {name: frame.sample(frac=1, random_state=5).reset_index(drop=True) for name, frame in frames.items()}
    return [store_of(tmp_path_factory.mktemp("order"), rows) for rows in (frames, shuffled)]


@pytest.mark.parametrize("name", sorted(OF_GRADES))
@pytest.mark.parametrize("tau", [1, 4])
def test_the_order_of_the_input_rows_does_not_matter(name, tau, two_orders):
    boards = [
        leaderboard(
            snapshot, choose(snapshot, Request(measure=str(Measure.at(name, 10)), bank="genq", grader="rater", tau=tau))
        ).rows
        for snapshot in two_orders
    ]
    assert boards[0].equals(boards[1])
