"""Sentences on trust."""
