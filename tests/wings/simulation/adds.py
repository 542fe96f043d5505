"""What simulation adds to tests of the whole."""

ELSEWHERE = {
    "simulate": "wings/simulation/cli/test_simulate_command.py",
    "bench analysis": "",
    "bench growth": "",
    "bench coverage": "wings/simulation/test_coverage.py",
    "bench circularity": "wings/simulation/test_circularity.py",
}
WRITING = ("simulate car-size --seed 1",)
