"""What a slide is: what a page says with one chart and one sentence, for a meeting and for a file. Wings make them."""
