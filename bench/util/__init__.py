"""Helpers that know nothing of pages or extractors."""
