"""The dashboard served to several people, on its pages."""
