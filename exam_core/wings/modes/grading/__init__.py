"""What a mode's file says, and the modes that a store keeps."""
