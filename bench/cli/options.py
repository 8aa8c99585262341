"""Options and helpers that several verbs share."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.cli import printing
from bench.metrics.ngram import DEFAULT, N
from bench.metrics.texts.unicode import FORMS
from bench.model import Limits, UsageError
from bench.report import forms, markdown, terminal
from bench.report.document import Block
from bench.scoring import metric_catalogue
from bench.util import paths

if TYPE_CHECKING:
    from bench.api import Run
    from bench.cli.progress import RunProgress

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


NO_BUILD = "BENCH_NO_BUILD"
"""Environment variable that makes --no-build the default."""


def _only_one(
    _context: click.Context, option: click.Parameter, names: tuple[str, ...]
) -> str | None:
    """Refuse a second one, where click would forget the first."""
    if len(names) > 1:
        raise UsageError(f"--gold is given twice ({', '.join(names)}); run one data set at a time")
    return names[0] if names else None


gold_or_none = functools.partial(
    click.option,
    "--gold",
    "gold_name",
    multiple=True,
    callback=_only_one,
    metavar="NAME",
)
gold = gold_or_none(
    default=["starter"],
    show_default="starter",
    help="Data set: a name from `bench gold list`, or folder:PATH, warc:PATH, files:LIST.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
as_markdown = click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
pages_shown = click.option(
    "--pages",
    "pages_shown",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    metavar="N",
    help="Show N pages that changed for each row.",
)
results = click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=lambda: paths.working("results"),
    show_default="results/",
    help="Where runs are kept.",
)
deadline = click.option(
    "--deadline",
    type=click.FloatRange(0.01),
    default=Limits.page_s,
    show_default=True,
    metavar="SECONDS",
    help="Time that one page may take.",
)
memory = click.option(
    "--memory",
    type=click.IntRange(64),
    default=Limits.memory_bytes >> 20,
    show_default=True,
    metavar="MIB",
    help="Memory that one worker may take, children included.",
)
price = click.option(
    "--price",
    type=click.FloatRange(min=0),
    default=forms.PRICE,
    show_default=True,
    help="Price of a core-hour, in any currency, for the cost of a million pages.",
)
fresh = click.option(
    "--fresh", is_flag=True, help="Start over, take nothing over from earlier runs."
)
quiet = click.option("--quiet", "-q", is_flag=True, help="No progress.")
metric = click.option(
    "--metric",
    "metric_names",
    multiple=True,
    metavar="NAME[,NAME]",
    help="Metrics, the first ranks; the path of a file adds one: "
    f"{', '.join(metric_catalogue.shipped())}, ngram-N, rouge-N.  [default: ngram, or snippets]",
)
ngram = click.option(
    "--ngram",
    "n",
    type=click.IntRange(1, 20),
    default=N,
    show_default=True,
    metavar="N",
    help="Length of the n-grams that are compared.",
)
normalise = click.option(
    "--normalise",
    type=click.Choice(FORMS),
    help="Score texts in one Unicode form, beside the texts as they are.",
)
rank_by = click.option(
    "--rank-by", metavar="FIGURE", help="The figure that ranks, for example page_f1."
)
variants = click.option(
    "--variants", is_flag=True, help="Rank every variant of a program, not its default alone."
)
weights = click.option(
    "--weights",
    metavar="MIX",
    help="Weigh pages to your own mix: page_type=article:0.7,forum:0.3|language=en:1, a file with a "
    "line for each, or DIMENSION@DATA_SET for that of other pages (language@folder:my-pages).",
)
decode = click.option(
    "--decode",
    type=click.Choice(["harness", "library"]),
    help="Who decodes pages: the harness for all, or each library whose documentation has it do so; "
    "by default as each adapter was written.",
)
isolate = click.option(
    "--isolate", is_flag=True, help="Give every extractor an environment of its own."
)
build = click.option(
    "--build/--no-build",
    default=lambda: not os.environ.get(NO_BUILD),
    help="Make the environments that extractors need and that are not there yet.  [default: build]",
)


def family(name: str, of: type, *options: Decorator) -> Decorator:
    """Return a decorator that adds options to a verb, which gets them as one dataclass ``name``."""
    fields = [field.name for field in dataclasses.fields(of)]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        """Add the options to a verb."""

        @functools.wraps(command)
        def with_family(*arguments: Any, **values: Any) -> Any:
            given = {field: values.pop(field) for field in fields if field in values}
            return command(*arguments, **{name: of(**given)}, **values)

        verb: Callable[..., Any] = with_family
        for option in reversed(options):
            verb = option(verb)
        return verb

    return decorate


@dataclass(frozen=True)
class Output:
    """The form in which a verb prints its facts: for a terminal, as Markdown or as JSON."""

    as_json: bool
    as_markdown: bool = False

    def __post_init__(self) -> None:
        if self.as_json and self.as_markdown:
            raise UsageError("give --json or --markdown, not both")

    def show(
        self, item: Any, document: Callable[..., Iterable[Block]], facts: Any = None, **how: Any
    ) -> None:
        """Print the document of an item, ``how`` it is to be, or as JSON its ``facts``, or itself."""
        if self.as_json:
            printing.print_json(item if facts is None else facts)
        elif self.as_markdown:
            click.echo(markdown.render(document(item, **how)), nl=False)
        else:
            terminal.show(document(item, **how), printing.console())


@dataclass(frozen=True)
class Places:
    """Where runs, and what is written about them, are kept."""

    results: Path
    reports: Path


@dataclass(frozen=True)
class Environments:
    """Which extractors get an environment of their own, and whether it is made."""

    build: bool
    isolate: bool = False

    def prepared(
        self, rows: Sequence[Row], shown: RunProgress, more: Sequence[str] = ()
    ) -> list[Row]:
        """Return the rows with the environments that they need, and show how making them goes.

        ``more`` are requirements that each environment holds beside its own.
        """
        # Imported here: finding and making environments is not needed to print help.
        from bench.adapters.environments import assign

        try:
            return assign.prepared(
                rows, isolate=self.isolate, build=self.build, more=more, progress=shown
            )
        except KeyboardInterrupt:
            shown.__exit__()
            click.echo(
                "\nbench: stopped while environments were made; finished ones are kept, and no "
                "page was run",
                err=True,
            )
            raise


@dataclass(frozen=True)
class RunOptions:
    """How often, how many at once and within what limits extractors are run."""

    repeats: int
    jobs: int
    deadline: float
    memory: int
    pin: int | None
    isolation: str = "auto"

    @property
    def limits(self) -> Limits:
        """What a worker may take."""
        return Limits(page_s=self.deadline, memory_bytes=self.memory << 20)

    def check(self) -> None:
        """Raise ``UsageError`` for what cannot be had here, or together."""
        if self.repeats > 1 and self.jobs > 1:
            raise UsageError("--repeat measures one extractor at a time; leave out --jobs")
        if self.isolation == "require":
            from bench.runs import worker_home

            worker_home.require_isolation()
        if self.pin is None:
            return
        if not hasattr(os, "sched_getaffinity"):
            raise UsageError("this system cannot bind a process to a CPU; leave out --pin")
        allowed = sorted(os.sched_getaffinity(0))
        if self.pin not in allowed:
            raise UsageError(f"there is no CPU {self.pin} for us; --pin takes one of {allowed}")


@dataclass(frozen=True)
class ScoreOptions:
    """Under which metrics texts are scored."""

    metric_names: tuple[str, ...]
    """Names of metrics, and files; none for what fits the data set's gold."""
    n: int
    """Length of the n-grams that plain ``ngram`` means."""
    normalise: str | None = None
    rank_by: str | None = None
    variants: bool = False
    weights: str | None = None

    @property
    def metrics(self) -> list[str]:
        """Names of metrics, plain ``ngram`` with its length; none for what fits the gold."""
        names = [name.strip() for word in self.metric_names for name in word.split(",")]
        if self.n != N:
            names = [f"{DEFAULT}-{self.n}" if n == DEFAULT else n for n in names or [DEFAULT]]
        if self.normalise:
            names = names or [DEFAULT]
            names = [*(f"{name}+{self.normalise}" for name in names), *names]
        if self.rank_by:
            first, *others = names or [DEFAULT]
            names = [f"{first}:{self.rank_by}", *others]
        return names

    def run(self, run_id: str | None, results: Path) -> Run:
        """Open a stored run, by default the latest finished one. Raises what ``api`` raises."""
        from bench import api
        from bench.cli import progress

        return api.open_run(
            run_id,
            results=results,
            metrics=self.metrics,
            variants=self.variants,
            weights=self.weights,
            progress=progress.bar(),
        )


output = family("output", Output, as_json)
output_or_markdown = family("output", Output, as_markdown, as_json)
places = family(
    "places",
    Places,
    results,
    click.option(
        "--reports",
        type=click.Path(path_type=Path, file_okay=False),
        default=lambda: paths.working("reports"),
        show_default="reports/",
        help="Where tables are written.",
    ),
)
environments = family("environments", Environments, isolate, build)
measuring = family(
    "measuring",
    RunOptions,
    click.option(
        "--repeat",
        "repeats",
        type=click.IntRange(1, 1000),
        default=1,
        show_default=True,
        metavar="N",
        help="Measure each cell N times, extractors taking turns: for timings to quote.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1, 256),
        default=1,
        show_default=True,
        metavar="N",
        help="Run N extractors at once; their timings are contended and not ranked.",
    ),
    deadline,
    memory,
    click.option("--pin", type=click.IntRange(0), metavar="CPU", help="Bind workers to one CPU."),
    click.option(
        "--isolation",
        type=click.Choice(["auto", "require"]),
        default="auto",
        show_default=True,
        help="Keep extractors from files, processes and network as far as this machine can "
        "(auto), or do not run at all where something is missing (require).",
    ),
)
building = family("environments", Environments, build)
scoring = family("scoring", ScoreOptions, metric, ngram, normalise)
ranking = family("scoring", ScoreOptions, metric, ngram, normalise, rank_by, variants)
weighing = family("scoring", ScoreOptions, metric, ngram, normalise, rank_by, variants, weights)


def _use_adapters(
    _context: click.Context, _option: click.Parameter, chosen: Sequence[Path]
) -> None:
    """Have the registry find the adapters that the user named; say which others they stand in for."""
    if chosen:
        for line in registry.use(chosen):
            printing.tell(line)


adapter = click.option(
    "--adapter",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    expose_value=False,
    callback=_use_adapters,
    help="An adapter file (.py or .R), or a folder of them, beside those that ship; repeatable.",
)
