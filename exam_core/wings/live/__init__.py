"""The live page: leaderboards with every choice computed beforehand, in one HTML file that needs no server."""
