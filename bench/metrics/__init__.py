"""Metrics, one file each: what is counted of two texts. Pure functions, no disk, no network."""
