"""Environments of their own for extractors that cannot share one: made by uv, cached by content."""
