"""Programs as adapters: those of ``bench.toml``, and classes that name a command."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.adapters.environments import cache as envs
from bench.adapters.environments import npm
from bench.adapters.environments.cache import Environment
from bench.adapters.environments.npm import NpmSpec
from bench.adapters.programs import config, versions
from bench.adapters.programs.config import Program
from bench.adapters.registry import Adapter
from bench.worker import configured_program
from bench.worker.program import PROTOCOL, CommandExtractor, resolved

_CONFIGURED = Path(configured_program.__file__)
_PACKAGE_FILES = ("package.json", "package-lock.json", "npm-shrinkwrap.json")
"""What pins the libraries of a script: beside it they count as its own."""
_MODULES = "{modules}"
_NOT_FOUND = "exited with status 127"
_LANGUAGES = {
    "node": "JavaScript", "deno": "JavaScript", "bun": "JavaScript", "java": "Java",
    "python": "Python", "python3": "Python", "Rscript": "R", "ruby": "Ruby", "perl": "Perl",
    "php": "PHP", "sh": "shell", "bash": "shell",
}  # fmt: skip


@dataclass(frozen=True)
class ProgramAdapter(Adapter):
    """An extractor whose worker starts a program."""

    attributes: Mapping[str, Any] = field(default_factory=dict)
    """What the worker sets on the extractor that it loads."""
    loaded_from: Path = Path()
    loaded_as: str = ""
    package: str = ""
    """The package that it wraps, ``npm:jsdom``; empty where none is named."""

    def load_request(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the worker is told to load for a variant with these settings."""
        attributes = dict(self.attributes)
        if isinstance(self.spec, NpmSpec) and self.environment:
            modules = str(envs.folder() / self.environment / "env")
            words = [word.replace(_MODULES, modules) for word in attributes["command"]]
            attributes["command"] = words
        return {
            "adapter": str(self.loaded_from),
            "name": self.loaded_as,
            "settings": dict(settings),
            "attributes": attributes,
        }


def configured(start: Path) -> list[Adapter]:
    """Return the programs of the ``bench.toml`` that holds for a folder.

    Raises ``UsageError`` where the file is wrong.
    """
    path = config.find(start)
    return [] if path is None else [_of_program(program) for program in config.read(path)]


def of_class(path: Path, source: bytes, cls: type[CommandExtractor]) -> dict[str, Any]:
    """Return the facts in which an adapter class that runs a program differs from others."""
    if isinstance(cls.command, str) or not cls.command or not all(cls.command):
        raise ValueError('command is empty or no tuple of words; write ("node", "extract.js")')
    if cls.accepts not in config.ACCEPTS:
        raise ValueError(f"accepts {cls.accepts!r} is none of {', '.join(config.ACCEPTS)}")
    found = _Found(
        cls.command, path.parent, cls.files, next(iter(cls.variants.values())), remedy=cls.remedy
    )
    attributes: dict[str, Any] = {}
    needs: dict[str, Any] = {}
    if cls.npm:
        attributes["command"] = list(cls.command)
        needs = found.need(npm.read(path.parent / cls.npm), cls)
    else:
        found.ask(None, cls.version_command, one_shot=cls.one_shot, accepts=cls.accepts)
    if found.version is not None and not cls.one_shot and not cls.version_command:
        attributes |= _expected(found.version, f"type: {versions.FRESH}")
    language = cls.language or _language(cls.command)
    return {
        **needs,
        "language": language,
        "package": _package(cls, language),
        "version": found.version,
        "source_hash": hashlib.sha256(source + found.content.encode()).hexdigest()[:20],
        "problem": found.problem,
        "remedy": found.remedy,
        "attributes": attributes,
        "loaded_from": path,
        "loaded_as": cls.name,
    }


def _of_program(program: Program) -> ProgramAdapter:
    folder = program.file.parent
    settings = next(iter(program.variants.values()))
    found = _Found(program.command, folder, program.files, settings, remedy=program.remedy)
    found.ask(
        program.version,
        program.version_command,
        one_shot=program.one_shot,
        accepts=program.accepts,
    )
    attributes = {
        "command": list(program.command),
        "folder": str(folder),
        "accepts": program.accepts,
        "one_shot": program.one_shot,
    }
    if found.version is not None and not program.one_shot and not program.version_command:
        mend = f"mend version in {program.file}" if program.version else f"type: {versions.FRESH}"
        attributes |= _expected(found.version, mend)
    facts = [list(program.command), program.one_shot, program.accepts, PROTOCOL, found.content]
    return ProgramAdapter(
        name=program.name,
        path=program.file,
        description=program.description or f"Runs {shlex.join(program.command)}"[:100],
        accepts=program.accepts,
        language=program.language or _language(program.command),
        homepage=program.homepage,
        settings_source=program.settings_source,
        licence=program.licence,
        variants=program.variants,
        version=found.version,
        source_hash=hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20],
        problem=found.problem,
        remedy=found.remedy,
        attributes=attributes,
        loaded_from=_CONFIGURED,
        loaded_as="configured",
    )


class _Found:
    """A command on this machine: is it there, what are its files, what version is it?"""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        globs: Sequence[str],
        settings: Mapping[str, Any],
        *,
        remedy: str,
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._words = resolved(command, str(folder), settings)
        self._needs = remedy
        self.version: str | None = None
        self.problem, self.remedy = _missing(self._words[0], folder, remedy)
        self.content = _content(_files(self._words, folder, globs), folder)

    def need(self, spec: NpmSpec, cls: type[CommandExtractor]) -> dict[str, Any]:
        """Take the version from npm's lock file; return what is known of the environment."""
        if cls.package not in spec.packages:
            raise ValueError(f"package {cls.package!r} is not in {cls.npm}/{npm.LOCK}")
        self.version = spec.packages[cls.package]
        if self.problem:
            return {}
        there = _environment(spec, envs.folder(), envs.stamp(spec))
        if there is None:
            self.problem = "its environment is not built"
            self.remedy = f"bench env build {cls.name}"
            return {"spec": spec}
        packages = tuple(f"{name}=={version}" for name, version in there.packages.items())
        return {"spec": spec, "environment": there.key, "packages": packages}

    def ask(
        self, version: str | None, version_command: Sequence[str], *, one_shot: bool, accepts: str
    ) -> None:
        """Find the version out: as written, as a command prints it, as the greeting says it."""
        self.version = version
        if self.problem or version:
            return
        try:
            if version_command:
                words = resolved(version_command, str(self._folder), self._settings)
                self.version = versions.of_command(words, self.content)
            elif not one_shot:
                self.version = versions.of_handshake(
                    self._words, accepts, self._settings, self.content
                )
        except versions.Unknown as error:
            self.problem = self._why_silent(str(error))
            self.remedy = self._needs or f"mend it: {shlex.join(self._words)[:200]}"

    def _why_silent(self, reason: str) -> str:
        # A launcher that finds nothing to launch ends as a shell would, and words of its own say
        # less than those of the adapter.
        if self._needs and _NOT_FOUND in reason:
            return f"{self._words[0]} is on the PATH, but there is no program behind it"
        return reason


@lru_cache(maxsize=8)
def _environment(spec: NpmSpec, _folder: Path, _stamp: float | None) -> Environment | None:
    """Find an environment that several adapters share, once for as long as it is the same."""
    return envs.find(spec)


def _expected(version: str, remedy: str) -> dict[str, Any]:
    return {"expected_version": version, "version_remedy": remedy}


def _missing(program: str, folder: Path, remedy: str) -> tuple[str, str]:
    """Return why a program cannot be started and what mends that; both empty where it can."""
    if shutil.which(program):
        return "", ""
    if os.sep in program:
        if Path(program).is_file():
            return f"{program} may not be executed", f"chmod +x {program}"
        return f"{program} is not there", remedy or f"put the program there, or mend {folder}"
    if (folder / program).is_file():
        return f"{program} is not on the PATH", f"write ./{program} for the file beside it"
    return f"{program} is not on the PATH", remedy or f"install {program}"


def _files(words: Sequence[str], folder: Path, globs: Sequence[str]) -> list[Path]:
    """Return the files that a command's texts depend on, as far as they are ours to see."""
    own = folder.resolve()
    found = {Path(word) for word in words if Path(word).is_absolute() and Path(word).is_file()}
    found = {path for path in found if path.resolve().is_relative_to(own)}
    found |= {path.with_name(name) for path in set(found) for name in _PACKAGE_FILES}
    found |= {path for pattern in globs for path in folder.glob(pattern)}
    return sorted(path for path in found if path.is_file())


def _content(files: Sequence[Path], folder: Path) -> str:
    """Hash names and contents of files."""
    whole = hashlib.sha256()
    for path in files:
        whole.update(f"{os.path.relpath(path, folder)}\0{path.stat().st_size}\0".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()[:20]


def _package(cls: type[CommandExtractor], language: str) -> str:
    if cls.package and (cls.npm or language == "Python"):
        return f"{'npm' if cls.npm else 'python'}:{cls.package}"
    return ""


def _language(command: Sequence[str]) -> str:
    return _LANGUAGES.get(Path(command[0]).name, "program")
