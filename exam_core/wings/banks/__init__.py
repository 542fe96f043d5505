"""Question banks as something that people make: edited, looked after, and written by models."""
