"""Looks at every page of the data sets once, and has all checks look at it then."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.datasets import catalogue, fingerprint, html_text, words
from bench.datasets.catalogue import DataSet
from bench.datasets.lint import distribution, duplicates
from bench.datasets.lint.declared import CHECKS, ON_PAGE
from bench.datasets.lint.distribution import Size
from bench.datasets.lint.duplicates import Trace
from bench.datasets.lint.findings import Finding, LintReport, Severity
from bench.datasets.lint.page import PageView
from bench.util import paths
from bench.util.progress import SILENT, Progress

_SEVERITIES = list(Severity)
_NAMES = list(CHECKS)


@dataclass(frozen=True)
class _Survey:
    """What is kept of all pages of a set."""

    traces: Sequence[Trace]
    sizes: Sequence[Size]
    findings: Sequence[Finding]


def lint(
    data_sets: Sequence[DataSet],
    siblings: Sequence[DataSet] = (),
    progress: Progress = SILENT,
) -> list[LintReport]:
    """Return a report on each data set, compared with the others and with its siblings.

    Of ``siblings``, those with a base name in common are compared with, and not reported on.
    Raises ``GoldError`` for a damaged page.
    """
    by_name = {data_set.name: data_set for data_set in [*siblings, *data_sets]}
    progress.start("linting", sum(map(len, by_name.values())))
    surveys = {name: _survey(data_set, progress) for name, data_set in by_name.items()}
    reports = []
    for data_set in data_sets:
        own = surveys[data_set.name]
        others = [each.name for each in data_sets if each.name != data_set.name]
        others += [
            each.name
            for each in siblings
            if _base_name(each.name) == _base_name(data_set.name)
            and each.name not in (data_set.name, *others)
        ]
        findings = [*own.findings, *duplicates.within(own.traces)]
        for name in others:
            findings += duplicates.between(own.traces, name, surveys[name].traces)
        findings += distribution.check(own.sizes)
        reports.append(
            LintReport(
                data_set.name,
                len(data_set),
                sorted(findings, key=_place),
                compared_with=others,
                languages=distribution.languages(own.sizes),
                left_out=data_set.reader.problems,
            )
        )
    return reports


def siblings(data_sets: Iterable[DataSet]) -> list[DataSet]:
    """Return the other splits of data sets that are on this machine."""
    given = list(data_sets)
    found = {}
    for data_set in given:
        base = _base_name(data_set.name)
        for name, (_, root) in catalogue.all_cards().items():
            related = _base_name(name) == base and name != data_set.name
            if related and catalogue.is_installed(root):
                found[name] = catalogue.open_gold(name)
    names = {each.name for each in given}
    return [each for name, each in sorted(found.items()) if name not in names]


def rejected(data_set: DataSet, progress: Progress = SILENT) -> dict[str, str]:
    """Return why each page is rejected that has an error, by id.

    Remembered in the user's data directory until a file of the data set, or a check, changes.
    Raises ``GoldError`` for a damaged page.
    """
    key = f"{fingerprint.state(data_set.reader)}-{_version()}"
    memory = paths.home() / "cache" / "lint" / f"{key}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        kept = dict(json.loads(memory.read_text(encoding="utf-8")))
        return {str(page_id): str(reason) for page_id, reason in kept.items()}
    found = lint([data_set], progress=progress)[0].rejected
    with contextlib.suppress(OSError):
        memory.parent.mkdir(parents=True, exist_ok=True)
        memory.write_text(json.dumps(found), encoding="utf-8")
    return found


def _survey(data_set: DataSet, progress: Progress) -> _Survey:
    traces, sizes = [], []
    findings: list[Finding] = []
    for item in data_set:
        view = PageView(item)
        for check in ON_PAGE:
            findings += check(view)
        traces.append(duplicates.trace(view))
        sizes.append(distribution.size(view))
        progress.advance()
    return _Survey(traces, sizes, findings)


def _place(finding: Finding) -> tuple[int, int, tuple[str, ...], str]:
    return (
        _SEVERITIES.index(finding.severity),
        _NAMES.index(finding.check),
        finding.pages,
        finding.detail,
    )


def _base_name(name: str) -> str:
    """Return a data set's name without its split."""
    return name.removesuffix(catalogue.HELD_OUT).removesuffix(catalogue.DEVELOPMENT)


def _version() -> str:
    """Hash over the sources of the checks: what an older one found is not taken over."""
    digest = hashlib.sha256()
    own = sorted(Path(__file__).parent.glob("*.py"))
    for path in [*own, Path(html_text.__file__), Path(words.__file__)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
