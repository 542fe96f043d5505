"""What figures for papers add to tests of the whole."""

ELSEWHERE = {"export figure": "wings/paper_figures/test_figure_files.py"}
EXPORTING = ("export figure demo {file}.svg --bank open",)
EXPORTED = (("export figure demo FILE --bank open", "1 leaderboard of demo"),)
