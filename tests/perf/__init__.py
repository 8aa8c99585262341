"""What the harness itself costs: ratios, measured in one go on one machine (``nox -s perf``)."""
