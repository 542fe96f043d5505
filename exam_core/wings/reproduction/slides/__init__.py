"""The slide of reproduction."""
