"""Looks at every page of the data sets once, and has all checks look at it then."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.datasets import by_page, catalogue, page_text
from bench.datasets.catalogue import DataSet
from bench.datasets.lint import distribution, duplicates
from bench.datasets.lint.distribution import Size
from bench.datasets.lint.duplicates import Trace
from bench.datasets.lint.findings import CHECKS, Finding, LintReport, Severity
from bench.datasets.lint.page_checks import PageView, check_page
from bench.util.progress import SILENT, Progress
from bench.util.remembered import remembered

_SEVERITIES = list(Severity)
_NAMES = list(CHECKS)


@dataclass(frozen=True)
class _Survey:
    """What is kept of all pages of a set."""

    traces: list[Trace]
    sizes: list[Size]
    findings: list[Finding]


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
        base = _base_name(data_set.name)
        related = [other for other in siblings if _base_name(other.name) == base]
        names = dict.fromkeys(other.name for other in [*data_sets, *related])
        others = [name for name in names if name != data_set.name]
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
    given = {data_set.name for data_set in data_sets}
    bases = {_base_name(name) for name in given}
    return [
        catalogue.open_gold(name)
        for name, (_, root) in sorted(catalogue.all_cards().items())
        if name not in given and _base_name(name) in bases and root.is_dir()
    ]


def rejected(data_set: DataSet, progress: Progress = SILENT) -> dict[str, str]:
    """Return why each page is rejected that has an error, by id.

    Remembered in the user's data directory until a file of the data set, or a check, changes.
    Raises ``GoldError`` for a damaged page.
    """
    return remembered(
        "lint",
        f"{by_page.state(data_set.reader)}-{_version()}",
        lambda: lint([data_set], progress=progress)[0].rejected,
        dump=dict,
        load=lambda kept: {str(page_id): str(reason) for page_id, reason in kept.items()},
    )


def _survey(data_set: DataSet, progress: Progress) -> _Survey:
    survey = _Survey([], [], [])
    for item in data_set:
        view = PageView(item)
        survey.findings.extend(check_page(view))
        survey.traces.append(duplicates.trace(view))
        survey.sizes.append(distribution.size(view))
        progress.advance()
    return survey


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
    for path in [*sorted(Path(__file__).parent.glob("*.py")), Path(page_text.__file__)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
