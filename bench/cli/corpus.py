"""``bench corpus``: pages as a corpus of words, phrases and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bench.cli import options, printing, progress
from bench.model import Limits, UsageError
from bench.report import terminal
from bench.report.document import Column, Paragraph, Table, listing
from bench.util.numbers import counted, megabytes, number, percent

if TYPE_CHECKING:
    from bench.corpus.growth import Size
    from bench.corpus.noise import Compared, Line

_folder = click.Path(file_okay=False, path_type=Path)
_TOP = 20


@click.group()
def command() -> None:
    """Build a corpus from pages: words with frequencies, phrases, one file of text."""


jobs = click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Workers at once.",
)
top = click.option(
    "--top", type=click.IntRange(1), default=_TOP, show_default=True, help="Show so many."
)
containing = click.option(
    "--containing", default="", metavar="TEXT", help="That have this in them, accents or not."
)
corpus = click.argument("corpus", type=_folder)


@command.command(
    epilog="Examples: bench corpus build my-pages --extractor trafilatura --out corpus · "
    "bench corpus build aeb --extractor coherent:energy --filters symbols,punctuation --out corpus"
)
@click.argument("pages")
@click.option(
    "--extractor",
    required=True,
    metavar="NAME[:VARIANT]",
    help="What extracts HTML; coherent:energy and coherent:links give every coherent text.",
)
@click.option(
    "--filters",
    default="",
    metavar="NAME[,NAME]",
    help="What texts go through: symbols, punctuation, sentences, clean.",
)
@click.option("--language", metavar="CODE", help="Keep texts in this language: en, es, pl, …")
@click.option(
    "--out", type=_folder, required=True, help="Where the corpus is built, or gone on with."
)
@jobs
@options.deadline
@options.memory
@options.building
@options.adapter
@options.quiet
def build(
    pages: str,
    extractor: str,
    filters: str,
    language: str | None,
    out: Path,
    jobs: int,
    deadline: float,
    memory: int,
    environments: options.Environments,
    quiet: bool,
) -> None:
    """Build a corpus from PAGES, or go on with one.

    PAGES is a folder of documents or what `bench collect` wrote, a WARC file, or a data set's name.
    """
    from bench.corpus import build as builds
    from bench.corpus import components, documents, store

    html = components.for_html(extractor, filters.replace(" ", "").split(",") if filters else [])
    shown = progress.RunProgress(quiet=quiet)
    (row,) = environments.prepared([html.row], shown)
    html = replace(html, row=row)
    given = documents.open_documents(pages)
    settings = builds.Settings(html, language and language.lower())
    try:
        with shown.running(len(given.data_set)):
            builds.build(
                given,
                pages,
                settings,
                out,
                jobs=jobs,
                limits=Limits(page_s=deadline, memory_bytes=memory << 20),
                events=shown,
            )
    except KeyboardInterrupt:
        printing.tell("stopped; the same command goes on")
        raise
    with store.Store(out) as built:
        terminal.show(_stats(built.stats()), printing.console())


@command.command(epilog="Examples: bench corpus stats corpus · bench corpus stats corpus --json")
@corpus
@options.output
def stats(corpus: Path, output: options.Output) -> None:
    """Say how large a corpus is, and what became of its documents."""
    from bench.corpus.store import Store

    with Store(corpus) as store:
        output.show(store.stats(), _stats)


def _stats(facts: dict[str, Any]) -> Iterator[Paragraph]:
    yield Paragraph(
        f"{counted(facts['texts'], 'text')}, {megabytes(facts['bytes'])}: {facts['words']:,} words, "
        f"{facts['distinct_words']:,} distinct, {facts['phrases']:,} phrases"
    )
    for name, counts in facts["documents"].items():
        if counts:
            shares = ", ".join(f"{count:,} {value}" for value, count in counts.items())
            yield Paragraph(f"by {name}: {shares}")


@command.command(
    epilog="Examples: bench corpus words corpus --top 50 · "
    "bench corpus words corpus --containing gramatic --min-share 1e-6"
)
@corpus
@top
@containing
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="That are at least this share of all words: rarer ones are mostly noise.",
)
@options.output
def words(
    corpus: Path, top: int, containing: str, min_share: float, output: options.Output
) -> None:
    """Show words with their frequencies, the most frequent first."""
    from bench.corpus.store import Store

    with Store(corpus) as store:
        matches = store.words(containing, min_share)
        total = store.stats()["words"]
    listed = [
        {"word": word, "frequency": count, "share": count / total} for word, count in matches[:top]
    ]
    facts = {"words": total, "matches": len(matches), "listed": listed}
    output.show(matches[:top], _frequencies, facts, kind="word")
    if len(matches) > top and not output.as_json:
        printing.tell(f"{len(matches) - top:,} more; --top shows them")


def _frequencies(counts: Sequence[tuple[str, int]], kind: str) -> Iterator[Table]:
    yield listing(
        [
            (Column(kind, "left", fold=1), lambda pair: pair[0]),
            (Column("frequency", fold=1), lambda pair: f"{pair[1]:,}"),
        ],
        counts,
    )


@command.command(epilog="Example: bench corpus phrases corpus --containing gramatic")
@corpus
@top
@containing
@options.output
def phrases(corpus: Path, top: int, containing: str, output: options.Output) -> None:
    """Show phrases that occur most often: what pages repeat comes first."""
    from bench.corpus.store import Store

    with Store(corpus) as store:
        matches = store.phrases(containing, top)
    facts = [{"phrase": text, "frequency": count} for text, count in matches]
    output.show(matches, _frequencies, facts, kind="phrase")


def _sizes_of(_: click.Context, __: click.Parameter, value: str) -> list[int]:
    sizes = [int(word) if word.strip().isdigit() else 0 for word in value.split(",")]
    if min(sizes) < 1:
        raise UsageError(f"--at: {value!r} is no list of numbers of texts: 300,2000")
    return sizes


@command.command(epilog="Example: bench corpus growth corpus --at 300,2000 --out growth")
@corpus
@click.option(
    "--at", "sizes", required=True, callback=_sizes_of, metavar="N,N", help="After so many texts."
)
@click.option("--out", type=_folder, help="Where the chart is written.")
@options.output
def growth(corpus: Path, sizes: list[int], out: Path | None, output: options.Output) -> None:
    """Show how words and glued words part as a corpus grows: frequency tells them the better.

    Glued forms are guessed: two words of the corpus run together, each more frequent than the form.
    """
    from bench.corpus import growth as growing
    from bench.corpus.store import Store

    with Store(corpus) as store:
        after = growing.growth(store, sizes)
    if out is not None:
        from bench.report.charts import growth as chart

        chart.write_growth(after, corpus.name, out)
    output.show(after, _sizes)


def _sizes(sizes: Sequence[Size]) -> Iterator[Table]:
    yield listing(
        [
            (Column("texts", fold=1), lambda size: f"{size.texts:,}"),
            (Column("words", fold=1), lambda size: f"{size.words:,}"),
            (Column("distinct", fold=1), lambda size: f"{size.distinct_words:,}"),
            (Column("glued forms", fold=1), lambda size: f"{size.glued:,}"),
            (Column("word : form", fold=1), lambda size: number(size.ratio, 1)),
            (Column("a tenth or less %", fold=1), lambda size: percent(size.below)),
        ],
        sizes,
    )


@command.command(
    epilog="Example: bench corpus compare my-pages --extractors trafilatura,justext,html_text"
)
@click.argument("pages")
@click.option(
    "--extractors", required=True, metavar="NAME[,NAME]", help="What extracts the HTML of PAGES."
)
@jobs
@options.deadline
@options.memory
@options.building
@options.adapter
@options.results
@options.output
@options.quiet
def compare(
    pages: str,
    extractors: str,
    jobs: int,
    deadline: float,
    memory: int,
    environments: options.Environments,
    results: Path,
    output: options.Output,
    quiet: bool,
) -> None:
    """Compare extractors by the noise that they leave: words glued, mojibake, markup.

    Noise is what the page itself does not say. With gold it is also compared with F1.
    """
    from bench.adapters import registry
    from bench.cli.run import carried_out
    from bench.corpus import documents, noise
    from bench.runs.plan import Plan

    shown = progress.RunProgress(quiet=quiet)
    rows = environments.prepared(registry.rows(filter(None, extractors.split(","))), shown)
    limits = Limits(page_s=deadline, memory_bytes=memory << 20)
    data_set = documents.open_html(pages)
    plan = Plan(rows, data_set, jobs=jobs, limits=limits)
    compared = noise.compare(carried_out(plan, results, shown, fresh=False), data_set)
    output.show(compared, _noise)
    if output.as_json:
        return
    click.echo("Each kind: its share of all words · of distinct words, in per cent.")
    if compared.spearman is not None:
        click.echo(
            f"Spearman's rank correlation of noise and F1 over {len(compared.lines)} extractors: "
            f"{compared.spearman:.2f} (95 % {compared.lo:.2f} to {compared.hi:.2f}, bootstrap over "
            f"{counted(compared.pages, 'page')})"
        )


def _noise(compared: Compared) -> Iterator[Table]:
    def shares(kind: str, line: Line) -> str:
        return f"{percent(line.tokens[kind], 3)} · {percent(line.types[kind], 3)}"

    yield listing(
        [
            (Column("extractor", "left"), lambda line: line.label),
            (Column("words", fold=1), lambda line: f"{line.words:,}"),
            (Column("noise %", fold=1), lambda line: percent(line.noise, 3)),
            *((Column(kind), partial(shares, kind)) for kind in compared.lines[0].tokens),
            (Column("F1", fold=1), lambda line: percent(line.f1)),
        ],
        compared.lines,
    )
