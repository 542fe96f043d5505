"""What a live page can show, computed beforehand."""
