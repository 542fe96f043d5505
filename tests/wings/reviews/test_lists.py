"""Which runs reviews correct."""

import pytest

from exam_core.errors import UsageError
from exam_core.wings.reviews.sampling import lists_of
from tests.analysis.test_unreadable import asking
from tests.analysis.test_unreadable import nothing as nothing
from tests.analysis.test_unreadable import partly as partly


def test_runs_without_a_mean_are_not_corrected_by_reviews(partly, nothing):
    lists = lists_of(partly, asking(partly, "P@2", "labels"))
    assert lists.book.run_ids == ["good", "half", "poor"]
    with pytest.raises(UsageError, match="no run with a mean"):
        lists_of(nothing, asking(nothing, "P@2", "labels"))
