"""Uncertainty: what the pages that we happen to have say about pages in general. Seeded."""
