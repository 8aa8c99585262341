"""The one interface an adapter implements.

Standard library only, and nothing newer than Python 3.7: this module is imported inside the
worker, which may run under another interpreter in another environment.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

Settings = Mapping[str, Any]

TEXTS, TEXTS_AND_GOLD = "texts", "texts and gold"
ACCEPTS = ("str", "bytes", "gold", TEXTS, TEXTS_AND_GOLD)
KINDS = ("extractor", "control", "site-specific", "ensemble")


class Extractor:
    """One program that turns a page into its main text.

    A subclass fills in the facts below and writes ``extract``; it needs no registration and no
    error handling: the worker classifies whatever happens. Its docstring's first line says how
    the program finds the main text.
    """

    name: str = ""
    """What users type; lowercase, digits and underscores."""

    family: str = ""
    """The algorithm that it is, wraps or is a port of, where several extractors are: their texts are
    one opinion, not several."""

    requires: Tuple[str, ...] = ()
    """Requirements as pip writes them; the first names the package whose version is reported."""

    python: str = ""
    """The Python versions it runs on (PEP 440 specifier), empty for any."""

    overrides: Tuple[str, ...] = ()
    """Requirements that replace what a package of its environment asks for, wherever it does."""

    build_requires: Tuple[str, ...] = ()
    """What its packages are built with, installed before them; each then builds without
    isolation (pip's ``--no-build-isolation``)."""

    build_environ: Dict[str, str] = {}
    """Variables for the builds."""

    accepts: str = "str"
    """What ``extract`` is handed: ``str``, ``bytes`` (the library decodes for itself), or
    ``gold`` (the gold text in place of the page: for the control that shows the ceiling). An
    ensemble (``bench.methods.ensembles``) is handed its members' ``texts``, or ``texts and gold``."""

    takes_bytes: bool = False
    """For one that accepts ``str``: whether its documentation hands it bytes as well, to decode for
    itself. ``--decode library`` does that."""

    members: Tuple[str, ...] = ()
    """For an ensemble: the extractors whose texts it is handed, named as on the command line."""

    variants: Dict[str, Settings] = {"default": {}}
    """Named settings, handed to ``load`` as keywords; the first is what the bare name means."""

    kind: str = "extractor"
    """``extractor``; ``control``: a row that shows the floor or the ceiling of a metric;
    ``site-specific``: rules written for certain sites; or ``ensemble``: made of other extractors'
    texts. The last two are shown beside the others but not ranked."""

    reads: Tuple[str, ...] = ()
    """Files and folders beside its packages that it reads, such as models; nothing else is in
    sight of a worker. Absolute, or from ``~``."""

    homepage: str = ""
    """Where the program lives."""

    settings_source: str = ""
    """Where its authors recommend the settings used here (a URL), or whose settings they are."""

    licence: str = ""
    """The program's licence, as an SPDX identifier."""

    parser: str = ""
    """What turns the page's markup into a tree or events: ``lxml``, ``html.parser`` … A variant's
    setting of the same name replaces it."""

    tuned_on: Tuple[str, ...] = ()
    """Data sets that it was trained or tuned on, or whose authors it shares, each with a source:
    ``DATA_SET=URL``. Leaderboards on them say so."""

    method: str = ""
    """For a method that is worked out in bench itself: its package in ``bench.methods``. The
    version is then bench's own, and that package's source counts as the adapter's."""

    stated_charset: Optional[str] = None
    """The charset that the transport stated for the page at hand; the worker sets it."""

    def load(self, *_: Any, **settings: Any) -> None:
        """Import the library, build models and stop lists; timed apart from extraction."""

    def extract(self, html: Any, url: Optional[str]) -> str:
        """Return the main text of one page, plain; ``""`` when there is none.

        The only timed call. ``html`` is as ``accepts`` says, ``url`` is None where unknown.
        """
        raise NotImplementedError
