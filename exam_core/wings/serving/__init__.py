"""The dashboard served to several people, who sign in and have roles."""
