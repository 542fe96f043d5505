"""What a collection holds, and what is missing."""
