"""How numbers are written, in every report: each kind is rounded in one way, from full precision."""


def percent(value: float | None, digits: int = 1) -> str:
    """Return a share as a percentage, a dash where there is none."""
    return "–" if value is None else f"{value * 100:.{digits}f}"


def percent_range(lo: float | None, hi: float | None) -> str:
    """Return an interval of shares as percentages."""
    return "–" if lo is None or hi is None else f"{percent(lo)}–{percent(hi)}"


def points(value: float | None, digits: int = 1) -> str:
    """Return a difference of shares in points, with its sign."""
    return "–" if value is None else f"{value * 100:+.{digits}f}"


def points_interval(lo: float | None, hi: float | None, digits: int = 1) -> str:
    """Return an interval of differences in points."""
    return "–" if lo is None or hi is None else f"[{points(lo, digits)}, {points(hi, digits)}]"


def p_value(p: float | None) -> str:
    """Return a p-value in three digits, without the leading zero."""
    return "–" if p is None else "<.001" if p < 0.001 else f"{p:.3f}"[1 if p < 1 else 0 :]


def number(value: float | None, digits: int = 0) -> str:
    """Return a number, a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def mib(size: int | None) -> str:
    """Return bytes as MiB."""
    return "–" if size is None else f"{size / 2**20:.0f}"


def megabytes(size_bytes: int) -> str:
    """Return a size as people say it: 0.3 MB, 82 MB."""
    size = size_bytes / 1e6
    return f"{size:.0f} MB" if size >= 10 else f"{max(size, 0.1):.1f} MB"


def duration(value: float | None) -> str:
    """Return seconds or milliseconds with about three significant digits."""
    if value is None:
        return "–"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def counted(count: int, noun: str) -> str:
    """Return how many of something there are, in words."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def about(seconds: float) -> str:
    """Return a time as people say it: 40 s, 12 min, 1.5 h."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
