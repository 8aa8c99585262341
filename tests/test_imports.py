"""Imports run one way (DESIGN, "Layout"), and everything public says what it is."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

from bench import registry
from bench.cli.main import VERBS
from tests.conftest import ROOT

STDLIB = sys.stdlib_module_names

# What each part of bench may import of bench; a part may always import itself.
MAY: dict[str, set[str]] = {
    "": set(),
    "model": set(),
    "extractor": set(),
    "methods": set(),  # imported by adapters, as a library is
    "filters": set(),
    "charsets": set(),
    "decode": {"charsets"},
    "paths": set(),
    "released": {"paths"},
    "command": {"extractor"},
    "ensembles": {"extractor", "metrics"},  # imported by adapters as well
    "registry": {"model", "extractor", "command", "paths", "r", "programs", "envs", "filters", ""},
    "programs": {"model", "command", "paths", "registry", "envs"},
    "r": {"model", "extractor", "paths", "registry"},
    "gold": {"model", "paths", "decode", "metrics"},
    "metrics": {"model"},
    "stats": {"model"},
    "store": {"model"},
    "envs": {"model", "paths", "released"},
    "run": {"model", "extractor", "registry", "gold", "store", "paths", "decode", "filters", "envs", ""},
    "conformance": {"model", "charsets", "registry", "run"},
    "scoring": {"model", "gold", "metrics", "stats", "store", "registry", "decode"},
    "compare": {"model", "scoring", "store", "stats", "metrics"},
    "report": {"model", "scoring", "store", "stats", "metrics", "compare", "released"},
    "cli": {
        "decode", "methods",  # for the verb that applies one method without a run
        "model", "paths", "registry", "gold", "metrics", "stats", "store", "run", "scoring",
        "compare", "report", "r", "programs", "conformance", "envs", "released", "filters",
    },
}  # fmt: skip

# What runs inside a worker, under any interpreter.
IN_WORKER = (
    "charsets",
    "command",
    "extractor",
    "decode",
    "filters.base",
    "filters.catalogue",
    "filters.clean",
    "filters.punctuation",
    "filters.sentences",
    "filters.symbols",
    "run.channel",
    "run.kernel",
    "run.network",
    "run.worker",
)

TOUCHES_THE_WORLD = {
    "os", "pathlib", "io", "socket", "shutil", "tempfile", "subprocess", "urllib", "http", "ssl",
    "ftplib", "smtplib", "asyncio", "glob", "fileinput", "sqlite3", "requests", "httpx", "aiohttp",
    "pandas", "pyarrow", "multiprocessing",
}  # fmt: skip


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
def imports(name: str) -> frozenset[str]:
    """Absolute names of all modules that a module imports, wherever in it."""
    path = MODULES[name]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = node.module or ""
            if node.level:
                whole = ["bench", *name.split(".")]
                whole = whole if path.name == "__init__.py" else whole[:-1]
                base = whole[: len(whole) - node.level + 1]
                package = ".".join([*base, *([package] if package else [])])
            for alias in node.names:
                inner = f"{package}.{alias.name}".removeprefix("bench.")
                is_module = package.startswith("bench") and inner in MODULES
                found.add(f"bench.{inner}" if is_module else package)
    return frozenset(found)


def ours(name: str) -> set[str]:
    return {
        imported.removeprefix("bench").removeprefix(".")
        for imported in imports(name)
        if imported.split(".")[0] == "bench"
    }


def foreign(name: str) -> set[str]:
    return {i.split(".")[0] for i in imports(name)} - {"bench"}


def part(name: str) -> str:
    return name.split(".", maxsplit=1)[0]


def test_the_rules_cover_every_part() -> None:
    assert {part(name) for name in MODULES} <= set(MAY)


@pytest.mark.parametrize("name", MODULES, ids=lambda n: n or "bench")
def test_a_module_imports_only_what_its_part_may(name: str) -> None:
    allowed = MAY[part(name)] | {part(name)}
    assert {each for each in ours(name) if part(each) not in allowed} == set()


@pytest.mark.parametrize("name", ["model", *IN_WORKER])
def test_standard_library_only(name: str) -> None:
    assert foreign(name) <= STDLIB


@pytest.mark.parametrize("name", IN_WORKER)
def test_what_runs_in_a_worker_imports_nothing_else_of_bench(name: str) -> None:
    # ``from bench.run import kernel`` names the module; bench/__init__ and bench/run/__init__
    # are imported on the way and must be empty of code.
    assert ours(name) <= set(IN_WORKER)


@pytest.mark.parametrize("package", ["", "run", "methods", "filters"])
def test_packages_on_a_workers_way_hold_a_docstring_alone(package: str) -> None:
    tree = ast.parse(MODULES[package].read_text(encoding="utf-8"))
    assert [type(node) for node in tree.body] == [ast.Expr]


@pytest.mark.parametrize("name", [*IN_WORKER, *(n for n in MODULES if part(n) == "methods")])
def test_what_runs_in_a_worker_is_python_3_7(name: str) -> None:
    ast.parse(MODULES[name].read_text(encoding="utf-8"), feature_version=(3, 7))


@pytest.mark.parametrize("name", [n for n in MODULES if part(n) in ("metrics", "stats")])
def test_metrics_and_stats_touch_neither_disk_nor_network(name: str) -> None:
    assert foreign(name) & TOUCHES_THE_WORLD == set()
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls & {"open", "print", "input", "exec", "eval", "__import__"} == set()


@pytest.mark.parametrize("library", ["matplotlib", "jinja2"])
def test_a_drawing_library_appears_in_report_alone(library: str) -> None:
    users = {part(name) for name in MODULES if library in foreign(name)}
    assert users <= {"report"}


def test_no_module_imports_an_extractors_library() -> None:
    top_levels: set[str] = set()
    for adapter in registry.adapters().values():
        for text in adapter.requires:
            top_levels.update(_top_levels(Requirement(text).name))
    assert {"lxml", "trafilatura", "bs4"} <= top_levels
    # A method is a library that adapters import; no other part of bench may import it.
    users = [name for name in MODULES if part(name) != "methods"]
    assert {name: foreign(name) & top_levels for name in users if foreign(name) & top_levels} == {}


def test_no_module_names_an_extractor() -> None:
    """It knows no extractor by name: the words do not even occur as strings in code."""
    names = {a.name for a in registry.adapters().values() if a.kind == "extractor"}
    names |= {r.label for r in registry.all_rows() if r.adapter.kind == "extractor"}
    names -= VERBS.keys()  # a method of ours may have a verb of its own
    culprits = {}
    for name, path in MODULES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        strings = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        if found := strings & names:
            culprits[name] = found
    assert culprits == {}


@pytest.mark.parametrize("path", sorted((ROOT / "extractors").glob("*.py")), ids=lambda p: p.stem)
def test_an_adapter_imports_its_library_only_in_load(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {(n.module or "") if isinstance(n, ast.ImportFrom) else n.names[0].name for n in top}
    found = {n for n in names if n.split(".")[0] not in STDLIB}
    ensembles = [{f"bench.ensembles.{name}"} for name in ("vote", "union", "oracle")]
    assert found in ({"bench.extractor"}, {"bench.command"}, *ensembles)


@pytest.mark.parametrize("path", sorted((ROOT / "extractors").glob("*.py")), ids=lambda p: p.stem)
def test_an_adapter_has_no_try_and_no_version(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    assert not [node.lineno for node in nodes if isinstance(node, ast.Try)]
    assert "__version__" not in source
    assert not re.search(r"^\s+version\s*=", source, re.M)


@pytest.mark.parametrize("name", MODULES, ids=lambda n: n or "bench")
def test_everything_public_has_a_docstring(name: str) -> None:
    module = importlib.import_module(f"bench.{name}".rstrip("."))
    bare = [what for what, thing in _public(module) if not (inspect.getdoc(thing) or "").strip()]
    assert bare == []


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


def _top_levels(distribution: str) -> set[str]:
    """Import names of a distribution, where it is installed."""
    from importlib import metadata

    return {
        name
        for name, owners in metadata.packages_distributions().items()
        if distribution.lower().replace("_", "-") in {o.lower().replace("_", "-") for o in owners}
    } - {"tests", "test"}
