"""Slides on trust."""
