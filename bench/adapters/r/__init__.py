"""Extractors written in R: their files, what R says of itself, and setting R up."""
