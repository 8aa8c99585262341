"""Rows at scale as a document: rates, cost, memory, losses."""

from collections.abc import Callable, Iterator

from bench.report import sentences
from bench.report.document import TERMINAL, Block, Column, Heading, Items, Table, table
from bench.scoring.scale import DEADLINES_S, Scale, ScaleLine
from bench.util.display import plain
from bench.util.numbers import counted, duration, mib, number, percent

Shown = Callable[[ScaleLine], str]


def document(scale: Scale) -> Iterator[Block]:
    """Yield heading, table and notes."""
    gold = scale.manifest.gold
    yield Heading(f"At scale, from {counted(gold.pages, 'page')} of {plain(gold.name)}")
    yield figures(scale)
    yield Items(notes(scale), loose=True)


def figures(scale: Scale) -> Table:
    """Return a line for each row."""

    def memory(quantile: float) -> Shown:
        return lambda line: mib(line.memory_bytes.get(quantile))

    def lost(limit_s: float) -> Shown:
        return lambda line: percent(line.lost[limit_s], 2)

    def cost(line: ScaleLine) -> str:
        return duration(None if line.core_hours is None else line.core_hours * scale.price)

    deadline = f"{scale.deadline_s:g} s"
    columns: list[tuple[Column, Shown]] = [
        (Column("extractor", "left"), lambda line: line.label),
        (
            Column("pages/s per core", short="pages/s\n/core"),
            lambda line: number(line.pages_per_s_per_core, 1),
        ),
        (
            Column("core-hours per million", short="core-h\n/10⁶"),
            lambda line: duration(line.core_hours),
        ),
        (Column("cost per million", short="cost\n/10⁶"), cost),
        (Column("MiB, median", optional=TERMINAL, short="MiB\n50 %", least=5), memory(0.5)),
        (Column("MiB, 99 %", optional=TERMINAL, short="MiB\n99 %", least=4), memory(0.99)),
        (Column("MiB, most", short="MiB\nmost"), memory(1.0)),
        *(
            (Column(f"% lost at {limit_s:g} s", short=f"% lost\n{limit_s:g} s"), lost(limit_s))
            for limit_s in DEADLINES_S
        ),
        (
            Column("failures per million", short="failed\n/10⁶"),
            lambda line: f"{line.failures.value:,.0f}",
        ),
        (
            Column("95 % interval", optional=TERMINAL, short="95 %", least=3),
            lambda line: f"{line.failures.lo:,.0f}–{line.failures.hi:,.0f}",
        ),
    ]
    if scale.figure:
        title, short = sentences.title(scale.figure), sentences.short_title(scale.figure)
        columns.append(
            (
                Column(f"{title} at {deadline}", short=f"{short}\n{deadline}"),
                lambda line: percent(line.at_deadline.value if line.at_deadline else None),
            )
        )
    return table(columns, scale.lines)


def notes(scale: Scale) -> list[str]:
    """Say what the figures are."""
    lines = [
        "Core-hours are CPU time of answered pages, start-up left out; cost is at "
        f"{scale.price:g} per core-hour, in any currency.",
        "Lost: without an answer in that time, decoding included; a failed page is lost at any "
        "deadline. –: the run's own deadline was shorter.",
        "Failures: the interval is exact (Clopper and Pearson).",
    ]
    if scale.figure:
        title = sentences.title(scale.figure)
        lines.append(f"{title} at {scale.deadline_s:g} s: pages lost then count 0.")
    if not scale.manifest.timings_compare:
        timings = sentences.incomparable(len(scale.manifest.machines))
        lines.append(f"Timings are {timings}: do not quote them.")
    return lines
