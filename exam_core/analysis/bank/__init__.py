"""What the questions of a bank tell, and what another bank would say."""
