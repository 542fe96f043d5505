"""What a displacement is made of."""
