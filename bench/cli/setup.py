"""``bench setup``: what extractors outside Python need."""

import click

from bench.adapters import answers, registry
from bench.adapters.r import describe as adapters
from bench.adapters.r import setup
from bench.model import UsageError


@click.group(epilog="Examples: bench setup r · bench setup r --dry-run")
def command() -> None:
    """Install what extractors outside Python need."""


@command.command(
    epilog="Examples: bench setup r · bench setup r --no-cran --if-possible · "
    "bench setup r --dry-run"
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--cran/--no-cran", default=True, help="Also install what only CRAN has.")
@click.option(
    "--mirror", show_default="the one that R puts first", metavar="URL", help="A mirror of CRAN."
)
@click.option(
    "--if-possible", is_flag=True, help="Succeed even where R cannot be installed; say how to."
)
@click.option("--dry-run", is_flag=True, help="Show what would be done, do nothing.")
@click.pass_context
def r(
    context: click.Context,
    names: tuple[str, ...],
    cran: bool,
    mirror: str | None,
    if_possible: bool,
    dry_run: bool,
) -> None:
    """Set up R for the R extractors, or for those named.

    On Debian and Ubuntu this installs R and as few packages as will do, if you are root or sudo
    asks for no password; elsewhere it shows what to type. Then it installs rpy2 into this Python
    environment, and what only CRAN has into a library of bench's own. What is there already stays
    as it is. Exit status 1 when one of the extractors cannot run afterwards.
    """
    known = {}
    for path in adapters.files():
        try:
            facts = adapters.read(path)
        except ValueError as error:
            click.echo(f"bench: {path.name} cannot be read: {error}", err=True)
            continue
        known[facts.name] = facts
    for name in names:
        if name not in known:
            raise UsageError(f"no R extractor is called {name!r}; there are {', '.join(known)}")
    wanted = [facts for name, facts in known.items() if not names or name in names]
    setup.Setup(wanted, _tell, mirror=mirror, cran=cran, dry_run=dry_run).run()
    if dry_run:
        return
    answers.forget()  # of R as it was before
    asked = [registry.adapter(facts.name) for facts in wanted if cran or not facts.r.cran]
    ready = [adapter.name for adapter in asked if adapter.available]
    click.echo(f"ready: {', '.join(ready) or 'none'}")
    for adapter in asked:
        if not adapter.available:
            click.echo(f"not ready: {adapter.name}: {adapter.problem}")
    if len(ready) < len(asked) and not if_possible:
        context.exit(1)


def _tell(line: str) -> None:
    click.echo(f"setup r: {line}" if not line.startswith(" ") else line, err=True)
