import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from exam_core.charts.enlarging import IN_A_PANEL, LETTERS, enlarged


@pytest.mark.parametrize(("panels", "pixels"), [(1, LETTERS), (4, IN_A_PANEL)])
def test_titles_of_panels_below_each_other_are_small_enough_for_them(panels, pixels):
    figure = make_subplots(rows=panels).update_yaxes(title="standard error")
    assert {axis.title.font.size for axis in enlarged(go.Figure(figure)).select_yaxes()} == {pixels}
