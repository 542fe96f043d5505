"""Whether this machine has what Examboard needs."""
