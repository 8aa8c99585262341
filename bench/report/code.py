"""What reproduces a row: what to install, the command, and the code of its adapter."""

import ast
import hashlib
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bench.adapters import entries
from bench.report.document import HTML, MARKDOWN, Block, Code, Details, Only, Paragraph
from bench.runs.store.manifest import RowFacts
from bench.util.display import plain


def blocks(row: RowFacts, data_set: str, packages: Sequence[str]) -> list[Block]:
    """Return the pinned installation, the command that reproduces a row, and its adapter's code.

    ``packages`` are those of the environment that rows without one of their own ran in,
    ``name==version``.
    """
    pinned = _pinned(row, row.packages or packages)
    word = f"{row.label}@{row.version}" if pinned and "@" not in row.label else row.label
    lines = [
        f"pip install extractor-bench {' '.join(pinned)}".rstrip(),
        f"bench run {shlex.quote(word)} --gold {shlex.quote(data_set)}",
    ]
    parts: list[Block] = [Code("\n".join(map(plain, lines)), "console")]
    if source := _source(row):
        title, adapter = "Its adapter, on a page of your own", Code(source, "python")
        parts += [
            Only(HTML, [Details(title, [adapter])]),
            Only(MARKDOWN, [Paragraph(f"{title}:"), adapter]),
        ]
    return parts


def _pinned(row: RowFacts, packages: Sequence[str]) -> list[str]:
    """Return what the adapter requires in the versions that ran."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    versions = {
        canonicalize_name(name): version
        for name, _, version in (package.partition("==") for package in packages)
    }
    pins = []
    for text in row.facts.requires:
        try:
            name = Requirement(text).name
        except InvalidRequirement:
            continue
        if version := versions.get(canonicalize_name(name)):
            pins.append(f"{name}=={version}")
    return pins


def _source(row: RowFacts) -> str:
    """Return the adapter's file and how it is called; nothing where it is not the one that ran."""
    path = _files().get(row.facts.name)
    if path is None or path.suffix != ".py" or "+" in row.variant:
        return ""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest()[:20] != row.source_hash:
        return ""
    source = content.decode("utf-8")
    class_name = next(
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and _states(node, row.facts.name)
    )
    settings = ", ".join(f"{name}={value!r}" for name, value in row.settings.items())
    read = f'Path("page.html").read_{"bytes" if row.facts.accepts == "bytes" else "text"}()'
    return (
        f"{source}\n\nfrom pathlib import Path\n\nextractor = {class_name}()\n"
        f"extractor.load({settings})\nprint(extractor.extract({read}, None))"
    )


def _states(node: ast.ClassDef, name: str) -> bool:
    """Whether a class is the extractor of this name."""
    return any(
        isinstance(part, ast.Assign)
        and isinstance(part.value, ast.Constant)
        and part.value.value == name
        and [ast.unparse(target) for target in part.targets] == ["name"]
        for part in node.body
    )


@cache
def _files() -> dict[str, Path]:
    """Return the file of each adapter that is there without being named by the user."""
    return {entry.name: entry.path for entry in entries.standing()}
