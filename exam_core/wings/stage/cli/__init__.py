"""Commands of the stage."""
