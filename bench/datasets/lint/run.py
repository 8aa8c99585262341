"""Looks at every page of the data sets once, and has all checks look at it then."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.datasets import catalogue, fingerprint, page_text
from bench.datasets.catalogue import DataSet
from bench.datasets.lint import duplicates
from bench.datasets.lint.duplicates import Trace
from bench.datasets.lint.findings import CHECKS, Finding, LintReport, Severity
from bench.datasets.lint.page_checks import PageView, check_page
from bench.util.progress import SILENT, Progress
from bench.util.remembered import remembered

LONG = 10
"""A page with more words than this many times the median stands out."""
_SHOWN = 8
_SEVERITIES = list(Severity)
_NAMES = list(CHECKS)


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
        traces, page_findings = surveys[data_set.name]
        base = _base_name(data_set.name)
        related = [other for other in siblings if _base_name(other.name) == base]
        names = dict.fromkeys(other.name for other in [*data_sets, *related])
        others = [name for name in names if name != data_set.name]
        findings = [*page_findings, *duplicates.within(traces)]
        for name in others:
            findings += duplicates.between(traces, name, surveys[name][0])
        languages = Counter(trace.language for trace in traces)
        by_count = dict(sorted(languages.items(), key=lambda item: (-item[1], item[0])))
        findings += _distribution(traces, by_count)
        reports.append(
            LintReport(
                data_set.name,
                len(data_set),
                sorted(findings, key=_place),
                compared_with=others,
                languages=by_count,
                left_out=data_set.reader.problems,
            )
        )
    return reports


def siblings(data_sets: Iterable[DataSet]) -> list[DataSet]:
    """Return the other splits of data sets that are on this machine."""
    names = {data_set.name for data_set in data_sets}
    bases = {_base_name(name) for name in names}
    return [
        catalogue.open_gold(name)
        for name, (_, root) in sorted(catalogue.all_cards().items())
        if name not in names and _base_name(name) in bases and root.is_dir()
    ]


def rejected(data_set: DataSet, progress: Progress = SILENT) -> dict[str, str]:
    """Return why each page is rejected that has an error, by id.

    Remembered in the user's data directory until a file of the data set, or a check, changes.
    Raises ``GoldError`` for a damaged page.
    """
    return remembered(
        "lint",
        f"{fingerprint.state(data_set.reader)}-{_version()}",
        lambda: lint([data_set], progress=progress)[0].rejected,
        dump=msgspec.json.encode,
        load=msgspec.json.Decoder(dict[str, str]).decode,
    )


def _survey(data_set: DataSet, progress: Progress) -> tuple[list[Trace], list[Finding]]:
    traces: list[Trace] = []
    findings: list[Finding] = []
    for item in data_set:
        view = PageView(item)
        findings += check_page(view)
        traces.append(duplicates.trace(view))
        progress.advance()
    return traces, findings


def _distribution(pages: Sequence[Trace], languages: Mapping[str, int]) -> Iterator[Finding]:
    """Say which languages and sizes there are, and name pages far from the rest."""
    if not pages:
        return
    shown = [f"{name} {count}" for name, count in languages.items()]
    more = f", {len(shown) - _SHOWN} others" if len(shown) > _SHOWN else ""
    yield Finding("languages", Severity.NOTE, (), ", ".join(shown[:_SHOWN]) + more)
    words = [page.words for page in pages]
    long = LONG * median(words)
    for name, values, digits, unit in (
        ("HTML", [page.html_bytes / 1024 for page in pages], 1, "KiB"),
        ("text", words, 0, "words"),
        ("gold", [page.gold_words for page in pages], 0, "words"),
    ):
        quantiles = (min(values), max(values), median(values))
        low, high, middle = (f"{value:,.{digits}f}" for value in quantiles)
        detail = f"{name}: {low} to {high} {unit}, median {middle}"
        yield Finding("sizes", Severity.NOTE, (), detail)
    ids = tuple(page.page_id for page in pages if page.words > long > 0)
    if ids:
        detail = f"more than {LONG} times the words of the median page: {', '.join(ids[:_SHOWN])}"
        detail += f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        yield Finding("sizes", Severity.NOTE, ids, detail)


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
    paths = [*sorted(Path(__file__).parent.glob("*.py")), Path(page_text.__file__)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]
