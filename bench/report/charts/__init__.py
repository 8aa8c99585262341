"""Charts of a leaderboard: quality, time, and quality against time, each as PNG and SVG."""

from bench.report.charts.write import write_charts

__all__ = ["write_charts"]
