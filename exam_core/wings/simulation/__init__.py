"""Simulated collections: every grade, judgment and ranking drawn from a model of latent relevance; nothing is real."""
