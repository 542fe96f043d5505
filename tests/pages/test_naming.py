"""What a message says on a page: an option by the label of its box."""

import pytest

from exam_core.analysis.choosing import check_range
from exam_core.errors import UsageError
from exam_core.jobs.task import texts_come
from pages.shared import naming


def test_a_refusal_names_the_boxes_of_a_page_and_a_command_stays_to_be_copied():
    with pytest.raises(UsageError) as refused:
        check_range("--label-rank", 0, 1, 100)
    assert naming.sentence(str(refused.value)).startswith("“Label rank” 0: ")
    assert (
        naming.sentence("Say with --model which one; --go-on goes on.") == "Say with “Model” which one; go on goes on."
    )
    assert naming.sentence(texts_come("c")) == texts_come("c")
