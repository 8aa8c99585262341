"""How a row compares with another, in the words and signs of asv's ``compare``.

asv marks times, where more is worse; here more is better, so + is a gain and - a loss.
"""

from enum import StrEnum

from bench.model import BenchError


class CannotCompare(BenchError):
    """Two things that have no common ground: other pages, another metric, a newer file."""

    status = 3


class Verdict(StrEnum):
    """A verdict on one row or slice."""

    WORSE = "worse"
    BETTER = "better"
    SAME = "same"
    """No page's score differs."""
    UNCLEAR = "no significant difference"
    """Pages differ, but no more than chance would have it."""
    NOT_COMPARABLE = "not comparable"
    FAILING = "newly failing"
    FIXED = "fixed"

    @property
    def sign(self) -> str:
        """One character for the head of a line."""
        return _SIGNS[self]


_SIGNS = {
    Verdict.WORSE: "-",
    Verdict.BETTER: "+",
    Verdict.SAME: "=",
    Verdict.UNCLEAR: "~",
    Verdict.NOT_COMPARABLE: "x",
    Verdict.FAILING: "!",
    Verdict.FIXED: "*",
}
