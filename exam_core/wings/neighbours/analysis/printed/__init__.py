"""Printed figures of the neighbour methods beside ours."""
