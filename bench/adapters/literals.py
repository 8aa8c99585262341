"""Facts of extractors in Python, read from a file's text: nothing of the file runs.

That can be done for a file whose top and whose classes hold nothing but imports from the standard
library and from bench, functions, and values written out. Any other file has to be imported to know
what it states: it may compute its facts, or do anything else.
"""

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bench.adapters import facts
from bench.extractor import TEXTS, TEXTS_AND_GOLD, Extractor
from bench.worker.program import CommandExtractor

Stated = dict[str, Any]
"""Facts by name, with the defaults of the base class."""

_HARMLESS_CALLS = ("re.compile", "frozenset")
_HARMLESS_DECORATORS = ("staticmethod", "classmethod", "property")
_WRITTEN_OUT = (
    ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.unaryop, ast.Name,
    ast.Attribute, ast.Subscript, ast.Starred, ast.expr_context, ast.BinOp, ast.BitOr,
    ast.arguments, ast.arg,
)  # fmt: skip


def defaults(base: type[Extractor]) -> Stated:
    """Return what a base class of ours states, for the facts that it knows."""
    return {name: getattr(base, name) for name in facts.types() if hasattr(base, name)}


_ENSEMBLE = {**defaults(Extractor), "kind": "ensemble", "accepts": TEXTS, "licence": "MIT"}
_BASES: Mapping[str, Stated] = {
    "bench.extractor.Extractor": defaults(Extractor),
    "bench.worker.program.CommandExtractor": defaults(CommandExtractor),
    "bench.command.CommandExtractor": defaults(CommandExtractor),
    "bench.methods.ensembles.base.Ensemble": _ENSEMBLE,
    "bench.methods.ensembles.vote.Vote": _ENSEMBLE,
    "bench.methods.ensembles.union.Union": _ENSEMBLE,
    "bench.methods.ensembles.oracle.Oracle": {**_ENSEMBLE, "accepts": TEXTS_AND_GOLD},
}


class _NotLiteral(Exception):
    """The file has to be imported to know what it states."""


def classes(source: bytes) -> list[Stated] | None:
    """Return what each extractor in a file states; None where the file has to be imported for that.

    Raises ``SyntaxError`` or ``ValueError`` for what is no Python.
    """
    module = ast.parse(source)
    try:
        return list(_File(module).extractors())
    except _NotLiteral:
        return None


class _File:
    """One file being read."""

    def __init__(self, module: ast.Module) -> None:
        self._module = module
        self._names: dict[str, str] = {}
        """What imported names stand for, with dots."""
        self._classes: dict[str, Stated | None] = {}
        """What each class states; None for those that are no extractors."""

    def extractors(self) -> Iterator[Stated]:
        for node in self._module.body:
            match node:
                case ast.Import() | ast.ImportFrom():
                    self._import(node)
                case ast.ClassDef():
                    self._classes[node.name] = self._class(node)
                case _:
                    _refuse_unless_plain(node)
                    if self._classes.keys() & dict(_assigned(node)):
                        raise _NotLiteral
        return (stated for stated in self._classes.values() if stated and stated["name"])

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            name = f"{prefix}{alias.name}"
            if name.partition(".")[0] not in (*sys.stdlib_module_names, "bench"):
                raise _NotLiteral
            self._names[alias.asname or alias.name.partition(".")[0]] = (
                name if prefix or alias.asname else name.partition(".")[0]
            )

    def _class(self, node: ast.ClassDef) -> Stated | None:
        if node.keywords or node.decorator_list or len(node.bases) > 1:
            raise _NotLiteral
        stated = self._base(node.bases[0]) if node.bases else None
        written: dict[str, ast.expr] = {}
        for child in node.body:
            _refuse_unless_plain(child)
            written |= dict(_assigned(child))
            if stated and getattr(child, "name", "") in stated:
                raise _NotLiteral
        if stated is None:
            return None
        doc = ast.get_docstring(node) or ast.get_docstring(self._module) or ""
        values = {name: _value(written[name]) for name in stated if name in written}
        return {**stated, **values, "description": first_line(doc)}

    def _base(self, node: ast.expr) -> Stated | None:
        name = ast.unparse(node)
        if name in self._classes:
            return self._classes[name]
        first, dot, rest = name.partition(".")
        name = f"{self._names.get(first, first)}{dot}{rest}"
        if name in _BASES:
            return _BASES[name]
        if name.startswith("bench.") or not (first in self._names or hasattr(builtins, first)):
            raise _NotLiteral
        return None  # a class of the standard library


def first_line(doc: str) -> str:
    """Return the line of a docstring that says what the thing is."""
    return doc.strip().partition("\n")[0]


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((each.id, value) for each in targets if isinstance(each, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise _NotLiteral from None


def _refuse_unless_plain(node: ast.stmt) -> None:
    """Raise ``_NotLiteral`` for a statement that may do more than name something."""
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return
        case ast.Assign(targets=targets, value=value):
            if all(isinstance(each, ast.Name) for each in targets) and _written_out([value]):
                return
        case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
            if _written_out([annotation, value]):
                return
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            decorators = all(ast.unparse(d) in _HARMLESS_DECORATORS for d in node.decorator_list)
            if decorators and _written_out([node.args, node.returns]):
                return
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=[]):
            return
    raise _NotLiteral


def _written_out(values: Iterable[ast.AST | None]) -> bool:
    return all(
        isinstance(part, _WRITTEN_OUT)
        for value in values
        if value is not None and not _is_harmless_call(value)
        for part in ast.walk(value)
    )


def _is_harmless_call(value: ast.AST) -> bool:
    return (
        isinstance(value, ast.Call)
        and ast.unparse(value.func) in _HARMLESS_CALLS
        and _written_out([*value.args, *(word.value for word in value.keywords)])
    )
