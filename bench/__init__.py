"""bench: which program pulls the main text out of a web page best, and what it costs.

The names of ``bench.api``, each loaded when it is first used: this module runs in every worker.
"""

__all__ = [
    "BenchError",
    "CannotCompare",
    "Rules",
    "Run",
    "Scored",
    "UsageError",
    "check",
    "compare",
    "list_datasets",
    "list_extractors",
    "list_metrics",
    "open_run",
    "run",
    "score",
]


def __getattr__(name):
    if name not in __all__:
        raise AttributeError("module 'bench' has no attribute " + repr(name))
    from importlib import import_module

    return getattr(import_module("bench.api"), name)


def __dir__():
    return sorted([*globals(), *__all__])
