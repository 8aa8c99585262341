"""Which metrics there are: ours, those of installed packages, and files that a user names.

Ours are the files of ``bench.metrics``. A package registers its own through the entry-point group
``bench.metrics``; ``--metric path/to/file.py`` names a file. No library that computes is imported
to list them.
"""

from __future__ import annotations

import copyreg
import hashlib
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import bench.metrics
from bench.metrics.base import Metric
from bench.metrics.ngram import Ngram
from bench.metrics.texts.unicode import FORMS
from bench.model import BenchError, UsageError
from bench.util import suggest

if TYPE_CHECKING:
    from bench.datasets.catalogue import DataSet

ENTRY_POINTS = "bench.metrics"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LENGTH = re.compile(r"[1-9][0-9]?")
_TAKEN = ("row", "page", "outcome")
"""Columns that every file of scores has."""

_of_files: dict[str, Metric] = {}
"""Metrics of the files that were named, by name."""


@cache
def shipped() -> dict[str, Metric]:
    """Return the metrics that ship with the project by name, the default first."""
    modules = [
        module for module in pkgutil.iter_modules(bench.metrics.__path__) if not module.ispkg
    ]
    metrics = [
        metric
        for module in modules
        for metric in _of_module(importlib.import_module(f"bench.metrics.{module.name}"))
    ]
    return {metric.name: metric for metric in sorted(metrics, key=lambda metric: metric != Ngram())}


def every(tell: Callable[[str], None] = lambda _: None) -> dict[str, Metric]:
    """Return all metrics by name; ``find`` understands n-grams of other lengths as well.

    ``tell`` hears of a package's metric that cannot be loaded, which is left out.
    """
    metrics = {**shipped(), **_of_files}
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        try:
            metrics.setdefault(entry.name, _of_package(entry))
        except BenchError as error:
            tell(str(error))
    return metrics


def find(word: str) -> Metric:
    """Return the metric that a word names: ``NAME[+FORM][:FIGURE]``.

    ``FORM`` is a Unicode form in which texts are compared, ``FIGURE`` the figure that ranks. Raises
    ``UsageError`` with a suggestion for any other word, ``BenchError`` for a package's metric that
    cannot be loaded.
    """
    rest, _, figure = word.partition(":")
    name, _, form = rest.partition("+")
    metric = _named(name)
    if form:
        if form not in FORMS:
            raise UsageError(f"{word!r}: texts are compared as {' or '.join(FORMS)}, not {form!r}")
        metric = metric.normalised(form)
    return metric.ranked_by(figure) if figure else metric


def _named(name: str) -> Metric:
    """Return the metric of a name, ``ngram-N`` and ``rouge-N`` of any length up to 99 among them."""
    metrics = {**shipped(), **_of_files}
    if name in metrics:
        return metrics[name]
    for entry in metadata.entry_points(group=ENTRY_POINTS, name=name):
        return _of_package(entry)
    stem, _, length = name.rpartition("-")
    for metric in metrics.values():
        if stem and metric.stem == stem and _LENGTH.fullmatch(length):
            return type(metric)(int(length))
    raise UsageError(f"no metric is called {name!r}; {suggest.hint(name, every())}")


def chosen(words: Iterable[str]) -> list[Metric]:
    """Return the metrics that words name, commas between them allowed, each once, in that order.

    A word with a slash, or that ends in ``.py``, is a file: all of its metrics.
    """
    metrics: list[Metric] = []
    for word in map(str.strip, ",".join(words).split(",")):
        if word.endswith(".py") or "/" in word:
            metrics += use(Path(word))
        elif word:
            metrics.append(find(word))
    return list(dict.fromkeys(metrics))


def for_data_set(data_set: DataSet, words: Iterable[str]) -> list[Metric]:
    """Return the metrics that words name, or the one that fits the data set's gold.

    Raises what ``chosen`` raises.
    """
    if metrics := chosen(words):
        return metrics
    has_text = any(page.gold_words is not None for page in data_set.stated.values())
    return [Ngram() if has_text else find("snippets")]


def use(path: Path) -> list[Metric]:
    """Load a file of metrics, which are known by their names from then on.

    Raises ``UsageError`` naming the file and what is wrong with it.
    """
    module = ModuleType(f"bench_metric_{hashlib.sha256(bytes(path.absolute())).hexdigest()[:16]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        source = path.read_bytes()
        exec(compile(source, path, "exec"), vars(module))  # noqa: S102
        metrics = list(_of_module(module))
    except (Exception, SystemExit) as error:
        raise UsageError(f"--metric {path}: {_line(error)}") from error
    if not metrics:
        lacks = [
            f"{cls.__name__} does not define {', '.join(sorted(cls.__abstractmethods__))}"
            for cls in _classes_of(module)
            if issubclass(cls, Metric)
        ]
        what = "; ".join(lacks) or "it defines no subclass of bench.metrics.base.Metric"
        raise UsageError(f"--metric {path}: {what}")
    for metric in metrics:
        _expect_complete(metric, str(path))
        if metric.name in shipped():
            raise UsageError(f"--metric {path}: {metric.name} is one of ours; choose another name")
        metric.source = str(path)
        copyreg.pickle(type(metric), _reduced)
        metric.digest = hashlib.sha256(source).hexdigest()[:12]
        _of_files[metric.name] = metric
    return metrics


def _reduced(metric: Metric) -> tuple[Callable[[str, str], Metric], tuple[str, str]]:
    """Have a file's metric loaded from its file in the process that it is sent to."""
    return _of_file, (metric.source, metric.name)


def _of_file(source: str, name: str) -> Metric:
    if name not in _of_files:
        use(Path(source))
    return _of_files[name]


def _of_module(module: ModuleType) -> Iterator[Metric]:
    """Yield the metrics whose classes a module defines, in its order."""
    for cls in _classes_of(module):
        yield from _of_class(cls)


def _classes_of(module: ModuleType) -> list[type]:
    classes = filter(inspect.isclass, vars(module).values())
    return [cls for cls in classes if cls.__module__ == module.__name__]


def _of_class(cls: type) -> Iterator[Metric]:
    if issubclass(cls, Metric) and not inspect.isabstract(cls):
        yield from [cls(n) for n in cls.lengths] or [cls()]


def _of_package(entry: metadata.EntryPoint) -> Metric:
    """Return a package's metric. Raises ``BenchError`` where it cannot be loaded."""
    where = f"the metric {entry.name} ({entry.value}, an installed package's)"
    try:
        metric = next(metric for metric in _of_class(entry.load()) if metric.name == entry.name)
    except StopIteration:
        raise BenchError(
            f"{where} has another name than its entry point; fix the package"
        ) from None
    except (Exception, SystemExit) as error:
        raise BenchError(f"{where} cannot be loaded: {_line(error)}; fix the package") from error
    _expect_complete(metric, where)
    return metric


def _expect_complete(metric: Metric, where: str) -> None:
    """Raise ``UsageError`` naming what is missing or wrong in a declaration."""
    needed = {
        "a name of lower-case letters, digits and hyphens": _NAME.fullmatch(_text(metric, "name")),
        "a title": _text(metric, "title"),
        "a citation": _text(metric, "citation"),
        "a version, as text": _text(metric, "version"),
        "figures, a tuple of names": _are_names(metric.figures),
        "a main figure, one of its figures": metric.main in metric.figures,
        f"columns, a tuple of names other than {', '.join(_TAKEN)}": _are_names(metric.columns)
        and not set(_TAKEN) & set(metric.columns),
        'needs = "text" or needs = "snippets"': metric.needs in ("text", "snippets"),
    }
    for what, there in needed.items():
        if not there:
            raise UsageError(f"{where}: {type(metric).__name__} lacks {what}")


def _text(metric: Metric, attribute: str) -> str:
    value = getattr(metric, attribute, "")
    return value if isinstance(value, str) else ""


def _are_names(values: object) -> bool:
    return isinstance(values, tuple) and all(
        isinstance(value, str) and value.isidentifier() for value in values
    )


def _line(error: BaseException) -> str:
    """Return an error as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
