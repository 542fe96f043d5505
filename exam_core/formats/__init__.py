"""Files to frames and back. A reader takes a path and returns a Reading, or raises BadInput."""

from exam_core.formats.reading import Reading

__all__ = ["Reading"]
