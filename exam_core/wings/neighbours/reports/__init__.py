"""Answers about generated answers in words."""
