"""Python adapter files: what their classes state, read without running them where that can be."""

import hashlib
import json
import os
import platform
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bench
from bench.adapters import answers, facts, literals, outside
from bench.adapters.adapter import Adapter, LoadRequest, own_version
from bench.adapters.literals import NotLiteral, Stated
from bench.adapters.programs import command
from bench.adapters.spec import Spec
from bench.extractor import ACCEPTS, Extractor
from bench.model import ExtractorFacts
from bench.worker.program import CommandExtractor

_IMPORT_S = 10.0
"""What importing a file may take where its facts are worked out by it."""
_ANSWER_BYTES = 1 << 20


class NotImportable(Exception):
    """Importing a file failed; the message is one line."""


@dataclass(frozen=True)
class Source:
    """An adapter file as it was read."""

    path: Path
    content: bytes
    extractors: Mapping[str, ExtractorFacts]
    """By name, in the file's order."""


def read(path: Path) -> Source:
    """Return what a file defines.

    Raises ``OSError``, ``SyntaxError``, ``ValueError`` for facts that cannot be, ``LookupError``
    where it defines no extractor, and ``NotImportable``.
    """
    content = path.read_bytes()
    try:
        stated = literals.classes(content)
    except NotLiteral:
        stated = _stated_when_imported(path, content)
    if not stated:
        raise LookupError("it defines no subclass of bench.extractor.Extractor")
    if any("command" in values and not values["command"] for values in stated):
        raise ValueError('command is empty or no tuple of words; write ("node", "extract.js")')
    extractors = [facts.make(own, facts.PAGE if "command" in own else ACCEPTS) for own in stated]
    return Source(path, content, {extractor.name: extractor for extractor in extractors})


def describe(source: Source, name: str) -> Adapter:
    """Return the adapter of an extractor that a file defines.

    Raises ``ValueError`` for facts that cannot be, ``LookupError`` for a method that bench has not.
    """
    extractor = source.extractors[name]
    load = LoadRequest(str(source.path), name)
    state = [extractor.requires, extractor.environment.python, answers.state_of_packages()]
    question = f"packages of {name} in {source.path}"
    installed = answers.kept(question, state, lambda: _installed(extractor))
    spec = _spec(extractor)
    if installed["problem"] and spec:
        installed["remedy"] = f"bench env build {name}"
    elif extractor.program.command and not installed["problem"]:
        described = command.describe(extractor, source.path, source.content, load)
        return replace(described, spec=described.spec or spec)
    digest = hashlib.sha256(source.content + _own_source(extractor)).hexdigest()[:20]
    return Adapter(extractor, source.path, load, spec=spec, source_hash=digest, **installed)


def _stated_when_imported(path: Path, content: bytes) -> list[Stated]:
    """Return what the classes of a file state that has to be imported for it."""
    state = [hashlib.sha256(content).hexdigest(), answers.state_of_packages()]
    answer = answers.kept(f"classes in {path}", state, lambda: _imported(path))
    if "problem" in answer:
        raise NotImportable(str(answer["problem"]))
    return [
        {
            **{name: described["stated"].get(name, default) for name, default in known.items()},
            "description": literals.first_line(described["doc"]),
        }
        for described in answer["classes"]
        for known in [literals.defaults(CommandExtractor if described["program"] else Extractor)]
    ]


def _imported(path: Path) -> dict[str, Any]:
    """Have a child import a file; return its answer, or the ``problem``."""
    with tempfile.TemporaryDirectory(prefix="bench-") as home:
        answer = Path(home) / "answer"
        view = outside.view({"adapter": str(path)}, Path(sys.executable), None, Path(home), ())
        with answer.open("wb") as output:
            child = subprocess.Popen(
                [sys.executable, "-m", "bench.worker.describe", str(path), json.dumps(view)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
                env={
                    "PATH": os.environ.get("PATH", os.defpath),
                    "HOME": home,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                },
                cwd=home,
                start_new_session=True,
            )
        try:
            status = child.wait(_IMPORT_S)
        except subprocess.TimeoutExpired:
            return {"problem": f"importing it takes more than {_IMPORT_S:g} s"}
        finally:
            with suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        with answer.open("rb") as file, suppress(ValueError, RecursionError):
            described = json.loads(file.read(_ANSWER_BYTES))
            if isinstance(described, dict) and described.keys() & {"classes", "problem"}:
                return described
    return {"problem": f"when it is imported it gives no answer and ends with status {status}"}


def _installed(extractor: ExtractorFacts) -> dict[str, Any]:
    """Return version, package, problem and remedy of what is wrapped, as it is installed here."""
    from importlib import metadata

    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    facts.check_requirements(extractor)
    requirements = [Requirement(text) for text in extractor.requires]
    versions: dict[str, str] = {}
    for requirement in requirements:
        with suppress(metadata.PackageNotFoundError):
            versions[requirement.name] = metadata.version(requirement.name)
    missing = [
        text
        for text, requirement in zip(extractor.requires, requirements, strict=True)
        if requirement.name not in versions
        or not requirement.specifier.contains(versions[requirement.name], prereleases=True)
    ]
    here, python = platform.python_version(), extractor.environment.python
    problem = remedy = package = ""
    version = None
    if here not in SpecifierSet(python):
        problem, remedy = (
            f"needs Python {python}, this is {here}",
            f"run bench under Python {python}",
        )
    elif missing:
        problem, remedy = (
            f"not installed: {', '.join(missing)}",
            f"pip install {shlex.join(missing)}",
        )
    if extractor.kind in ("control", "ensemble") or extractor.method:
        version = own_version()
    elif requirements:
        version = versions.get(requirements[0].name)
        package = f"python:{requirements[0].name}"
    return {"version": version, "package": package, "problem": problem, "remedy": remedy}


def _spec(extractor: ExtractorFacts) -> Spec | None:
    """Return what an environment for an extractor must hold; None where it wraps no package."""
    if not extractor.requires or extractor.kind == "control" or extractor.method:
        return None
    wanted = extractor.environment
    return Spec(
        extractor.requires,
        wanted.python,
        wanted.overrides,
        wanted.build_requires,
        tuple(sorted(wanted.build_environ.items())),
    )


def _own_source(extractor: ExtractorFacts) -> bytes:
    """Return the source of what an adapter has in bench; nothing for one that wraps a program."""
    method = "ensembles" if extractor.members else extractor.method
    if not method:
        return b""
    package = Path(bench.__path__[0]) / "methods" / method
    if not package.is_dir():
        raise LookupError(f"bench.methods has no package {method!r}")
    files = sorted(f for f in package.rglob("*") if f.is_file() and f.suffix != ".pyc")
    return b"".join(file.read_bytes() for file in files)
