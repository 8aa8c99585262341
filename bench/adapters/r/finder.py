"""Finds R extractors by their place: each ``.R`` file in ``r_extractors/`` is one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from bench.adapters.r import header as headers
from bench.adapters.r import installation
from bench.adapters.r.header import Header
from bench.adapters.r.installation import Installation
from bench.adapters.registry import Adapter
from bench.util import paths

LANGUAGE = "R"
BRIDGE = "bridge.py"
_NAME_IN_BRIDGE = "r"
_REMEDY = "bench setup r"


@dataclass(frozen=True)
class RAdapter(Adapter):
    """An extractor that the worker loads through the bridge."""

    bridge: Path = Path()
    r_home: str = ""
    libraries: tuple[str, ...] = ()
    libjvm: str = ""
    package: str = ""
    """The package that it wraps, ``r:rvest``; empty where it wraps a file that it needs."""

    def load_request(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the worker is told to load for a variant with these settings."""
        return {
            "adapter": str(self.bridge),
            "name": _NAME_IN_BRIDGE,
            "settings": {
                "file": str(self.path),
                "accepts": self.accepts,
                "r_home": self.r_home,
                "libraries": list(self.libraries),
                "libjvm": self.libjvm,
                "settings": dict(settings),
            },
        }


def files() -> list[Path]:
    """Return the ``.R`` adapter files that there are."""
    return sorted(paths.bundled("r_extractors").glob("[!_]*.R"))


def read(path: Path) -> Header:
    """Return the header of an adapter file. Raises ``ValueError`` where it is wrong."""
    return headers.parse(path.read_text(encoding="utf-8"))


def adapters(paths_of_files: Iterable[Path] | None = None) -> list[Adapter]:
    """Return the adapters in some ``.R`` files (by default those that ship).

    Each with what R says of its package, or why it cannot run here.

    A file whose header is wrong is listed as unavailable under the file's name, with the reason.
    """
    found: list[tuple[Path, Header]] = []
    broken: list[Adapter] = []
    for path in files() if paths_of_files is None else paths_of_files:
        try:
            found.append((path, read(path)))
        except (OSError, ValueError) as error:
            broken.append(_broken(path, error))
    if not found:
        return broken
    packages = {Requirement(text).name for _, header in found for text in header.requires}
    problem, r = "", None
    try:
        r = installation.find(packages)
        problem = _problem_of_r(r)
    except installation.Unusable as error:
        problem = str(error)
    return [*broken, *(_describe(path, header, r, problem) for path, header in found)]


def _broken(path: Path, error: Exception) -> Adapter:
    return Adapter(
        name=path.stem,
        path=path,
        description="",
        language=LANGUAGE,
        problem=f"{path.name} cannot be read: {' '.join(str(error).split())}",
        remedy=f"mend {path}",
    )


def _problem_of_r(r: Installation | None) -> str:
    if r is None:
        return "R is not installed"
    if not r.is_shared:
        return f"R in {r.home} has no shared library (it wants --enable-R-shlib)"
    return installation.rpy2_problem(r.version)


def _describe(path: Path, header: Header, r: Installation | None, problem: str) -> RAdapter:
    bridge = paths.bundled("r_extractors") / BRIDGE
    version, remedy = None, f"{_REMEDY} {header.name}"
    if r is not None:
        needs = {need: installation.need(need, r.libjvm) for need in header.needs}
        version = _version(header, r, needs)
        missing = [*_missing(header, r), *(n for n in needs if needs[n] is None)]
        if missing and not problem:
            problem = f"not installed: {', '.join(missing)}"
        if not r.is_shared:
            remedy = "install an R that was built with --enable-R-shlib"
    return RAdapter(
        name=header.name,
        path=path,
        description=header.description,
        requires=header.requires,
        accepts=header.accepts,
        language=LANGUAGE,
        homepage=header.homepage,
        settings_source=header.settings_source,
        licence=header.licence,
        variants=header.variants,
        version=version,
        source_hash=_hash(path, bridge),
        problem=problem,
        remedy=remedy if problem else "",
        bridge=bridge,
        package=_package(header),
        libraries=r.libraries if r is not None else (),
        r_home=str(r.home) if r is not None else "",
        libjvm=r.libjvm if r is not None and "java" in header.needs else "",
    )


def _package(header: Header) -> str:
    if not header.requires or any(need.startswith("/") for need in header.needs):
        return ""
    return f"r:{Requirement(header.requires[0]).name}"


def _missing(header: Header, r: Installation) -> list[str]:
    missing = []
    for text in header.requires:
        requirement = Requirement(text)
        version = installation.version_of(r.packages.get(requirement.name, ""))
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            missing.append(text)
    return missing


def _version(header: Header, r: Installation, needs: Mapping[str, str | None]) -> str | None:
    """Return the version of the package, and of whatever else its texts depend on."""
    others = {Path(need).stem: version for need, version in needs.items() if version}
    others["R"] = r.version
    if not header.requires:
        return f"R {r.version}"
    own = r.packages.get(Requirement(header.requires[0]).name)
    return own and f"{own} ({', '.join(f'{name} {version}' for name, version in others.items())})"


def _hash(path: Path, bridge: Path) -> str:
    sources = [each.read_bytes() for each in (path, bridge) if each.exists()]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()[:20]
