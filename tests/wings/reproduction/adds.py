"""What reproduction adds to tests of the whole."""

READING = {"reproduce": ["reproduce {collection}"]}
WITHOUT_ROWS = ("reproduce {collection}",)
