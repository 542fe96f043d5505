"""What the doctor adds to tests of the whole."""

ELSEWHERE = {"doctor": "wings/doctor/cli/test_doctor.py"}
