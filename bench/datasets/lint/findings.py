"""What a check finds, and what that means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """No figure on such a page means anything; ``bench run --skip-lint-errors`` leaves it out."""
    WARNING = "warning"
    """Figures on such a page are open to doubt; a person should look."""
    NOTE = "note"
    """Worth knowing."""


@dataclass(frozen=True)
class Finding:
    """One thing that a check found."""

    check: str
    """A name in ``declared.CHECKS``, which says what it means."""
    severity: Severity
    pages: tuple[str, ...]
    """Ids in the data set that was linted; empty for what is said of the whole."""
    detail: str
    rejects: tuple[str, ...] = ()
    """Which of the pages ``--skip-lint-errors`` leaves out; empty unless the severity is error."""
    others: tuple[str, ...] = ()
    """Pages of other data sets, as ``NAME/ID``."""


def on_page(check: str, severity: Severity, page_id: str, detail: str) -> Finding:
    """Return a finding about one page, which an error rejects."""
    rejects = (page_id,) if severity is Severity.ERROR else ()
    return Finding(check, severity, (page_id,), detail, rejects)


@dataclass(frozen=True)
class LintReport:
    """Everything that was found in one data set, in order of severity, check and page."""

    name: str
    pages: int
    findings: Sequence[Finding]
    compared_with: Sequence[str] = ()
    """Other data sets whose pages were looked for in this one."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """Pages by language as stated or declared, most first."""
    left_out: Sequence[str] = ()
    """What the reader could not pair and left out, one line each."""

    def count(self, severity: Severity) -> int:
        """Return how many findings there are of a severity."""
        return sum(each.severity is severity for each in self.findings)

    @property
    def rejected(self) -> dict[str, str]:
        """Why each page is left out that has an error, by id: the names of the checks."""
        reasons: dict[str, list[str]] = {}
        for each in self.findings:
            for page_id in each.rejects:
                own = reasons.setdefault(page_id, [])
                own += [each.check] * (each.check not in own)
        return {page_id: ", ".join(reasons[page_id]) for page_id in sorted(reasons)}

    def to_json(self, meanings: Mapping[str, str]) -> dict[str, Any]:
        """Return the form for machines; each finding brings its meaning."""
        return {
            "name": self.name,
            "pages": self.pages,
            "left_out": list(self.left_out),
            "compared_with": list(self.compared_with),
            "errors": self.count(Severity.ERROR),
            "warnings": self.count(Severity.WARNING),
            "notes": self.count(Severity.NOTE),
            "rejected": self.rejected,
            "languages": dict(self.languages),
            "findings": [
                {**asdict(each), "severity": each.severity.value, "meaning": meanings[each.check]}
                for each in self.findings
            ],
        }
