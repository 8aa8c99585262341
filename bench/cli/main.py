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

VERBS = {
    "run": "Run extractors over a data set, score them and write the leaderboard.",
    "list": "List the extractors, with variants, versions and what is missing.",
    "score": "Score stored texts, or other people's outputs, under any metric.",
    "compare": "Hold runs, rows or outputs against each other.",
    "check": "Fail if an extractor became worse than a committed baseline.",
    "report": "Write stored runs as a site: tables, charts, every page with its marked texts.",
    "show": "Show what a stored run made of one page, marked against its gold.",
    "leaderboard": "Show a stored run's leaderboard, whole or slice by slice.",
    "metrics": "Say whether a ranking holds under other metrics and on other data sets.",
    "speed": "Measure extractors cold, warm and in parallel.",
    "gold": "Fetch, list and verify data sets.",
    "runs": "List runs and show what they were.",
    "export": "Write a run's texts as files that other benchmarks read.",
    "collect": "Collect pages from the web, politely, as WARC.",
    "new": "Write the file of a new extractor, ready to be filled in.",
    "try": "Run one extractor on one page: its text, its cost, its score.",
    "doctor": "Check that an extractor keeps its promises, and say what to mend.",
    "webreader": "Check specifications of sites, and apply them to pages.",
    "env": "Make, list and remove the environments of extractors.",
    "history": "Run every release of an extractor: quality and cost over versions.",
    "reproduce": "Run a published table again at its own versions, and say what differs.",
    "setup": "Install what extractors outside Python need.",
}
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
    verbs=VERBS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: bench list, then bench run trafilatura readability.",
)
@click.version_option(package_name=paths.DISTRIBUTION, prog_name="bench")
def bench() -> None:
    """Measure which program pulls the main text out of a web page best, and what it costs."""


def main() -> NoReturn:
    """Run the command line; a user's mistake is one line on standard error, never a traceback."""
    signal.signal(signal.SIGTERM, _terminate)
    # Our matrices are small: threads of NumPy's would only take cores from our own processes.
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
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
        error.show()
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


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated


if __name__ == "__main__":
    main()
