"""What modes of one's own add to tests of the whole."""

READING = {"mode list": ["mode list"]}
ELSEWHERE = {
    "mode show": "wings/modes/cli/test_mode_commands.py",
    "mode add": "wings/modes/cli/test_mode_commands.py",
}
