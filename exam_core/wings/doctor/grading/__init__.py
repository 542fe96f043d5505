"""What this machine has to run models with."""
