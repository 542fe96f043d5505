"""What is evaluated, and what comes out for every run and query: leaderboards and where runs stand."""
