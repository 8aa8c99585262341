"""bench: which program pulls the main text out of a web page best, and what it costs."""
