"""What holes add to tests of the whole."""

READING = {"holes": ["holes {of}"]}
