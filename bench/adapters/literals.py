"""Facts of extractors in Python, read from a file's text: nothing of the file runs.

That can be done for a file whose top and whose classes hold nothing but imports from the standard
library and from bench, functions, and values written out. Any other file has to be imported to know
what it states: it may compute its facts, or do anything else.
"""

import ast
import builtins
import sys
from collections.abc import Mapping
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
    ast.arguments, ast.arg, ast.keyword,
)  # fmt: skip


class NotLiteral(Exception):
    """The file has to be imported to know what it states."""


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


def classes(source: bytes) -> list[Stated]:
    """Return what each extractor in a file states.

    Raises ``NotLiteral`` for a file that has to be imported for that, ``SyntaxError`` or
    ``ValueError`` for what is no Python.
    """
    module = ast.parse(source)
    names: dict[str, str] = {}  # what imported names stand for, with dots
    stated_by_class: dict[str, Stated | None] = {}  # None for those that are no extractors
    for node in module.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= _imported(node)
        elif isinstance(node, ast.ClassDef):
            doc = ast.get_docstring(node) or ast.get_docstring(module) or ""
            stated = _stated(node, _base(node, stated_by_class, names))
            stated_by_class[node.name] = stated and {**stated, "description": first_line(doc)}
        elif _assigned(node).keys() & stated_by_class.keys():
            raise NotLiteral
    return [stated for stated in stated_by_class.values() if stated and stated["name"]]


def first_line(doc: str) -> str:
    """Return the line of a docstring that says what the thing is."""
    return doc.strip().partition("\n")[0]


def _imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """Return what the names stand for that an import makes."""
    prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    names = {}
    for alias in node.names:
        whole = f"{prefix}{alias.name}"
        top = whole.partition(".")[0]
        if top not in (*sys.stdlib_module_names, "bench"):
            raise NotLiteral
        names[alias.asname or (alias.name if prefix else top)] = (
            whole if prefix or alias.asname else top
        )
    return names


def _base(
    node: ast.ClassDef, stated_by_class: Mapping[str, Stated | None], names: Mapping[str, str]
) -> Stated | None:
    """Return what a class has from the one that it is made of; None for no extractor."""
    if node.keywords or node.decorator_list or len(node.bases) > 1:
        raise NotLiteral
    name = ast.unparse(node.bases[0]) if node.bases else "object"
    first, dot, rest = name.partition(".")
    whole = f"{names.get(first, first)}{dot}{rest}"
    if name in stated_by_class or whole in _BASES:
        return stated_by_class[name] if name in stated_by_class else _BASES[whole]
    if whole.startswith("bench.") or not (first in names or hasattr(builtins, first)):
        raise NotLiteral
    return None


def _stated(node: ast.ClassDef, base: Stated | None) -> Stated | None:
    """Return what a class states beside its base."""
    values: dict[str, ast.expr] = {}
    for child in node.body:
        values |= _assigned(child)
        if base and getattr(child, "name", "") in base:
            raise NotLiteral
    try:
        own = {name: ast.literal_eval(values[name]) for name in base or () if name in values}
    except ValueError:
        raise NotLiteral from None
    return base and {**base, **own}


def _assigned(node: ast.stmt) -> dict[str, ast.expr]:
    """Return the names that a statement gives values to.

    Raises ``NotLiteral`` for one that may do more than that.
    """
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return {}
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=[]):
            return {}
        case ast.Assign(targets=targets, value=value) if _written_out(value):
            names = {target.id: value for target in targets if isinstance(target, ast.Name)}
            if len(names) == len(targets):
                return names
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
            if _written_out(annotation, value):
                return {name: value} if value else {}
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            decorators = all(ast.unparse(d) in _HARMLESS_DECORATORS for d in node.decorator_list)
            if decorators and _written_out(node.args, node.returns):
                return {}
    raise NotLiteral


def _written_out(*values: ast.AST | None) -> bool:
    """Whether these are values as they stand there, or calls that do nothing else."""
    return all(
        isinstance(part, _WRITTEN_OUT)
        for value in values
        if value is not None
        for part in ast.walk(value)
        if not (isinstance(part, ast.Call) and ast.unparse(part.func) in _HARMLESS_CALLS)
    )
