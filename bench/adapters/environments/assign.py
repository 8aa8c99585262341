"""Before a run: rows that cannot share the main environment get one of their own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.adapters.adapter import Adapter, Row, linked, with_members
from bench.adapters.environments import cache, pins
from bench.adapters.environments.build import BuildFailed
from bench.adapters.environments.cache import Environment
from bench.adapters.environments.npm import NpmSpec
from bench.adapters.spec import Spec
from bench.model import UsageError
from bench.util.display import listed
from bench.util.numbers import counted
from bench.util.progress import SILENT, Progress


def prepared(
    rows: Sequence[Row],
    *,
    isolate: bool = False,
    build: bool = True,
    more: Sequence[str] = (),
    progress: Progress = SILENT,
) -> list[Row]:
    """Return the rows with the environments that they need; those that have one keep it.

    Members of ensembles that are not among the rows come after them.

    A row needs one when its version is pinned, when the main environment does not meet its
    requirements, and with ``isolate`` always. What is not there is made, several at a time,
    unless ``build`` is false; ``more`` are requirements that each holds beside its own. Where
    that fails the row stays and says why. Raises ``UsageError`` for a pin that nothing answers to.
    """
    rows = with_members(rows)
    wanted = {
        # What Python programs need more is nothing to node.
        at: spec if isinstance(spec, NpmSpec) else replace(spec, requires=(*spec.requires, *more))
        for at, row in enumerate(rows)
        if (spec := spec_of(row, isolate=isolate))
    }
    environments: dict[Spec, Environment | BuildFailed | None] = {
        spec: cache.find(spec) for spec in dict.fromkeys(wanted.values())
    }
    missing = [spec for spec, environment in environments.items() if environment is None]
    if build and missing:
        names = listed([spec.requires[0] for spec in missing])
        progress.say(f"making {counted(len(missing), 'environment')}: {names}")
        progress.start("environments", len(missing))
        for spec, environment in cache.get_all(missing):
            environments[spec] = environment
            progress.advance()
            if isinstance(environment, Environment):
                progress.say(f"{spec.requires[0]}: {environment}")
    assigned = [
        replace(row, adapter=placed(row.adapter, wanted[at], environments[wanted[at]]))
        if at in wanted
        else row
        for at, row in enumerate(rows)
    ]
    by_label = {row.label: row for row in assigned}
    return [
        linked(row, [by_label[member.label] for member in row.members]) if row.members else row
        for row in assigned
    ]


def unbuilt(rows: Sequence[Row], *, isolate: bool = False) -> list[str]:
    """Return the extractors whose environments ``prepared`` would make, one for each of those.

    Raises ``UsageError`` for a pin that nothing answers to.
    """
    specs = {spec_of(row, isolate=isolate): row.adapter.name for row in reversed(rows)}
    return [name for spec, name in specs.items() if spec is not None and cache.find(spec) is None]


def spec_of(row: Row, *, isolate: bool = False) -> Spec | None:
    """Return the environment that a row needs; None where the main one will do.

    Raises ``UsageError`` for a pin that nothing answers to.
    """
    spec = row.adapter.spec
    if row.pin:
        if spec is None:
            raise UsageError(f"{row.label}: {row.adapter.name} wraps no package with versions")
        if isinstance(spec, NpmSpec):
            raise UsageError(f"{row.label}: its version is that of npm's lock file; leave @ out")
        pinned, content = pins.pin(spec.requires[0], row.pin, here=Path.cwd())
        return replace(spec, requires=(pinned, *spec.requires[1:]), content=content)
    return spec if isolate or row.adapter.problem else None


def as_built(adapter: Adapter) -> Adapter:
    """Return an adapter that cannot run here in its own environment, if that is built."""
    environment = cache.find(adapter.spec) if adapter.problem and adapter.spec else None
    return placed(adapter, adapter.spec, environment) if adapter.spec and environment else adapter


def placed(adapter: Adapter, spec: Spec, environment: Environment | BuildFailed | None) -> Adapter:
    """Return an adapter as it runs in the environment of a spec; with the reason where it cannot."""
    adapter = replace(adapter, spec=spec)
    if environment is None:
        remedy = f"bench env build {adapter.name}"
        return replace(adapter, problem="its environment is not built", remedy=remedy)
    if isinstance(environment, BuildFailed):
        reason = f"its environment cannot be made: {environment.reason}"
        return replace(adapter, problem=reason, remedy=environment.remedy)
    packages = tuple(f"{name}=={version}" for name, version in environment.packages.items())
    adapter = replace(
        adapter, problem="", remedy="", environment=environment.key, packages=packages
    )
    if isinstance(spec, NpmSpec):
        # The Python that runs bench talks to node, and the lock has the version.
        attributes = {**adapter.load.attributes, "modules": str(environment.path / "env")}
        return replace(adapter, load=replace(adapter.load, attributes=attributes))
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    versions = {canonicalize_name(name): version for name, version in environment.packages.items()}
    wrapped = canonicalize_name(Requirement(spec.requires[0]).name)
    return replace(adapter, version=versions.get(wrapped), interpreter=environment.python)
