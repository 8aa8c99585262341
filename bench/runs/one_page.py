"""One row on one page, outside any run."""

from collections.abc import Mapping
from dataclasses import replace

from bench.adapters import chain
from bench.adapters.adapter import Row
from bench.model import BenchError, GoldPage, Limits, UsageError
from bench.runs.ensemble_inputs import in_all
from bench.runs.process import LoadFailed, Result
from bench.runs.supervise import outside_a_run
from bench.util.progress import SILENT, Progress

_DIAGNOSTICS = 20
"""Lines of what an extractor said that could not be loaded."""


def extract(row: Row, item: GoldPage, limits: Limits, progress: Progress = SILENT) -> Result:
    """Run a row on a page; for an ensemble its members first, whose cost is added to its own.

    Raises ``UsageError`` where it is handed the gold and the page has none, ``BenchError`` where it
    cannot be loaded.
    """
    if row.adapter.facts.handed_gold and item.gold.text is None:
        raise UsageError(f"{row.label} is handed the gold, and this page has none")
    members = {member.label: _run(member, item, {}, limits, progress) for member in row.members}
    texts = {label: result.text for label, result in members.items()}
    result = _run(row, item, texts, limits, progress)
    consulted = list(members.values())[: chain.consulted(row, texts)]
    usages = [result.usage, *(answer.usage for answer in consulted)]
    return replace(result, usage=in_all(usages))


def _run(
    row: Row, item: GoldPage, texts: Mapping[str, str], limits: Limits, progress: Progress
) -> Result:
    try:
        with outside_a_run("bench-page", limits) as worker_of:
            payload = row.handed(item, texts)
            return worker_of(row).extract(payload, item.page.url, item.page.encoding)
    except LoadFailed as error:
        for line in filter(str.strip, error.diagnostics.splitlines()[:_DIAGNOSTICS]):
            progress.say(line)
        raise BenchError(f"{row.label} cannot be loaded: {error.reason}") from None
