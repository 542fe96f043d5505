"""`python -m exam_core`."""

from exam_core.cli import main

if __name__ == "__main__":
    main()
