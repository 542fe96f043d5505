"""What tells a run from others."""
