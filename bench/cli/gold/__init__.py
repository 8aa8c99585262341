"""``bench gold``: data sets, where they are, and whether they are what they claim to be."""

import click

from bench.cli.lazy_group import LazyGroup

VERBS = {
    "add": "Take a copy of a data set as it is, even if it is not what was published.",
    "fetch": "Download a data set as published, check it and install it.",
    "lint": "Look for what in data sets would spoil figures.",
    "list": "List the data sets that bench knows, and which of them are on this machine.",
    "stats": "Show what data sets are like: kinds, lengths and complexity of pages.",
    "verify": "Check a data set: fingerprint, pairs, duplicates, empty gold, undecodable bytes.",
}


@click.group(
    cls=LazyGroup,
    package=__name__,
    sections={"Commands": VERBS},
    epilog="Examples: bench gold list · bench gold fetch aeb · bench gold verify aeb",
)
def command() -> None:
    """Fetch, list and verify data sets.

    They live in the per-user data directory, which BENCH_HOME overrides.
    """
