"""Slides: what a page says with one chart and one sentence, for a screen in a meeting and for a story's file."""
