"""What can be chosen of a report."""

TABLES = ("csv", "parquet", "json", "markdown", "latex")
FIGURES = ("svg", "pdf", "png")
FORMS = (*TABLES, *FIGURES)
"""What a leaderboard can be written as, besides the site."""
PRICE = 0.05
"""Of a core-hour where nobody says another, in whatever currency: about what clouds ask for."""
