"""What grades are worth."""
