"""Filters that clean an extracted text, chained by name: ``trafilatura+clean``."""
