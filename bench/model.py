"""The words of the project as data: pages, cells, usage, extractors. Units stand in field names."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class BenchError(Exception):
    """A mistake that the user can fix: one line that says what, where, and how to fix it.

    The command line prints it without a traceback and exits with ``status``.
    """

    status = 1


class UsageError(BenchError):
    """A wrong word on the command line (exit status 2)."""

    status = 2


class Outcome(StrEnum):
    """How a cell ended."""

    OK = "ok"
    EMPTY = "empty"
    ERROR = "error"
    TIMEOUT = "timeout"
    OOM = "oom"
    CRASH = "crash"

    @property
    def failed(self) -> bool:
        """Whether the extractor gave no answer at all (an empty text is an answer)."""
        return self not in (Outcome.OK, Outcome.EMPTY)


FAILED = tuple(outcome.value for outcome in Outcome if outcome.failed)
"""Outcomes of cells without an answer, as tables hold them."""


@dataclass(frozen=True)
class Page:
    """One HTML document as bytes, as a data set hands it out."""

    id: str
    html: bytes
    url: str | None = None
    language: str | None = None
    page_type: str | None = None
    encoding: str | None = None
    """The charset that the transport stated, where the data set knows it."""
    meta: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True)
class Gold:
    """What a person marked as the page's main text."""

    text: str | None
    """None where the data set has snippets only."""
    with_snippets: tuple[str, ...] = ()
    without_snippets: tuple[str, ...] = ()


@dataclass(frozen=True)
class GoldPage:
    """A page with its gold: one item of a data set."""

    page: Page
    gold: Gold


@dataclass(frozen=True)
class Sample:
    """Some pages of a data set, drawn at random."""

    pages: int
    seed: int


@dataclass(frozen=True)
class Limits:
    """What a worker may take."""

    page_s: float = 30.0
    load_s: float = 120.0
    memory_bytes: int = 4 << 30
    grace_s: float = 1.0
    """Between TERM and KILL."""
    hidden: tuple[Path, ...] = ()
    """Folders that it may not see wherever they lie, such as the data set and the results."""

    def hiding(self, *folders: Path) -> Self:
        """Return these limits with more folders hidden."""
        return replace(self, hidden=(*self.hidden, *folders))


@dataclass(frozen=True)
class Usage:
    """What a cell cost. None where the platform cannot tell."""

    wall_s: float
    """Wall time of ``extract`` alone."""
    cpu_s: float
    """User and system time of the worker and its children while ``extract`` ran."""
    rss_peak_bytes: int | None = None
    """Resident high-water mark of the worker's process tree over the cell."""
    rss_idle_bytes: int | None = None
    """Resident size of the worker after the cell: its growth is the leak."""
    decode_s: float = 0.0
    """Bytes to str, before ``extract``."""
    handover_s: float = 0.0
    """Request sent to answer received, less decode and extract: what the harness adds."""


@dataclass(frozen=True)
class EnvironmentFacts:
    """What an extractor in Python needs beside its requirements."""

    python: str = ""
    """The Python versions it runs on (PEP 440 specifier), empty for any."""
    overrides: tuple[str, ...] = ()
    """Requirements that replace what a package of its environment asks for."""
    build_requires: tuple[str, ...] = ()
    """What its packages are built with, installed before them."""
    build_environ: Mapping[str, str] = field(default_factory=dict)
    """Variables for the builds."""


@dataclass(frozen=True)
class ProgramFacts:
    """How an extractor that is a program of its own is installed and started."""

    command: tuple[str, ...] = ()
    """The program and its words; empty for what is no program."""
    one_shot: bool = False
    """Started for every page."""
    files: tuple[str, ...] = ()
    """Globs of further files that its texts depend on."""
    npm: str = ""
    """Folder beside the adapter file that says what npm is to install."""
    package: str = ""
    """The package of npm's, or of Python's, that it wraps."""
    version: str = ""
    """Its version, where it is written down."""
    version_command: tuple[str, ...] = ()
    """What prints its version; by default its greeting tells it."""
    remedy: str = ""
    """What to type where the program is missing."""


@dataclass(frozen=True)
class RFacts:
    """What an extractor in R needs beside R packages."""

    needs: tuple[str, ...] = ()
    """``java``, a program's name, a file's path."""
    debian: tuple[str, ...] = ()
    """Debian packages that bring all this, or, beside ``cran``, what those packages depend on."""
    cran: tuple[str, ...] = ()
    """R packages that Debian has not."""


def base_variant(variant: str) -> str:
    """Return the name of a variant without filters (``+NAME``) and pin (``@VERSION``)."""
    return variant.partition("@")[0].partition("+")[0]


@dataclass(frozen=True)
class ExtractorFacts:
    """What an adapter states of its extractor.

    Read from a Python class, the header of a ``.R`` file or a table of ``bench.toml`` by the names
    and types of these fields. Those up to ``method`` are what runs record and reports show.
    """

    name: str
    family: str = ""
    """The algorithm that several extractors are or wrap; empty for one that stands alone."""
    description: str = ""
    """How it finds the main text, in one line."""
    language: str = "Python"
    kind: str = "extractor"
    """``extractor``, ``control``, ``site-specific`` or ``ensemble``, see ``bench.extractor``."""
    accepts: str = "str"
    takes_bytes: bool = False
    """Whether its documentation hands it a page's bytes as well, to decode for itself."""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})
    """Named settings; the first is what the bare name means."""
    members: tuple[str, ...] = ()
    """For an ensemble: words for the rows whose texts it is handed."""
    requires: tuple[str, ...] = ()
    """Packages as pip writes requirements; the first is the one wrapped."""
    reads: tuple[str, ...] = ()
    """Files and folders beside its packages that it reads."""
    homepage: str = ""
    settings_source: str = ""
    licence: str = ""
    parser: str = ""
    """What turns the page's markup into a tree or events, but for a variant's ``parser`` setting."""
    tuned_on: tuple[str, ...] = ()
    """``DATA_SET=URL``: data sets that it was trained or tuned on, or whose authors it shares."""
    method: str = ""
    """Its package in ``bench.methods``, for what is worked out in bench itself."""
    environment: EnvironmentFacts = EnvironmentFacts()
    program: ProgramFacts = ProgramFacts()
    r: RFacts = RFacts()

    @property
    def handed_gold(self) -> bool:
        """Whether it is handed the gold, which nobody has who wants the text of a page."""
        return self.accepts in ("gold", "texts and gold")

    @property
    def counts_as(self) -> str:
        """Its kind; whatever is handed the gold is no ``extractor``, though it may say so."""
        return "control" if self.handed_gold and self.kind == "extractor" else self.kind

    def parser_of(self, variant: str) -> str:
        """What parses the page for a variant; empty where nobody says."""
        return str(self.variants.get(base_variant(variant), {}).get("parser", self.parser))

    def shown(self) -> dict[str, Any]:
        """Return what runs record and reports show, as JSON has it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if not is_dataclass(value)
        }
