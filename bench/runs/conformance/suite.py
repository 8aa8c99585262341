"""Examines one extractor in a real worker: each check says what it found and how to fix it.

A ``fail`` is a promise broken: the worker dies, hangs, contradicts itself, reaches for the network,
or a fact is missing that a leaderboard needs. ``advice`` costs the extractor pages or clarity, and
some programs cannot help it. Nothing here depends on how good the text is.
"""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bench.adapters.adapter import Adapter, Row
from bench.model import Limits, Outcome
from bench.runs.conformance import cases
from bench.runs.conformance.cases import ARTICLE, DEEP, SMALL, URL, Case
from bench.runs.process import LoadFailed, Result
from bench.runs.supervise import Worker, outside_a_run
from bench.util.progress import SILENT, Progress

Level = Literal["ok", "advice", "fail"]

REPEATS = 3
SEED = 20200101
FILL_IN = "FILL IN"
"""What ``bench new`` writes where a fact is to come."""
_DESCRIPTION_CHARS = 105
_DRAIN_S = 0.05
_SOME_WORDS = ("harbour", "clock", "council")
"""Words of the article that any main text of it has."""


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    check: str
    level: Level
    what: str = ""
    fix: str = ""


def _finding(check: str, what: str, fix: str, level: Level = "fail") -> Finding:
    """Return what a check found; nothing is wrong where there is nothing to say."""
    return Finding(check, level, what, fix) if what else Finding(check, "ok")


def examine(row: Row, limits: Limits, progress: Progress = SILENT) -> list[Finding]:
    """Run every check on one extractor."""
    findings = list(facts(row.adapter))
    if not row.adapter.available:
        return [*findings, Finding("can run", "fail", row.adapter.problem, row.adapter.remedy)]
    with outside_a_run("bench-doctor", limits) as worker_of:
        worker = worker_of(row)
        examination = _Examination(row, worker, progress)
        try:
            findings += examination.findings()
        except LoadFailed as error:
            words = [error.reason, *error.diagnostics.strip().splitlines()[-3:]]
            fix = f"pip install {error.missing}" if error.missing else "fix load()"
            findings.append(Finding("loads", "fail", "; ".join(words), fix))
        worker.stop()
        findings += examination.network()
    return findings


def facts(adapter: Adapter) -> Iterator[Finding]:
    """Check what a leaderboard shows of an extractor beside its figures."""
    file, facts = adapter.path.name, adapter.facts
    text = facts.description.strip()
    is_line = FILL_IN not in text and len(text) < _DESCRIPTION_CHARS and text[-1:] in (*".:;",)
    yield _finding(
        "description",
        "" if is_line else f"it is {text!r}" if text else "there is none",
        "write one line that says how it finds the main text and ends with a full stop",
    )
    yield _finding(
        "licence", "" if facts.licence else "none is named", f"add licence to {file} (SPDX)"
    )
    is_known = adapter.version or not adapter.available
    yield _finding(
        "version",
        "" if is_known else "it is not known: runs of two versions would look the same",
        f"name the package in requires, or version, in {file}",
        "advice",
    )
    if facts.kind in ("control", "ensemble"):
        return
    for name, value, what in (
        ("homepage", facts.homepage, "where the program lives"),
        ("settings_source", facts.settings_source, "where its authors recommend these settings"),
    ):
        is_address = value.startswith("https://")
        yield _finding(
            name,
            "" if is_address else f"it is {value!r}" if value else "there is none",
            f"add {name} to {file}: {what}, https://…",
        )


class _Examination:
    """The checks that need the extractor to run."""

    def __init__(self, row: Row, worker: Worker, progress: Progress) -> None:
        self._row = row
        self._worker = worker
        self._progress = progress
        self._texts: dict[str, str] = {}
        self._attempts = 0

    def _begin(self, check: str) -> None:
        self._progress.start(f"{self._row.label}: {check}")

    def findings(self) -> Iterator[Finding]:
        """Run the checks one after the other. Raises ``LoadFailed``."""
        self._begin("loads")
        self._worker.start(warm_up=False)
        yield Finding("loads", "ok")
        if self._row.adapter.facts.accepts == "gold":
            return
        if self._row.members:
            yield from self._ensemble()
            return
        yield self._article()
        yield self._prints()
        for case in SMALL:
            if case is not ARTICLE:
                yield self._survives(case)
        yield self._again()
        yield self._order()
        yield self._encodings()
        yield self._survives(DEEP)
        yield self._survives(cases.large())

    def _ensemble(self) -> Iterator[Finding]:
        """Check what an ensemble makes of texts, each of them twice."""
        for at, case in enumerate(cases.member_texts(len(self._row.members))):
            self._begin(case.name)
            once, again = (self._run(case.handed(self._row)) for _ in range(2))
            what = fix = ""
            if once.outcome.failed:
                what, fix = (
                    _said(once),
                    'return "" where there is no text; bound its time and memory',
                )
            elif _answer(once) != _answer(again):
                what = "the same texts give another text when they come again"
                fix = "seed what is random; keep nothing"
            elif at == 0 and not once.text:
                what = "its text is empty where all members agree"
                fix = "see what combine() returns"
            yield _finding(case.name, what, fix)

    def network(self) -> Iterator[Finding]:
        """Say how often it reached for the network, once the worker has ended."""
        attempts = max(self._attempts, self._worker.network_attempts)
        yield _finding(
            "network",
            f"{attempts} attempts to reach it; there is none in a run" if attempts else "",
            "turn off fetching of images, word lists, schemas, updates",
        )

    def _run(self, html: bytes, url: str | None = URL) -> Result:
        result = self._worker.extract(html, url, None)
        self._attempts += result.network_attempts
        return result

    def _article(self) -> Finding:
        self._begin(ARTICLE.name)
        result = self._run(ARTICLE.html, ARTICLE.url)
        self._texts[ARTICLE.name] = _answer(result)
        if result.outcome.failed:
            return _finding(ARTICLE.name, _said(result), "return the text as a str")
        what = "nothing of the article is in its text" if result.text else "its text is empty"
        has_words = any(word in result.text for word in _SOME_WORDS)
        if has_words or self._row.adapter.facts.kind == "control":
            what = ""
        return _finding(ARTICLE.name, what, "see what it returns: bench try NAME PAGE.html")

    def _prints(self) -> Finding:
        time.sleep(_DRAIN_S)
        printed = self._worker.printed.splitlines()
        return _finding(
            "prints nothing",
            f"it prints, such as {printed[0][:60]!r}" if printed else "",
            "silence it: printing costs time, which is measured",
            "advice",
        )

    def _survives(self, case: Case) -> Finding:
        self._begin(case.name)
        result = self._run(case.html, case.url)
        self._texts[case.name] = _answer(result)
        said = _said(result) if result.outcome.failed else ""
        if result.outcome is not Outcome.ERROR:
            return _finding(case.name, said, "bound its time, memory or recursion")
        # Without its URL it is the very article that it has just read.
        level: Level = "fail" if case.html == ARTICLE.html else "advice"
        fix = 'the page counts as failed; return "" where there is no text'
        return _finding(case.name, said, fix, level)

    def _again(self) -> Finding:
        self._begin("repeated calls")
        texts = {_answer(self._run(ARTICLE.html)) for _ in range(REPEATS)}
        is_same = texts == {self._texts[ARTICLE.name]}
        return _finding(
            "repeated calls",
            "" if is_same else "the same page gives another text when it comes again",
            "seed what is random; keep nothing from page to page",
        )

    def _order(self) -> Finding:
        self._begin("order")
        shuffled = list(SMALL)
        random.Random(SEED).shuffle(shuffled)  # noqa: S311
        changed = sorted(
            case.name
            for case in shuffled
            if _answer(self._run(case.html, case.url)) != self._texts[case.name]
        )
        what = f"after other pages, the text of these is another: {', '.join(changed)}"
        return _finding(
            "order",
            what if changed else "",
            "keep nothing from page to page; build a new parser in extract()",
        )

    def _encodings(self) -> Finding:
        self._begin("encodings")
        wrong, failed = [], []
        for page in cases.encoded():
            result = self._run(page.html)
            if result.outcome.failed:
                failed.append(page.label)
            elif page.words in self._run(page.as_utf8).text and page.words not in result.text:
                wrong.append(page.label)
        labels = {"it fails on ": failed, "it garbles ": wrong}
        what = "; ".join(said + ", ".join(names) for said, names in labels.items() if names)
        # A library that decodes for itself has its limits; a str that it garbles is a mistake.
        by_itself = self._row.adapter.facts.accepts == "bytes"
        fix = (
            'accepts = "str" has bench decode'
            if by_itself
            else "the page declares a charset that its str is no longer in; hand the library UTF-8 "
            "bytes and say so, or a str that it does not decode again"
        )
        return _finding("encodings", what, fix, "fail" if wrong and not by_itself else "advice")


def _answer(result: Result) -> str:
    """What must not change: the text, or the way it failed."""
    return result.text or f"<{result.outcome.value}>"


def _said(result: Result) -> str:
    first = result.diagnostics.split("\n", maxsplit=1)[0][:200]
    return f"{result.outcome.value}: {first}" if first else result.outcome.value
