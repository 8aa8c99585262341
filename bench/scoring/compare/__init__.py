"""Run against run, row against row, and the check of a run against a committed baseline."""
