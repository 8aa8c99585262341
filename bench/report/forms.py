"""What a leaderboard can be written as, besides the site."""

TABLES = ("csv", "parquet", "json", "markdown", "latex")
FIGURES = ("svg", "pdf", "png")
FORMS = (*TABLES, *FIGURES)
