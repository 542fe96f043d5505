"""Commands on banks."""
