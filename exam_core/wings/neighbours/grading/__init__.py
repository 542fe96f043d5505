"""Rerankers: T5 models that order passages."""
