"""Stage: what is shown to others: slides of pages, stories of pinned views, the presentation, and the saved page."""
