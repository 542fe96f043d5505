"""Where texts and bytes enter wings, a file each."""
