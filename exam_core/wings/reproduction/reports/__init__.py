"""Reproduction as tables and sentences."""
