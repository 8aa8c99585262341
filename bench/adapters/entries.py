"""Where adapters are found: by their place, by entry point, by ``bench.toml``, by a path.

What they are called is known without reading files that are as they were when last read.
"""

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench.adapters import answers, python
from bench.adapters.adapter import Adapter, unreadable
from bench.adapters.facts import WrongFact
from bench.adapters.programs import command, config
from bench.adapters.r import describe as r
from bench.model import UsageError
from bench.util import paths, toml_file

GROUP = "bench.extractors"
"""Entry points by which packages name the modules of their adapters."""
CHOSEN = "--adapter"
"""Origin of adapters that the user named."""
_SUFFIXES = (".py", ".R")
_UNREADABLE = (OSError, ValueError, SyntaxError, LookupError, RecursionError, MemoryError)


@dataclass(frozen=True)
class Entry:
    """An extractor of which the name and the place are known."""

    name: str
    path: Path
    origin: str
    read: Callable[[], Adapter]

    def describe(self) -> Adapter:
        """Return the adapter; one that is unavailable, with the reason, for what cannot be read."""
        return replace(self.read(), origin=self.origin)


def standing() -> Iterator[Entry]:
    """Yield every extractor that is there without being named by the user.

    Raises ``UsageError`` for a wrong ``bench.toml``.
    """
    yield from _in_files(sorted(paths.bundled("extractors").glob("[!_]*.py")), "")
    for path, origin in _of_packages():
        yield from _in_files([path], origin)
    file = toml_file.find(Path.cwd())
    if file is not None:
        for facts in config.read(file):
            yield Entry(facts.name, file, toml_file.FILE, partial(command.of_table, facts, file))
    yield from _in_files(r.files(), "")


def at(path: Path) -> Iterator[Entry]:
    """Yield the extractors in a file or folder. Raises ``UsageError`` where there is none."""
    return _in_files(_files_at(path), CHOSEN)


def _files_at(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(f for suffix in _SUFFIXES for f in path.glob(f"[!_.]*{suffix}"))
        if not files:
            raise UsageError(f"--adapter: {path} has no .py or .R file; `bench new` writes one")
        return files
    if not path.is_file():
        raise UsageError(f"--adapter: {path} is not there; `bench new` writes an adapter")
    if path.suffix not in _SUFFIXES:
        raise UsageError(
            f"--adapter: {path} is no .py or .R file; programs go into {toml_file.FILE}"
        )
    return [path]


def _in_files(files: Sequence[Path], origin: str) -> Iterator[Entry]:
    """Return the extractors in adapter files, without reading files that are as they were."""
    if not files:
        return
    state = [*map(answers.state_of, files), answers.state_of_packages()]
    question = f"names in {files[0].parent}, {origin or files[0].suffix}"
    names = answers.kept(question, state, lambda: [_names(file) for file in files])
    for file, own in zip(files, names, strict=True):
        for name in own:
            yield Entry(name, file, origin, partial(_in_file, file, name))


def _names(file: Path) -> list[str]:
    """Return the names of the extractors in a file; of one that cannot be read, the file's."""
    try:
        return [r.read(file).name] if file.suffix == ".R" else list(python.read(file).extractors)
    except (*_UNREADABLE, python.NotImportable):
        return [file.stem]


def _in_file(file: Path, name: str) -> Adapter:
    try:
        if file.suffix == ".R":
            return r.describe(file)
        return python.describe(python.read(file), name)
    except (WrongFact, python.NotImportable) as error:
        return unreadable(name, file, str(error))
    except _UNREADABLE as error:
        return unreadable(name, file, f"{type(error).__name__}: {error}")


# -- adapters of installed packages: found, not imported -------------------------------------------


def _of_packages() -> list[tuple[Path, str]]:
    """Return the files of all adapters that packages register, each with what says whose it is.

    A module that cannot be found is a file that is not there.
    """
    places = answers.kept("adapters of packages", answers.state_of_packages(), _registered)
    return [(Path(path), origin) for path, origin in places]


def _registered() -> list[tuple[str, str]]:
    from importlib import metadata

    return sorted(
        {
            (
                str(_file_of(point.module) or Path(f"{point.name}.py")),
                f"package {point.dist.name} {point.dist.version}" if point.dist else "a package",
            )
            for point in metadata.entry_points(group=GROUP)
        }
    )


def _file_of(module: str) -> Path | None:
    """Return a module's file; its package is looked up, which runs nothing of it."""
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None:
        return None
    if not inner:
        return Path(spec.origin) if spec.origin else None
    for place in spec.submodule_search_locations or ():
        path = Path(place).joinpath(*inner)
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None
