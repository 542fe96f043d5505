"""Readings: what a model's words are worth, as its writer meant them; texts in, grades or reasons out."""
