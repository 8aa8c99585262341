"""What checks find, and what that means."""

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


CHECKS: Mapping[str, str] = {
    "duplicate": "The same page twice counts twice in every figure.",
    "gold-not-in-page": (
        "No extractor can return what the page does not have: the gold may be another page's, or "
        "of a page that looked different then."
    ),
    "annotation-residue": (
        "The page gives away its gold to an extractor that looks, or is no page as found."
    ),
    "contradicting-snippets": "No text can have the one snippet and lack the other.",
    "undecodable-bytes": (
        "Letters are lost, differently for each extractor that decodes by itself."
    ),
    "empty-gold": (
        "Every word that an extractor returns is wrong here; right for a page without main text, "
        "unfair for one that nobody marked."
    ),
    "gold-in-source-only": (
        "The gold stands in scripts or attributes alone: only an extractor that reads those, or "
        "runs the page, can return it."
    ),
    "snippets-against-gold": (
        "Full text and snippets rank extractors by different opinions of the page."
    ),
    "stale-charset": (
        "An extractor that trusts the declaration reads other letters than one that does not; the "
        "pages were often converted after they were fetched."
    ),
    "language": (
        "Slices by language, and extractors that are told the language, go by what is stated, else by "
        "what the page declares."
    ),
    "near-duplicate": "Nearly the same page counts twice; where the gold differs, look at why.",
    "same-gold": "The same main text counts twice, or one page has the other's gold.",
    "overlap": "What was tuned on the one set has seen the other.",
    "control-characters": (
        "Nobody wrote these; they come of wrong decoding, and may part or hide words."
    ),
    "languages": "As the data set states, else as pages declare in lang.",
    "sizes": "Words are runs of letters; single characters where no spaces are written.",
}
"""What a finding means, by name of the check, worst first."""


@dataclass(frozen=True)
class Finding:
    """One thing that a check found."""

    check: str
    """A name in ``CHECKS``, which says what it means."""
    severity: Severity
    pages: tuple[str, ...]
    """Ids in the data set that was linted; empty for what is said of the whole."""
    detail: str
    rejects: tuple[str, ...] = ()
    """Which of the pages ``--skip-lint-errors`` leaves out; empty unless the severity is error."""
    others: tuple[str, ...] = ()
    """Pages of other data sets, as ``NAME/ID``."""


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
        return sum(finding.severity is severity for finding in self.findings)

    @property
    def rejected(self) -> dict[str, str]:
        """Why each page is left out that has an error, by id: the names of the checks."""
        reasons: dict[str, list[str]] = {}
        for finding in self.findings:
            for page_id in finding.rejects:
                checks = reasons.setdefault(page_id, [])
                checks += [finding.check] * (finding.check not in checks)
        return {page_id: ", ".join(reasons[page_id]) for page_id in sorted(reasons)}

    def to_json(self) -> dict[str, Any]:
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
                {
                    **asdict(finding),
                    "severity": finding.severity.value,
                    "meaning": CHECKS[finding.check],
                }
                for finding in self.findings
            ],
        }
