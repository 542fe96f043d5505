"""The demo's generated answers."""
