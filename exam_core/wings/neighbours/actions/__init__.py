"""Verbs of generated answers and their ranks: they pass the door of `exam_core.actions`; `__init__.pyi` has types."""

from exam_core.actions import __getattr__ as __getattr__
