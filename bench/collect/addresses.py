"""Addresses: their one spelling, whose site they are on, and what shape they have.

There are two shapes. A *template* stands for pages that are likely to have one layout, and
samples are drawn evenly over templates: ``/news/*.html``. A *series* is what a program can go on
with for ever, numbers and queries (``/calendar/#/#``, ``/list?page``), and has a limit.
"""

import hashlib
import re
from collections.abc import Collection
from urllib.parse import urljoin, urlsplit

from bench.model import BenchError

LONGEST = 2_000
"""Characters of an address; longer ones are not fetched."""
_MOST_FOLDERS = 20
_MOST_REPEATS = 3
"""How often one folder may stand in a path: relative links that never end repeat theirs."""
# Who has come, and from where, not what is asked for: PHP, Java, ASP, ColdFusion; analytics.
_VISIT = (
    "phpsessid", "jsessionid", "sessionid", "session_id", "aspsessionid", "cfid", "cftoken", "sid",
    "fbclid", "gclid", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content",
)  # fmt: skip
_IN_PATH = re.compile(r";jsessionid=[^/?#]*", re.I)
_LABEL = "[a-z0-9]{1,30}(-[a-z0-9]{1,30})?"
# What has one spelling only, as most links do: to find that out in the long way costs most of a page.
_PLAIN = re.compile(
    rf"https?://{_LABEL}(\.{_LABEL}){{0,3}}(:([1-9][0-9]{{3}}|[1-5][0-9]{{4}}|6[0-4][0-9]{{3}}))?"
    r"(?=/)(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*/?"
)
_DEFAULT_PORT = {"http": 80, "https": 443}
_DIGITS = re.compile("[0-9]+")


def canonical(address: str, base: str | None = None) -> str | None:
    """Return the one spelling of a web address, in ASCII; None for what cannot be fetched.

    Scheme and host in lower case, no default port, no fragment, queries in order of their names,
    nothing of the visitor's session. Addresses of other schemes, with a user's name, too long or
    with too many folders are None. Raises ``BenchError`` where Scrapy is not installed.
    """
    try:
        from w3lib.url import canonicalize_url, safe_url_string, url_query_cleaner
    except ImportError:
        raise BenchError(
            "bench collect needs Scrapy; fix: pip install 'extractor-bench[collect]'"
        ) from None

    try:
        if base is not None:
            address = urljoin(base, address.strip())
        if _PLAIN.fullmatch(address) and len(address) <= LONGEST:
            return None if _endless(urlsplit(address).path) else address
        parts = urlsplit(address)
        if len(address) > LONGEST or parts.scheme not in _DEFAULT_PORT or parts.username:
            return None
        url = _IN_PATH.sub("", safe_url_string(address))
        visit = [name for name in _names(urlsplit(url).query) if name.lower() in _VISIT]
        if visit:
            url = url_query_cleaner(url, visit, remove=True, unique=False)
        parts = urlsplit(canonicalize_url(url))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if not re.fullmatch(r"[a-z0-9._-]{1,253}|[0-9a-f:.]+", host) or _endless(parts.path):
        return None
    netloc = f"[{host}]" if ":" in host else host.rstrip(".")
    if port not in (None, _DEFAULT_PORT[parts.scheme]):
        netloc += f":{port}"
    url = parts._replace(netloc=netloc, path=parts.path or "/", fragment="").geturl()
    return url if url.isascii() and url.isprintable() and len(url) <= LONGEST else None


def _endless(path: str) -> bool:
    folders = [folder for folder in path.split("/")[:-1] if folder]
    most = max(map(folders.count, folders), default=0) if len(folders) > _MOST_REPEATS else 0
    return len(folders) > _MOST_FOLDERS or most > _MOST_REPEATS


def _names(query: str) -> list[str]:
    return [part.partition("=")[0] for part in query.split("&") if part]


def page_id(url: str) -> str:
    """Return the id of an address' page: the first digits of its SHA-256."""
    return hashlib.sha256(url.encode()).hexdigest()[:16]


def host(url: str) -> str:
    """Return host, and port unless it is the scheme's own, of a canonical address."""
    return urlsplit(url).netloc


def on_site(name: str, sites: Collection[str], *, subdomains: bool) -> bool:
    """Whether a host is one of the sites', or below one of them."""
    return name in sites or (subdomains and any(name.endswith(f".{site}") for site in sites))


def template(url: str) -> str:
    """Return the shape of an address that is likely to be its page's template, with its host."""
    parts = urlsplit(url)
    folders, _, name = parts.path.rpartition("/")
    dot = name.rfind(".")
    shown = ("*" + name[dot:] if dot > 0 else "*") if name else ""
    return f"{parts.netloc}{_DIGITS.sub('#', folders)}/{shown}{_query(parts.query)}"


def series(url: str) -> str:
    """Return the shape of an address that numbers or a query vary, empty where there are none."""
    parts = urlsplit(url)
    shape = f"{_DIGITS.sub('#', parts.path)}{_query(parts.query)}"
    return parts.netloc + shape if "#" in shape or "?" in shape else ""


def folder(url: str) -> str:
    """Return the folder of an address, with its host."""
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path.rpartition('/')[0]}/"


def _query(query: str) -> str:
    return (
        "?" + "&".join(sorted({_DIGITS.sub("#", name) for name in _names(query)})) if query else ""
    )
