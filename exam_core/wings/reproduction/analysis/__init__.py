"""Printed figures beside ours."""
