"""``bench try``: extractors on one page: text, cost, and where it differs from the gold."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.cli import options, printed_diff, printing, progress
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.metrics.ngram import Ngram
from bench.model import BenchError, Gold, GoldPage, Limits, Page, UsageError
from bench.report import terminal
from bench.report.document import Column, Table, table
from bench.util import paths
from bench.util.display import plain
from bench.util.numbers import duration, mib, percent

if TYPE_CHECKING:
    from bench.runs.process import Result

Score = Mapping[str, float | None]
"""Figures of the page; None where it has no such figure."""

STDIN = "-"
_SHOWN = ("precision", "recall", "f1")
_SHOWN_CHARS = 6000
"""A longer text is cut on a terminal, unless --full says otherwise."""


@dataclass(frozen=True)
class Tried:
    """What one row made of the page."""

    row: Row
    result: Result
    score: Score | None

    @property
    def title(self) -> str:
        """Label and version."""
        return f"{self.row.label} {self.row.adapter.version or ''}".rstrip()


@click.command(
    epilog="Examples: bench try trafilatura page.html · bench try readability starter/ID · "
    "bench try trafilatura readability justext 02aa · curl URL | bench try trafilatura:precision -"
)
@click.argument("names", nargs=-1, required=True, metavar="NAME[:VARIANT]...")
@click.argument("page", metavar="PAGE")
@options.adapter
@options.gold_or_none(help="PAGE is a page of this data set (or write NAME/ID).")
@click.option("--url", help="The page's address, for a file or standard input.")
@options.deadline
@click.option("--full", is_flag=True, help="Show everything, also what is the same.")
@options.as_json
@click.pass_context
def command(
    context: click.Context,
    names: tuple[str, ...],
    page: str,
    gold_name: str | None,
    url: str | None,
    deadline: float,
    full: bool,
    as_json: bool,
) -> None:
    """Run extractors on one page; show each text, what it cost and, with gold, its score.

    PAGE is a file, - for standard input, DATASET/ID for a page of a data set, or the beginning of
    an id, of the latest run's data set unless --gold says which. With gold, words that are missing
    are marked [-so-], surplus ones {+so+}, and long stretches that are the same are left out. The
    text goes to standard output, everything else to standard error; several extractors are
    compared in a table first.
    """
    from bench.runs import one_page

    rows = [_available(row) for row in registry.rows(names)]
    item, language = _page(page, gold_name, url)
    bar, limits = progress.bar(), Limits(page_s=deadline)
    tried = []
    for row in rows:
        result = one_page.extract(row, item, limits, bar)
        tried.append(Tried(row, result, _score(item, language, result)))
    if as_json:
        facts = [_facts(one, item) for one in tried]
        printing.print_json(facts[0] if len(facts) == 1 else facts)
    else:
        if len(tried) > 1:
            terminal.show([_table(tried)], printing.console())
        for one in tried:
            if len(tried) > 1:
                click.echo(f"\n{plain(one.title)}")
            _show(one.result, item.gold.text, full=full)
            for line in _lines(one, item):
                click.echo(plain(line), err=True)
    context.exit(1 if any(one.result.outcome.failed for one in tried) else 0)


def _available(row: Row) -> Row:
    if not row.adapter.available:
        raise BenchError(f"{row.label}: {row.adapter.problem}; fix: {row.adapter.remedy}")
    return row


def _page(word: str, gold_name: str | None, url: str | None) -> tuple[GoldPage, str | None]:
    """Return the page that a word means, and its language; ``UsageError`` where it means none."""
    if gold_name is not None:
        return _of_data_set(catalogue.open_gold(gold_name), word)
    if word == STDIN:
        return GoldPage(Page("standard input", sys.stdin.buffer.read(), url), Gold(None)), None
    if Path(word).is_file():
        return GoldPage(Page(word, Path(word).read_bytes(), url), Gold(None)), None
    if Path(word).suffix in (".html", ".htm", ".gz"):
        raise UsageError(f"there is no file {word}")
    data_set, _, page_id = word.rpartition("/")
    if data_set:
        return _of_data_set(catalogue.open_gold(data_set), page_id)
    from bench.runs.store import runs
    from bench.scoring import stored_run

    run = runs.latest(paths.working("results"))
    known = catalogue.open_gold("starter") if run is None else stored_run.data_set(run)
    return _of_data_set(known, word)


def _of_data_set(data_set: DataSet, beginning: str) -> tuple[GoldPage, str | None]:
    from bench.scoring import scores

    page_id = data_set.page_id(beginning)
    return data_set.read(page_id), scores.languages(data_set)[page_id]


def _table(tried: Sequence[Tried]) -> Table:
    """Return a table with a line for each row."""
    from bench.report import sentences

    def figure(name: str, one: Tried) -> str:
        return "–" if one.score is None else percent(one.score[name])

    return table(
        [
            (Column("extractor", "left", fold=1), lambda one: one.title),
            *((Column(sentences.short_title(name)), partial(figure, name)) for name in _SHOWN),
            (Column("words"), lambda one: f"{len(one.result.text.split()):,}"),
            (Column("outcome", "left"), lambda one: one.result.outcome),
            (Column("ms"), lambda one: duration(one.result.usage.wall_s * 1000)),
        ],
        tried,
        space=(0, 0),
    )


def _show(result: Result, gold: str | None, *, full: bool) -> None:
    console = printing.console()
    if gold is not None and not result.outcome.failed:
        printed_diff.show(console, gold, result.text, full=full)
        return
    text = printed_diff.clean(result.text).rstrip("\n")
    left = len(text) - _SHOWN_CHARS
    if console.is_terminal and not full and left > 0:
        text = f"{text[:_SHOWN_CHARS]}\n[… {left:,} characters more; --full shows them …]"
    if text:
        click.echo(text)


def _lines(one: Tried, item: GoldPage) -> Iterator[str]:
    result, usage = one.result, one.result.usage
    yield f"{one.title} on {item.page.id}: {result.outcome.value}, {len(result.text):,} characters"
    yield (
        f"wall {duration(usage.wall_s * 1000)} ms, CPU {duration(usage.cpu_s * 1000)} ms, "
        f"peak {mib(usage.rss_peak_bytes)} MiB"
    )
    if result.network_attempts:
        yield f"{result.network_attempts} attempts to reach the network, which is not there"
    if one.score is not None:
        from bench.report import sentences

        named = ", ".join(f"{sentences.title(name)} {percent(one.score[name])}" for name in _SHOWN)
        yield f"{Ngram().n}-grams: {named}"
    yield from result.diagnostics.splitlines()[:20]


def _score(item: GoldPage, language: str | None, result: Result) -> Score | None:
    from bench.scoring import scores

    metric = Ngram()
    if not metric.applies(item.gold):
        return None
    return scores.of_page(metric, item, language, result.outcome, result.text).of_cell(0, 0)


def _facts(one: Tried, item: GoldPage) -> dict[str, Any]:
    result, score = one.result, one.score
    facts: dict[str, Any] = {
        "extractor": one.row.label,
        "version": one.row.adapter.version,
        "page": item.page.id,
        "outcome": result.outcome.value,
        "text": result.text,
        "usage": result.usage,
        "network_attempts": result.network_attempts,
        "diagnostics": result.diagnostics,
    }
    if score is not None and item.gold.text is not None:
        facts["score"] = {name: score[name] for name in _SHOWN}
        answer = None if result.outcome.failed else result.text
        facts["spans"] = printed_diff.to_json(item.gold.text, answer)
    return facts
