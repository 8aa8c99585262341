"""The outcome of a check as JUnit XML, which most build servers show test by test."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from bench.report.check import cause_text, page_lines
from bench.scoring.compare.causes import Cause
from bench.scoring.compare.check import Checked
from bench.scoring.compare.regressions import Kind, Regression
from bench.util.display import plain

# What XML 1.0 cannot hold, escaped or not: https://www.w3.org/TR/xml/#charsets
_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PAGES = 50


def xml(checked: Checked) -> str:
    """Return one test suite with, for each row, a case for quality, each slice, answers and cost.

    Each cause is one failure; a slice that says the same as another cause is skipped.
    """
    suite = ET.Element("testsuite", name=_safe(f"bench check {checked.current.gold}"))
    failures = errors = skipped = 0
    for row in checked.rows:
        by_case: dict[str, list[Cause]] = {}
        folded: dict[str, str] = {}
        for cause in checked.causes.get(row.label, []):
            by_case.setdefault(_case(cause.regression), []).append(cause)
            folded |= {_case(regression): _case(cause.regression) for regression in cause.folded}
        cases = ["quality", *(f"slice {region.where}" for region in row.slices), "answers"]
        for name in [*cases, *(["cost"] if row.cost is not None else [])]:
            case = _element(suite, row.label, name)
            if name in folded:
                skipped += 1
                ET.SubElement(case, "skipped", message=_safe(f"worse, see {folded[name]}"))
            for cause in by_case.get(name, ()):
                failures += 1
                failure = ET.SubElement(case, "failure", message=_safe(cause_text(cause)))
                failure.set("type", cause.regression.kind.value)
                lines = page_lines(checked, row.label, cause.pages, _PAGES)
                failure.text = _safe("\n".join(lines))
    for label, reason in checked.missing.items():
        errors += 1
        _error(_element(suite, label, "quality"), reason)
    return _document(suite, failures, errors, skipped)


def cannot(gold: str, reason: str) -> str:
    """Return a suite of one case that says why nothing could be compared."""
    suite = ET.Element("testsuite", name=_safe(f"bench check {gold}"))
    _error(_element(suite, "baseline", "comparable"), reason)
    return _document(suite, 0, 1, 0)


def _case(regression: Regression) -> str:
    if regression.kind is Kind.SLICE:
        return f"slice {regression.where}"
    cases = {Kind.QUALITY: "quality", Kind.PAGE: "quality", Kind.COST: "cost"}
    return cases.get(regression.kind, "answers")


def _element(suite: ET.Element, label: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_safe(f"bench.{label}"), name=_safe(name))


def _error(case: ET.Element, reason: str) -> None:
    ET.SubElement(case, "error", message=_safe(reason)).set("type", "cannot compare")


def _document(suite: ET.Element, failures: int, errors: int, skipped: int) -> str:
    counts: Sequence[tuple[str, int]] = (
        ("tests", len(suite)),
        ("failures", failures),
        ("errors", errors),
        ("skipped", skipped),
    )
    root = ET.Element("testsuites")
    root.append(suite)
    for name, count in counts:
        suite.set(name, str(count))
        root.set(name, str(count))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _safe(text: str) -> str:
    lines = (plain(line) for line in text.split("\n"))
    return _IMPOSSIBLE.sub("\ufffd", "\n".join(lines))
