"""The embedded collections: printed figures, and a small test collection of our own."""
