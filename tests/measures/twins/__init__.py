"""Twins of the measures, a file for each of `exam_core/measures/effectiveness`; `slow.py` collects them."""
