"""Charts of reproduction."""
