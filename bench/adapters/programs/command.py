"""A command on this machine: is it there, what are its files, what version is it?"""

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.adapters import answers, versions
from bench.adapters.adapter import Adapter, LoadRequest
from bench.adapters.answers import Unknown
from bench.adapters.environments import assign, npm
from bench.model import ExtractorFacts
from bench.worker import configured_program
from bench.worker.program import PROTOCOL, resolved

_PACKAGE_FILES = ("package.json", "package-lock.json", "npm-shrinkwrap.json")
"""What pins the libraries of a script: beside it they count as its own."""
_NOT_FOUND = "exited with status 127"
_LANGUAGES = {
    "node": "JavaScript", "deno": "JavaScript", "bun": "JavaScript", "java": "Java",
    "python": "Python", "python3": "Python", "Rscript": "R", "ruby": "Ruby", "perl": "Perl",
    "php": "PHP", "sh": "shell", "bash": "shell",
}  # fmt: skip


def of_table(facts: ExtractorFacts, file: Path) -> Adapter:
    """Return the adapter of a program that a ``bench.toml`` describes."""
    program = facts.program
    attributes = {
        "command": list(program.command),
        "folder": str(file.parent),
        "accepts": facts.accepts,
        "one_shot": program.one_shot,
    }
    description = facts.description or f"Runs {shlex.join(program.command)}"[:100]
    load = LoadRequest(configured_program.__file__, configured_program.NAME, attributes)
    source = json.dumps([program.command, program.one_shot, facts.accepts, PROTOCOL]).encode()
    return describe(replace(facts, description=description), file, source, load)


def describe(facts: ExtractorFacts, path: Path, source: bytes, load: LoadRequest) -> Adapter:
    """Return the adapter of a program whose facts stand in a file.

    ``source`` is what of that file its texts depend on. Raises ``ValueError`` where the file names
    a package that its lock file has not.
    """
    program, folder = facts.program, path.parent
    settings = next(iter(facts.variants.values()))
    words = resolved(program.command, str(folder), settings)
    content = _content(_files(words, folder, program.files), folder)
    language = facts.language or _LANGUAGES.get(Path(program.command[0]).name, "program")
    problem, remedy = _missing(words[0], folder, program.remedy)
    adapter = Adapter(
        replace(facts, language=language),
        path,
        load,
        package=_package(facts, language),
        source_hash=hashlib.sha256(source + content.encode()).hexdigest()[:20],
        problem=problem,
        remedy=remedy,
    )
    if program.npm:
        return _with_modules(adapter)
    if program.version or problem:
        return _of_version(adapter, program.version or None, f"fix version in {path}")
    version = None
    try:
        if program.version_command:
            version_words = resolved(program.version_command, str(folder), settings)
            version = versions.printed(version_words, content)
        elif not program.one_shot:
            version = versions.greeted(words, facts.accepts, settings, content)
    except Unknown as error:
        # A launcher that finds nothing to launch ends as a shell would, and words of its own say
        # less than those of the adapter.
        is_launcher = program.remedy and _NOT_FOUND in str(error)
        reason = f"{words[0]} is on the PATH, but there is no program behind it"
        return replace(
            adapter,
            problem=reason if is_launcher else str(error),
            remedy=program.remedy or f"make this work: {shlex.join(words)[:200]}",
        )
    return _of_version(adapter, version, f"type: {answers.FRESH}")


def _with_modules(adapter: Adapter) -> Adapter:
    """Return a program of node's with the version that npm's lock file says."""
    program = adapter.facts.program
    spec = npm.read(adapter.path.parent / program.npm)
    if program.package not in spec.packages:
        raise ValueError(f"package {program.package!r} is not in {program.npm}/{npm.LOCK}")
    adapter = _of_version(adapter, spec.packages[program.package], f"type: {answers.FRESH}")
    return adapter if adapter.problem else assign.placed(adapter, spec, None)


def _of_version(adapter: Adapter, version: str | None, remedy: str) -> Adapter:
    """Return an adapter of a program that must greet with this version, or is not run."""
    attributes = dict(adapter.load.attributes)
    program = adapter.facts.program
    if version is not None and not program.one_shot and not program.version_command:
        attributes |= {"expected_version": version, "version_remedy": remedy}
    return replace(adapter, version=version, load=replace(adapter.load, attributes=attributes))


def _package(facts: ExtractorFacts, language: str) -> str:
    if facts.program.npm:
        return f"npm:{facts.program.package}"
    named = facts.program.package and language == "Python"
    return f"python:{facts.program.package}" if named else ""


def _missing(program: str, folder: Path, remedy: str) -> tuple[str, str]:
    """Return why a program cannot be started and how to fix that; both empty where it can."""
    if shutil.which(program):
        return "", ""
    if os.sep in program:
        if Path(program).is_file():
            return f"{program} may not be executed", f"chmod +x {program}"
        return (
            f"{program} is not there",
            remedy or f"put the program there, or correct the path in {folder}",
        )
    if (folder / program).is_file():
        return f"{program} is not on the PATH", f"write ./{program} for the file beside it"
    return f"{program} is not on the PATH", remedy or f"install {program}"


def _files(words: Sequence[str], folder: Path, globs: Sequence[str]) -> list[Path]:
    """Return the files that a command's texts depend on, as far as they are ours to see."""
    own = folder.resolve()
    files = {Path(word) for word in words if Path(word).is_absolute() and Path(word).is_file()}
    files = {path for path in files if path.resolve().is_relative_to(own)}
    files |= {path.with_name(name) for path in set(files) for name in _PACKAGE_FILES}
    files |= {path for pattern in globs for path in folder.glob(pattern)}
    return sorted(path for path in files if path.is_file())


def _content(files: Sequence[Path], folder: Path) -> str:
    """Hash names and contents of files."""
    whole = hashlib.sha256()
    for path in files:
        whole.update(f"{os.path.relpath(path, folder)}\0{path.stat().st_size}\0".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()[:20]
