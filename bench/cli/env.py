"""``bench env``: the environments of extractors that cannot share the main one."""

import time
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import click
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from rich.console import JustifyMethod

from bench.adapters import registry
from bench.adapters.adapter import with_members
from bench.adapters.environments import assign as environments
from bench.adapters.environments import cache
from bench.adapters.environments.build import BuildFailed
from bench.adapters.environments.cache import Environment, Place
from bench.adapters.environments.npm import NpmSpec
from bench.adapters.spec import Spec
from bench.cli import options, printing, progress
from bench.model import BenchError, UsageError
from bench.util.display import plain
from bench.util.numbers import counted, megabytes

_MISSING, _BUSY, _WHOLE, _DAMAGED = "not built", "being made", "whole", "damaged"
_COLUMNS: dict[str, JustifyMethod] = {
    "for": "left", "runs under": "left", "packages": "right", "size": "right", "age": "right",
    "state": "left",
}  # fmt: skip
_AGES = ((86400, "d"), (3600, "h"), (60, "min"))


@click.group(epilog="Examples: bench env list · bench env build --all · bench env prune --dry-run")
def command() -> None:
    """Make, list and remove the environments of extractors that cannot share the main one."""


@command.command("list", epilog="Example: bench env list --json")
@options.adapter
@options.as_json
def list_(as_json: bool) -> None:
    """List the environments that are there, and those that extractors need and that are not."""
    users = _users()
    facts = [_facts(place, users.get(place.key, [])) for place in cache.places()]
    there = {environment["key"] for environment in facts}
    facts += [
        {"key": spec.key, "for": ", ".join(users[spec.key]), "state": _MISSING, "python": None,
         "node": None, "under": _wanted(spec), "packages": {}, "size_bytes": 0, "made": None,
         "path": None}
        for spec in _needed()
        if spec.key not in there
    ]  # fmt: skip
    facts.sort(key=itemgetter("for"))
    if as_json:
        printing.print_json(facts)
        return
    if not facts:
        click.echo("no environments, and no extractor here needs one")
        return
    table = printing.grid(_COLUMNS, map(_line, facts), whole=[*_COLUMNS][1:])
    printing.console().print(table)
    click.echo(f"{megabytes(sum(map(itemgetter('size_bytes'), facts)))} in {cache.folder()}")


@command.command(
    epilog="Examples: bench env build --all · bench env build 'newspaper*' · "
    "bench env build trafilatura@1.12.2"
)
@click.argument("names", nargs=-1, metavar="[NAME[@VERSION]]...")
@click.option("--all", "everything", is_flag=True, help="Every one that an extractor here needs.")
@options.adapter
@options.isolate
@click.pass_context
def build(context: click.Context, names: tuple[str, ...], everything: bool, isolate: bool) -> None:
    """Make environments, several at a time; those that are there and whole are kept.

    Ends with status 1 if one cannot be made, and says why. --all makes those that the main
    environment cannot stand in for; with --isolate, one for each extractor.
    """
    if everything == bool(names):
        raise UsageError("give names, or --all for every environment that is needed")
    rows = registry.all_rows() if everything else registry.rows(names)
    named = [] if everything else rows
    wanted: dict[Spec, list[str]] = {}
    for row in with_members(rows):
        spec = environments.spec_of(row, isolate=isolate or row in named)
        names_of = wanted.setdefault(spec, []) if spec else []
        name = f"{row.adapter.name}{f'@{row.pin}' if row.pin else ''}"
        if name not in names_of:
            names_of.append(name)
    if not wanted:
        click.echo("no environment is needed")
        return
    if not _make(wanted):
        context.exit(1)


@command.command(epilog="Examples: bench env prune --dry-run · bench env prune --all")
@click.option("--all", "everything", is_flag=True, help="Also those that extractors here need.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, remove nothing.")
@options.adapter
def prune(everything: bool, dry_run: bool) -> None:
    """Remove environments that no extractor here needs: of pinned versions, and of old adapters."""
    users = {} if everything else _users()
    unwanted = [
        place
        for place in cache.places()
        if not place.in_use and (place.environment is None or place.key not in users)
    ]
    for place in unwanted:
        click.echo(f"{'would remove' if dry_run else 'removing'} {_title(place)}")
    freed = sum(place.size_bytes for place in unwanted) if dry_run else cache.remove(unwanted)
    click.echo(
        f"{counted(len(unwanted), 'environment')}: {megabytes(freed) if freed else '0 MB'} "
        f"{'would be freed' if dry_run else 'freed'}"
    )


@command.command(epilog="Example: bench env lock trafilatura@1.12.2 > requirements.txt")
@click.argument("names", nargs=-1, required=True, metavar="NAME[@VERSION]...")
@options.adapter
@options.build
def lock(names: tuple[str, ...], build: bool) -> None:
    """Print the exact version of everything in an environment, as pip and uv read it.

    The lock is kept with the environment and never changes after it was made.
    """
    for row in registry.rows(names):
        spec = environments.spec_of(row, isolate=True)
        if spec is None:
            raise UsageError(f"{row.label} wraps no package, it has no environment")
        environment = cache.find(spec)
        if environment is None and build:
            printing.tell(f"making an environment for {row.label}")
            try:
                environment = cache.get(spec)
            except BuildFailed as error:
                raise BenchError(f"{row.label}: {error.reason}; fix: {error.remedy}") from error
        if environment is None:
            raise BenchError(f"{row.label}: not built; fix: bench env build {row.adapter.name}")
        if not environment.node:  # npm's lock is JSON, which has no comments
            click.echo(f"# {plain(row.label)}, {environment.under}")
        click.echo(environment.lock.strip())


def _users() -> dict[str, list[str]]:
    """Return the adapters whose environment each key is, needed or not."""
    users: dict[str, list[str]] = {}
    for adapter in registry.adapters().values():
        if adapter.spec is not None:
            users.setdefault(adapter.spec.key, []).append(adapter.name)
    return users


def _needed() -> list[Spec]:
    """Return the environments that adapters cannot do without."""
    specs = (adapter.spec for adapter in registry.adapters().values() if adapter.problem)
    return list(dict.fromkeys(spec for spec in specs if spec is not None))


def _make(wanted: Mapping[Spec, Sequence[str]]) -> bool:
    """Make environments, telling of each; whether all are there. ``wanted`` says who needs them."""
    began, failed = time.monotonic(), 0
    bar = progress.bar()
    bar.start("making environments", len(wanted))
    for spec, environment in cache.get_all(wanted):
        bar.advance()
        name = plain(", ".join(wanted[spec]))
        if isinstance(environment, BuildFailed):
            failed += 1
            printing.tell(f"{name}: {environment.reason}; fix: {environment.remedy}")
        else:
            click.echo(f"{name}: {environment}")
    click.echo(f"{len(wanted) - failed} of {len(wanted)} in {time.monotonic() - began:.1f} s")
    return not failed


def _title(place: Place) -> str:
    what = place.environment.requires[0] if place.environment else _DAMAGED
    return f"{place.key} ({plain(what)}, {megabytes(place.size_bytes)})"


def _facts(place: Place, users: Sequence[str]) -> dict[str, Any]:
    environment = place.environment
    state = _BUSY if place.in_use else _WHOLE if environment else _DAMAGED
    return {
        "key": place.key,
        "for": ", ".join(users) or (_pinned(environment) if environment else ""),
        "state": state,
        "python": (environment.python_version or None) if environment else None,
        "node": environment.node if environment else None,
        "under": environment.under if environment else None,
        "packages": environment.installed if environment else {},
        "size_bytes": place.size_bytes,
        "made": place.made,
        "path": str(place.path),
    }


def _wanted(spec: Spec) -> str:
    """Return what an environment that is not there yet will run under."""
    return "node" if isinstance(spec, NpmSpec) else f"Python {spec.wanted_python}"


def _pinned(environment: Environment) -> str:
    """Return what an environment that is no adapter's own was made for: ``name@version``."""
    package = _package(environment.requires[0])
    versions = {_package(name): version for name, version in environment.packages.items()}
    version = versions.get(package)
    for adapter in registry.adapters().values():
        if version and adapter.spec and _package(adapter.spec.requires[0]) == package:
            return f"{adapter.name}@{version}"
    return environment.requires[0]


def _package(requirement: str) -> str:
    """Return the name in a requirement; of any other word (a manifest of node's), itself."""
    try:
        return canonicalize_name(Requirement(requirement).name)
    except InvalidRequirement:
        return requirement


def _line(facts: Mapping[str, Any]) -> tuple[str, ...]:
    built = facts["state"] != _MISSING
    return (
        facts["for"] or facts["key"],
        facts["under"] or "–",
        str(len(facts["packages"]) or "–"),
        megabytes(facts["size_bytes"]) if built else "–",
        _age(time.time() - facts["made"]) if built else "–",
        facts["state"],
    )


def _age(seconds: float) -> str:
    for unit, name in _AGES:
        if seconds >= unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{max(0.0, seconds):.0f} s"
