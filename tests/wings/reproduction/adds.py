"""What reproduction adds to tests of the whole."""

PAGE = "pages/reproduce/reproduce.py"
READING = {"reproduce": ["reproduce {collection}"]}
WITHOUT_ROWS = ("reproduce {collection}",)
# Of test_every_page.py and test_bar.py.
CHARTS = {PAGE: (0, 1, 1, 1)}
OF_DEMO = {PAGE: "choose one of the published collections"}
BARS = ((PAGE, {"collection": "demo"}, (), ("tau", "measure", "bank", "more")),)
