"""What holes add to tests of the whole."""

READING = {"holes": ["holes {of}"]}
# Of tests of commands, by what they look at.
REFUSED_LINES = {
    "holes demo --bank open --depths x": (2, "give comma-separated numbers"),
    "holes demo --bank open --depths ''": (2, "give comma-separated numbers"),
    "holes demo --bank open --depths 21": (2, "choose 1 to 20"),
    "holes demo --bank open --depths 0": (2, "choose 1 to 20"),
}
WITHOUT = ["holes"]
GUESSING = ["holes small --measure P@1"]
BY_JUDGMENTS = ["holes mine"]
