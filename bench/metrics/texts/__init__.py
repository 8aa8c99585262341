"""Texts as metrics count them: as tokens, as shingles, as sequences."""
