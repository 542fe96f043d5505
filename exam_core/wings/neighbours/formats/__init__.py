"""Responses with their nuggets, generated answers, their ranks among documents, and orders of them by an expert."""
