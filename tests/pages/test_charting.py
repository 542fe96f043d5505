"""Charts that stay while their figure changes: what is sent."""

from dashboards import charts, opened


def leaderboard(store, monkeypatch):
    return opened("pages/leaderboard/leaderboard.py", store, monkeypatch, collection="demo")


def component(test):
    return next(element.proto for element in test.main.get("bidi_component"))


def test_another_tau_is_another_figure_of_the_same_chart_and_one_that_is_clicked_stays(store, monkeypatch):
    test = leaderboard(store, monkeypatch)
    before, identity = charts(test)[0].figure, component(test).id
    slider = test.slider(key="tau")
    slider.set_value(slider.value - 1).run()
    assert charts(test)[0].figure["data"] != before["data"]
    assert component(test).id == identity
    kinds = [len(test.main.get(kind)) for kind in ("bidi_component", "plotly_chart")]
    name = test.selectbox(key="leaderboard_run").options[0]
    test.selectbox(key="leaderboard_run").select(name).run()
    assert (kinds, [len(test.main.get(kind)) for kind in ("bidi_component", "plotly_chart")]) == ([1, 0], [2, 0])
