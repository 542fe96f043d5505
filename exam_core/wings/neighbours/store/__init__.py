"""What is read of nuggets and of what runs wrote."""
