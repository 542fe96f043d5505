"""Drafts of banks on disk."""
