"""Figures that papers print: columns as leaderboards, agreement tables, and what they say of taus."""
