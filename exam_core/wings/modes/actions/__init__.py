"""The verb of the wing: it passes the door of `exam_core.actions`; its types stand in `__init__.pyi`."""

from exam_core.actions import __getattr__ as __getattr__
