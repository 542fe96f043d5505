"""Examboard: the evaluation of retrieval and generation systems by exam questions."""

__version__ = "0.4.0"
