"""An explained run in a notebook."""

from tests.notebook.conftest import demo as demo


def test_the_figure_of_an_explained_run_is_about_its_queries(demo):
    figure = demo.outliers(bank="open", run="any-word", draws=20).figure()
    assert figure.layout.meta["description"].startswith("any-word is ahead of its neighbours on")
