"""What import-linter (pyproject.toml) does not see: Python 3.7, docstrings, names of extractors."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bench.adapters import registry
from bench.cli.main import VERBS
from tests.conftest import ROOT

STDLIB = sys.stdlib_module_names


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted((ROOT / "bench").rglob("*.py")):
        parts = path.relative_to(ROOT / "bench").with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if "bundled" not in parts:
            found[".".join(parts)] = path
    return found


MODULES = modules()


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


IN_WORKER = [
    "",
    "command",
    "extractor",
    "adapters.environments.compile_packages",  # run by the same interpreters
    *(n for n in MODULES if n.startswith(("worker", "methods"))),
]


def test_packages_on_a_workers_way_hold_a_docstring_alone() -> None:
    for package in ("worker", "methods", "worker.filters"):
        assert [type(node) for node in tree(package).body] == [ast.Expr], package


def test_what_runs_in_a_worker_is_python_3_7() -> None:
    for name in IN_WORKER:
        if not name.startswith("methods.ensembles"):  # these run in the main environment
            ast.parse(MODULES[name].read_text(encoding="utf-8"), name, feature_version=(3, 7))


def test_what_runs_in_a_worker_imports_the_standard_library_alone() -> None:
    for name in IN_WORKER:
        if not name.startswith("methods"):
            foreign = {each.split(".")[0] for each in imports(name)} - {"bench"}
            assert foreign <= STDLIB, name


def imports(name: str) -> set[str]:
    """Names of all modules that a module imports, wherever in it."""
    names = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def test_metrics_and_stats_read_and_print_nothing() -> None:
    for name in MODULES:
        if name.startswith(("metrics", "stats")):
            nodes = ast.walk(tree(name))
            calls = {
                n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
            }
            assert calls & {"open", "print", "input", "exec", "eval", "__import__"} == set(), name


def test_no_module_imports_an_extractors_library() -> None:
    required = [text for each in registry.adapters().values() for text in each.facts.requires]
    libraries = _top_levels({canonicalize_name(Requirement(text).name) for text in required})
    assert {"lxml", "trafilatura", "bs4"} <= libraries
    # A method is a library that adapters import; what collects pages reads their links with lxml, and
    # labels are on html5lib's tree.
    for name in MODULES:
        if not name.startswith(("methods", "collect", "label")):
            assert {each.split(".")[0] for each in imports(name)} & libraries == set(), name


def test_no_module_names_an_extractor() -> None:
    """It knows no extractor by name: the words do not even occur as strings in code."""
    names = {a.name for a in registry.adapters().values() if a.facts.kind == "extractor"}
    names |= {r.label for r in registry.all_rows() if r.adapter.facts.kind == "extractor"}
    names -= set(VERBS)  # a method of ours may have a verb of its own
    culprits = {}
    for name in MODULES:
        strings = {n.value for n in ast.walk(tree(name)) if isinstance(n, ast.Constant)}
        if found := strings & names:
            culprits[name] = found
    assert culprits == {}


@pytest.mark.parametrize("path", sorted((ROOT / "extractors").glob("*.py")), ids=lambda p: p.stem)
def test_an_adapter_imports_its_library_only_in_load(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {(n.module or "") if isinstance(n, ast.ImportFrom) else n.names[0].name for n in top}
    found = {n for n in names if n.split(".")[0] not in STDLIB}
    ensembles = [{f"bench.methods.ensembles.{name}"} for name in ("vote", "union", "oracle")]
    assert found in ({"bench.extractor"}, {"bench.worker.program"}, *ensembles)


@pytest.mark.parametrize("path", sorted((ROOT / "extractors").glob("*.py")), ids=lambda p: p.stem)
def test_an_adapter_has_no_try_and_no_version(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    assert not [node.lineno for node in nodes if isinstance(node, ast.Try)]
    assert "__version__" not in source
    assert not re.search(r"^\s+version\s*=", source, re.M)


def test_everything_public_has_a_docstring() -> None:
    for name in MODULES:
        module = importlib.import_module(f"bench.{name}".rstrip("."))
        bare = [
            what for what, thing in _public(module) if not (inspect.getdoc(thing) or "").strip()
        ]
        assert bare == [], name


def _public(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the module and its own public classes, functions, methods and properties."""
    yield module.__name__, module
    for name, thing in vars(module).items():
        own = getattr(thing, "__module__", None) == module.__name__
        if name.startswith("_") or not own:
            continue
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            # A dataclass without a docstring gets its signature for one.
            signature = (thing.__doc__ or "").startswith(f"{thing.__name__}(")
            yield name, None if signature else thing
            for attribute, member in vars(thing).items():
                if attribute.startswith("_"):
                    continue
                if isinstance(member, (property, staticmethod, classmethod)) or inspect.isfunction(
                    member
                ):
                    # getattr on the class finds an inherited docstring too.
                    yield f"{name}.{attribute}", getattr(thing, attribute)


def _top_levels(distributions: set[str]) -> set[str]:
    """Import names of distributions, where they are installed."""
    return {
        name
        for name, owners in metadata.packages_distributions().items()
        if distributions & set(map(canonicalize_name, owners))
    } - {"tests", "test"}
