"""What the doctor adds to tests of the whole."""

ELSEWHERE = {"doctor": "wings/doctor/test_doctor.py"}
