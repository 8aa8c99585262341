"""Runs on disk: written once, append-only while under way, read through this package alone."""
