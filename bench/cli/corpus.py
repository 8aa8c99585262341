"""``bench corpus``: pages as a corpus of words, phrases and text."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import JustifyMethod

from bench.cli import options, printing, progress
from bench.model import Limits, UsageError
from bench.util.display import plain
from bench.util.numbers import counted, megabytes, number, percent

if TYPE_CHECKING:
    from bench.corpus.store import Store

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
        _show(built)


@command.command(epilog="Examples: bench corpus stats corpus · bench corpus stats corpus --json")
@corpus
@options.as_json
def stats(corpus: Path, as_json: bool) -> None:
    """Say how large a corpus is, and what became of its documents."""
    from bench.corpus.store import Store

    with Store(corpus) as store:
        if as_json:
            printing.print_json(store.stats())
        else:
            _show(store)


def _show(store: Store) -> None:
    facts = store.stats()
    words, distinct = facts["words"], facts["distinct_words"]
    click.echo(
        f"{counted(facts['texts'], 'text')}, {megabytes(facts['bytes'])}: {words:,} words, "
        f"{distinct:,} distinct, {facts['phrases']:,} phrases"
    )
    for name, counts in facts["documents"].items():
        if counts:
            each = ", ".join(f"{count:,} {value}" for value, count in counts.items())
            click.echo(plain(f"by {name}: {each}"))


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
@options.as_json
def words(corpus: Path, top: int, containing: str, min_share: float, as_json: bool) -> None:
    """Show words with their frequencies, the most frequent first."""
    from bench.corpus.store import Store

    with Store(corpus) as store:
        matches = store.words(containing, min_share)
        total = store.stats()["words"]
    if as_json:
        listed = [
            {"word": word, "frequency": count, "share": count / total}
            for word, count in matches[:top]
        ]
        printing.print_json({"words": total, "matches": len(matches), "listed": listed})
        return
    columns: dict[str, JustifyMethod] = {"word": "left", "frequency": "right"}
    rows = [(word, f"{count:,}") for word, count in matches[:top]]
    printing.console().print(printing.grid(columns, rows))
    if len(matches) > top:
        printing.tell(f"{len(matches) - top:,} more; --top shows them")


@command.command(epilog="Example: bench corpus phrases corpus --containing gramatic")
@corpus
@top
@containing
@options.as_json
def phrases(corpus: Path, top: int, containing: str, as_json: bool) -> None:
    """Show phrases that occur most often: what pages repeat comes first."""
    from bench.corpus.store import Store

    with Store(corpus) as store:
        matches = store.phrases(containing, top)
    if as_json:
        printing.print_json([{"phrase": text, "frequency": count} for text, count in matches])
        return
    columns: dict[str, JustifyMethod] = {"phrase": "left", "frequency": "right"}
    rows = [(text, f"{count:,}") for text, count in matches]
    printing.console().print(printing.grid(columns, rows))


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
@options.as_json
def growth(corpus: Path, sizes: list[int], out: Path | None, as_json: bool) -> None:
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
    if as_json:
        printing.print_json([asdict(size) for size in after])
        return
    columns: dict[str, JustifyMethod] = dict.fromkeys(
        ("texts", "words", "distinct", "glued forms", "word : form", "a tenth or less %"), "right"
    )
    rows = [
        (f"{size.texts:,}", f"{size.words:,}", f"{size.distinct_words:,}", f"{size.glued:,}",
         number(size.ratio, 1), percent(size.below)) for size in after
    ]  # fmt: skip
    printing.console().print(printing.grid(columns, rows))


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
@options.as_json
@options.quiet
def compare(
    pages: str,
    extractors: str,
    jobs: int,
    deadline: float,
    memory: int,
    environments: options.Environments,
    results: Path,
    as_json: bool,
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
    if as_json:
        printing.print_json(compared.to_json())
        return
    columns: dict[str, JustifyMethod] = {"extractor": "left"}
    columns |= dict.fromkeys(("words", "noise %", *noise.KINDS, "F1"), "right")
    lines = [
        (one.label, f"{one.words:,}", percent(one.noise, 3),
         *(f"{percent(one.tokens[kind], 3)} · {percent(one.types[kind], 3)}" for kind in noise.KINDS),
         percent(one.f1))
        for one in compared.lines
    ]  # fmt: skip
    printing.console().print(printing.grid(columns, lines, whole=("extractor", *noise.KINDS)))
    click.echo("Each kind: its share of all words · of distinct words, in per cent.")
    if compared.spearman is not None:
        click.echo(
            f"Spearman's rank correlation of noise and F1 over {len(lines)} extractors: "
            f"{compared.spearman:.2f} (95 % {compared.lo:.2f} to {compared.hi:.2f}, bootstrap over "
            f"{counted(compared.pages, 'page')})"
        )
