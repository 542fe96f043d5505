"""The whole command line, for those who read it: tests and documents."""

from exam_core.cli.main import application

app = application()
