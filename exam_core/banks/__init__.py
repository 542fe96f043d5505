"""Question banks as something that people make: questions, what was changed, and how two edits go together."""
