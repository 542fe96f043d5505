"""Tests of `exam_core.numbers`; a folder `numbers` among the tests would stand before Python's own module."""
