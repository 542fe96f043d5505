"""How analyses of generated answers are answered."""
