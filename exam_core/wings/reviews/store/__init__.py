"""Reviews and queues on disk."""
