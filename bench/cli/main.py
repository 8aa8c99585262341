"""``bench``: the verbs, loaded when called, and the one place where errors become lines."""

import io
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

import click

from bench.cli import config, printing
from bench.cli.lazy_group import LazyGroup
from bench.model import BenchError
from bench.util import paths

SECTIONS = {
    "Run and compare": {
        "run": "Run extractors over a data set, score them and write the leaderboard.",
        "leaderboard": "Show a stored run's leaderboard, whole or slice by slice.",
        "compare": "Compare runs, rows or outputs: what is better, worse, and on which pages.",
        "show": "Show what a stored run made of one page, marked against its gold.",
        "report": "Write stored runs as a site: tables, charts, every page with its marked texts.",
        "check": "Fail if an extractor became worse than a baseline, or than another version.",
        "metrics": "Say whether a ranking holds under other metrics and on other data sets.",
        "history": "Run every release of an extractor: quality and cost over versions.",
        "speed": "Measure extractors cold, warm and in parallel.",
        "reproduce": "Run a published table again at its own versions, and compare.",
        "runs": "List, show, tag, merge and remove runs.",
    },
    "Extractors": {
        "list": "List the extractors: version, language, what each does, what is missing.",
        "try": "Run extractors on one page: text, cost, score.",
        "new": "Write the file of a new extractor, ready to be filled in.",
        "doctor": "Check that an extractor keeps its promises, and say what to fix.",
        "env": "Make, list and remove the environments of extractors.",
        "setup": "Install what extractors outside Python need.",
    },
    "Pages and gold": {
        "gold": "Fetch, list and verify data sets.",
        "collect": "Collect pages from the web, politely, as WARC.",
        "survey": "Show what can be said of a stored run without gold.",
        "label": "Mark the main text of your own pages in a browser: gold by clicking.",
    },
    "Texts": {
        "score": "Score stored texts, or other people's outputs, under any metric.",
        "export": "Write a run's texts as files that other benchmarks read.",
        "corpus": "Build a corpus from pages: words, phrases, text.",
        "coherent": "Give every coherent text of a page, with its energy and place.",
        "webreader": "Check specifications of sites, and apply them to pages.",
    },
}
VERBS = [verb for section in SECTIONS.values() for verb in section]
START = (
    ("bench list", "which extractors there are"),
    ("bench try trafilatura PAGE.html", "what one makes of a page"),
    ("bench run trafilatura readability", "measure some on the starter set, rank them"),
    ("bench report", "the last run as a site: charts, tables"),
)
"""What most people want first."""
INTERRUPTED = 130


class Terminated(BaseException):
    """SIGTERM: unwind as for Ctrl-C."""


class _Verbs(LazyGroup):
    """The verbs; some take their options' defaults from ``bench.toml``."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name in config.VERBS and command is not None:
            ctx.default_map = {name: config.defaults(name, command)}
        return name, command, rest


@click.group(
    cls=_Verbs,
    package="bench.cli",
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    epilog="Start with: bench list, then bench run trafilatura readability.",
)
@click.version_option(package_name=paths.DISTRIBUTION, prog_name="bench")
@click.pass_context
def bench(context: click.Context) -> None:
    """Measure which program extracts a web page's main text best, and what it costs."""
    if context.invoked_subcommand is None:
        click.echo(f"{bench.help}\n")
        widest = max(len(words) for words, _ in START)
        for words, what in START:
            click.echo(f"  {words:<{widest}}  {what}")
        click.echo("\nbench --help lists all commands, bench COMMAND --help has examples of each.")


def main() -> NoReturn:
    """Run the command line; a user's mistake is one line on standard error, never a traceback."""
    signal.signal(signal.SIGTERM, _terminate)
    # Our matrices are small: threads of NumPy's would only take cores from our own processes.
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # Arrow's own allocator, mimalloc 2.2, keeps what is freed and takes as much again:
    # https://github.com/microsoft/mimalloc/issues/1111
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows a question mark; nothing fails for it.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        status = bench.main(prog_name="bench", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        if "\n" in error.format_message():  # a group without a command: its help
            error.show()
        else:
            printing.tell(_one_line(error))
        sys.exit(error.exit_code)
    except BenchError as error:
        printing.tell(str(error))
        sys.exit(error.status)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(INTERRUPTED)
    except Terminated:
        sys.exit(128 + signal.SIGTERM)
    except BrokenPipeError:
        # The reader of our output has left (`bench list | head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _one_line(error: click.ClickException) -> str:
    """Return what click has to say, with where to read more."""
    message = error.format_message().rstrip(".")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{message}; see {error.ctx.command_path} --help"
    return message


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated


if __name__ == "__main__":
    main()
