"""The outcome of a check as JUnit XML, which most build servers show test by test."""

import re
from xml.etree import ElementTree as ET

from bench.report.check import cause_text, page_lines
from bench.scoring.compare.check import Checked
from bench.scoring.compare.regressions import Kind, Regression
from bench.util.display import grouped, plain

# What XML 1.0 cannot hold, escaped or not: https://www.w3.org/TR/xml/#charsets
_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PAGES = 50
_COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def xml(checked: Checked) -> str:
    """Return one test suite with, for each row, a case for quality, each slice, answers and cost.

    Each cause is one failure; a slice that says the same as another cause is skipped.
    """
    suite = ET.Element("testsuite", name=_safe(f"bench check {checked.current.gold}"))
    for row in checked.rows:
        causes = checked.causes.get(row.label, [])
        by_case = grouped((_case(cause.regression), cause) for cause in causes)
        folded = {
            _case(regression): _case(cause.regression)
            for cause in causes
            for regression in cause.folded
        }
        cases = ["quality", *(f"slice {region.where}" for region in row.slices), "answers"]
        for name in [*cases, *(["cost"] if row.cost is not None else [])]:
            case = _element(suite, row.label, name)
            if name in folded:
                ET.SubElement(case, "skipped", message=_safe(f"worse, see {folded[name]}"))
            for cause in by_case.get(name, ()):
                failure = ET.SubElement(case, "failure", message=_safe(cause_text(cause)))
                failure.set("type", cause.regression.kind.value)
                lines = page_lines(checked, row.label, cause.regression.pages, _PAGES)
                failure.text = _safe("\n".join(lines))
    for label, reason in checked.missing.items():
        _error(_element(suite, label, "quality"), reason)
    return _document(suite)


def cannot(gold: str, reason: str) -> str:
    """Return a suite of one case that says why nothing could be compared."""
    suite = ET.Element("testsuite", name=_safe(f"bench check {gold}"))
    _error(_element(suite, "baseline", "comparable"), reason)
    return _document(suite)


def _case(regression: Regression) -> str:
    if regression.kind is Kind.SLICE:
        return f"slice {regression.where}"
    cases = {Kind.QUALITY: "quality", Kind.PAGE: "quality", Kind.COST: "cost"}
    return cases.get(regression.kind, "answers")


def _element(suite: ET.Element, label: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_safe(f"bench.{label}"), name=_safe(name))


def _error(case: ET.Element, reason: str) -> None:
    ET.SubElement(case, "error", message=_safe(reason)).set("type", "cannot compare")


def _document(suite: ET.Element) -> str:
    root = ET.Element("testsuites")
    root.append(suite)
    for name, tag in _COUNTED.items():
        for element in (suite, root):
            element.set(name, str(len(list(suite.iter(tag)))))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _safe(text: str) -> str:
    lines = (plain(line) for line in text.split("\n"))
    return _IMPOSSIBLE.sub("\ufffd", "\n".join(lines))
