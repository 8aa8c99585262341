"""Scores of runs and of other people's outputs, and the leaderboard made of them."""
