"""What a collection is made with."""

from collections.abc import Mapping
from dataclasses import dataclass

TOKEN = "extractor-bench"  # noqa: S105
"""What robots.txt calls us."""
POLITE_DELAY_S = 1.0
WARC = "pages.warc.gz"
TYPES: Mapping[str, frozenset[str]] = {
    "html": frozenset(("text/html", "application/xhtml+xml")),
    "pdf": frozenset(("application/pdf",)),
    "docx": frozenset(("application/vnd.openxmlformats-officedocument.wordprocessingml.document",)),
}
"""Types of content by the names that the command line, and files, have for them."""


@dataclass(frozen=True)
class Follow:
    """Which links of a site's indexes lead to pages, and by which rule of the specification."""

    site: str
    rule: int
    kind: str
    """``page``, or ``index`` for what gives no document itself."""
    href: str
    """What must occur in the link as it is written."""
    address: tuple[str, ...]
    """What must occur in the address that it leads to."""


@dataclass(frozen=True)
class Selection:
    """What is collected: it stays as it is for as long as a collection is gone on with."""

    source: str
    """``domain`` (links are followed), ``list``, ``sitemap`` or ``sites`` (of a specification)."""
    roots: tuple[str, ...] = ()
    """For a domain or sitemap, where it begins."""
    depth: int = 0
    subdomains: bool = False
    types: tuple[str, ...] = ("html",)
    seed: int | None = None
    """Of the sample; None where pages are taken as they are met."""
    store: str = "warc"
    per_pattern: int = 1_000
    per_folder: int = 50_000


@dataclass(frozen=True)
class Settings(Selection):
    """How addresses are chosen, and how they are fetched."""

    max_pages: int | None = None
    jobs: int = 16
    """Requests at once, over all hosts; one for each host unless the site is one's own."""
    delay_s: float = POLITE_DELAY_S
    """Between two requests to a host."""
    own_site: bool = False
    private: tuple[str, ...] = ()
    """Hosts, with their ports, that may have private addresses."""
    allow_private: bool = False
    max_bytes: int = 10 << 20
    timeout_s: float = 30.0
    patience_s: float = 60.0
    """The longest Retry-After or crawl-delay that is kept to; what asks for more is given up."""
    agent: str = TOKEN
    dry_run: bool = False
    follow: tuple[Follow, ...] = ()
    """For sites of a specification: in its order."""
    leads: tuple[str | None, ...] = ()
    """For each rule of a specification the site whose links its pages are followed for."""

    @property
    def mimes(self) -> frozenset[str]:
        """Types of content that are kept, as servers call them."""
        return frozenset().union(*(TYPES[name] for name in self.types))
