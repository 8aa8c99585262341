"""Charts: of a leaderboard (quality, time, quality against cost), a history, a data set, a run."""
