"""Commands on trust."""
