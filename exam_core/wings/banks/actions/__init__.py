"""Verbs of banks: they pass the door of `exam_core.actions`; their types stand in `__init__.pyi`."""

from exam_core.actions import __getattr__ as __getattr__
