"""``bench try``: one extractor on one page: its text, its cost, and where it differs from the gold."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.cli import options, printed_diff, printing, progress
from bench.datasets import catalogue
from bench.metrics.ngram import Ngram
from bench.model import BenchError, Gold, GoldPage, Limits, Page, UsageError
from bench.util import suggest
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


@click.command(
    epilog="Examples: bench try trafilatura page.html · bench try readability starter/ID · "
    "curl URL | bench try trafilatura:precision - · bench try mine --adapter mine.py starter/ID"
)
@click.argument("name", metavar="NAME[:VARIANT]")
@click.argument("page", metavar="PAGE")
@options.adapter
@click.option(
    "--gold",
    "gold_name",
    metavar="NAME",
    help="PAGE is the id of a page of this data set (or write NAME/ID).",
)
@click.option("--url", help="The page's address, for a file or standard input.")
@options.deadline
@click.option("--full", is_flag=True, help="Show everything, also what is the same.")
@options.as_json
@click.pass_context
def command(
    context: click.Context,
    name: str,
    page: str,
    gold_name: str | None,
    url: str | None,
    deadline: float,
    full: bool,
    as_json: bool,
) -> None:
    """Run one extractor on one page; show its text, what it cost and, with gold, its score.

    PAGE is a file, - for standard input, or DATASET/ID for a page of a data set. With gold, words
    that are missing are marked [-so-], surplus ones {+so+}, and long stretches that are the same
    are left out. The text goes to standard output, everything else to standard error.
    """
    from bench.runs import one_page

    row = _row(name)
    item = _page(page, gold_name, url)
    result = one_page.extract(row, item, Limits(page_s=deadline), progress.bar())
    gold = item.gold.text
    score = _score(item, result)
    if as_json:
        printing.print_json(_facts(row, item, result, score))
    else:
        _show(result, gold, full=full)
        for line in _lines(row, item, result, score):
            click.echo(plain(line), err=True)
    context.exit(1 if result.outcome.failed else 0)


def _row(name: str) -> Row:
    rows = registry.rows([name])
    if len(rows) > 1:
        raise UsageError(f"{name} means {', '.join(r.label for r in rows)}; try one at a time")
    (row,) = rows
    if not row.adapter.available:
        raise BenchError(f"{row.label}: {row.adapter.problem}; to mend: {row.adapter.remedy}")
    return row


def _page(word: str, gold_name: str | None, url: str | None) -> GoldPage:
    """Return the page that a word means. Raises ``UsageError`` where it means none."""
    if gold_name is not None:
        return _of_data_set(gold_name, word)
    if word == STDIN:
        return GoldPage(Page("standard input", sys.stdin.buffer.read(), url), Gold(None))
    if Path(word).is_file():
        return GoldPage(Page(word, Path(word).read_bytes(), url), Gold(None))
    data_set, slash, page_id = word.rpartition("/")
    if not slash:
        raise UsageError(f"there is no file {word}; a data set's page is DATASET/ID")
    if not data_set or Path(word).suffix in (".html", ".htm", ".gz"):
        raise UsageError(f"there is no file {word}")
    return _of_data_set(data_set, page_id)


def _of_data_set(name: str, page_id: str) -> GoldPage:
    data_set = catalogue.open_gold(name)
    if page_id not in data_set.ids:
        hint = suggest.hint(page_id, data_set.ids, f"the first is {data_set.ids[0]}")
        raise UsageError(f"{name} has no page {page_id!r}; {hint}")
    return data_set.read(page_id)


def _show(result: Result, gold: str | None, *, full: bool) -> None:
    console = printing.console()
    if gold is None or result.outcome.failed:
        text = printed_diff.clean(result.text).rstrip("\n")
        if console.is_terminal and not full and len(text) > _SHOWN_CHARS:
            left = len(text) - _SHOWN_CHARS
            text = f"{text[:_SHOWN_CHARS]}\n[… {left:,} characters more; --full shows them …]"
        if text:
            click.echo(text)
        return
    printed_diff.show(console, gold, result.text, full=full)


def _lines(row: Row, item: GoldPage, result: Result, score: Score | None) -> list[str]:
    usage = result.usage
    version = f" {row.adapter.version}" if row.adapter.version else ""
    lines = [
        f"{row.label}{version} on {item.page.id}: {result.outcome.value}, "
        f"{len(result.text):,} characters",
        f"wall {duration(usage.wall_s * 1000)} ms, CPU {duration(usage.cpu_s * 1000)} ms, "
        f"peak {mib(usage.rss_peak_bytes)} MiB",
    ]
    if result.network_attempts:
        lines.append(f"{result.network_attempts} attempts to reach the network, which is not there")
    if score is not None:
        from bench.report import sentences

        named = ", ".join(f"{sentences.title(name)} {percent(score[name])}" for name in _SHOWN)
        lines.append(f"{Ngram().n}-grams: {named}")
    if result.diagnostics:
        lines += result.diagnostics.splitlines()[:20]
    return lines


def _score(item: GoldPage, result: Result) -> Score | None:
    from bench.scoring import scores

    metric = Ngram()
    if not metric.applies(item.gold):
        return None
    return scores.of_page(metric, item, result.outcome, result.text).of_cell(0, 0)


def _facts(row: Row, item: GoldPage, result: Result, score: Score | None) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "extractor": row.label,
        "version": row.adapter.version,
        "page": item.page.id,
        "outcome": result.outcome.value,
        "text": result.text,
        "usage": asdict(result.usage),
        "network_attempts": result.network_attempts,
        "diagnostics": result.diagnostics,
    }
    if score is not None and item.gold.text is not None:
        facts["score"] = {name: score[name] for name in _SHOWN}
        answer = None if result.outcome.failed else result.text
        facts["spans"] = printed_diff.to_json(item.gold.text, answer)
    return facts
