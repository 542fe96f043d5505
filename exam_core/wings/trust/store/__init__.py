"""Probes on disk."""
