"""Neighbours: the neighbour methods of the papers: nuggets, POURPRE, ROUGE, citations, and ranks of answers (NRP)."""
