"""Labels against human judgments, and the passages behind the counts."""
