"""R extractors: each ``.R`` file in ``r_extractors/`` is one, loaded through the bridge."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bench.adapters.adapter import Adapter, LoadRequest
from bench.adapters.answers import Unknown
from bench.adapters.facts import wrapped
from bench.adapters.r import header, installation
from bench.adapters.r.installation import Installation
from bench.model import ExtractorFacts
from bench.util import paths

BRIDGE = "bridge.py"
_NAME_IN_BRIDGE = "r"


def files() -> list[Path]:
    """Return the ``.R`` adapter files that ship."""
    return sorted(paths.bundled("r_extractors").glob("[!_]*.R"))


def read(path: Path) -> ExtractorFacts:
    """Return what an adapter file states. Raises ``ValueError`` where its header is wrong."""
    return header.parse(path.read_text(encoding="utf-8"))


def describe(path: Path) -> Adapter:
    """Return the adapter in a ``.R`` file, with what R says of its package, or why it cannot run.

    Raises ``ValueError`` where its header is wrong.
    """
    facts = read(path)
    bridge = paths.bundled("r_extractors") / BRIDGE
    has_package = bool(facts.requires) and not any(need.startswith("/") for need in facts.r.needs)
    adapter = Adapter(
        facts,
        path,
        LoadRequest(str(bridge), _NAME_IN_BRIDGE, {"file": str(path), "accepts": facts.accepts}),
        package=f"r:{wrapped(facts)}" if has_package else "",
        source_hash=_hash(path, bridge),
        remedy=f"bench setup r {facts.name}",
    )
    try:
        r = installation.find()
    except Unknown as error:
        return replace(adapter, problem=str(error))
    if r is None:
        return replace(adapter, problem="R is not installed")
    return _in(r, adapter)


def _in(r: Installation, adapter: Adapter) -> Adapter:
    """Return an adapter as it runs in an R, or with the reason why it cannot."""
    facts = adapter.facts
    needs = {need: installation.need(need, r.libjvm) for need in facts.r.needs}
    missing = [*r.missing(facts.requires), *(need for need in needs if needs[need] is None)]
    problem, remedy = r.problem, adapter.remedy
    if not r.is_shared:
        remedy = "install an R that was built with --enable-R-shlib"
    elif missing and not problem:
        problem = f"not installed: {', '.join(missing)}"
    attributes = {
        **adapter.load.attributes,
        "r_home": str(r.home),
        "libraries": list(r.libraries),
        "libjvm": r.libjvm if "java" in needs else "",
    }
    return replace(
        adapter,
        load=replace(adapter.load, attributes=attributes),
        version=_version(facts, r, needs),
        problem=problem,
        remedy=remedy if problem else "",
    )


def _version(facts: ExtractorFacts, r: Installation, needs: Mapping[str, str | None]) -> str | None:
    """Return the version of the package, and of whatever else its texts depend on."""
    if not facts.requires:
        return f"R {r.version}"
    others = {Path(need).stem: version for need, version in needs.items() if version}
    others["R"] = r.version
    own = r.version_of(wrapped(facts))
    return own and f"{own} ({', '.join(f'{name} {version}' for name, version in others.items())})"


def _hash(*sources: Path) -> str:
    content = b"\0".join(path.read_bytes() for path in sources if path.exists())
    return hashlib.sha256(content).hexdigest()[:20]
