"""One request over https: a few redirects that keep the scheme, proxies, and errors in plain words."""

from __future__ import annotations

import contextlib
import email.utils
import re
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata

import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationValueError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    SSLError,
)

from bench.datasets.readers.base import GoldError

_CHUNK = 64 * 1024
_LOCAL = ("localhost", "127.0.0.1", "::1")
_REDIRECTS = 5


class DownloadError(GoldError):
    """The file could not be got; what came is kept, and gone on with next time."""


class Offline(DownloadError):
    """The server cannot be reached at all."""


class Again(Exception):
    """This try failed; another may not."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


@dataclass(frozen=True)
class Patience:
    """How long is waited, and how often tried again. Seconds."""

    connect_s: float = 15.0
    read_s: float = 30.0
    """Without a single byte."""
    tries: int = 5
    """In a row that bring nothing new."""
    backoff_s: float = 1.0
    """Before the second try; doubles with each."""
    longest_wait_s: float = 60.0
    """A server that asks for more patience (``Retry-After``) is given up."""


PATIENT = Patience()


def checked_scheme(url: str) -> str:
    """Return the scheme of an address. Raises ``DownloadError`` unless it may be downloaded from."""
    try:
        parts = urllib.parse.urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if host and not parts.username and (parts.scheme == "https" or _is_local(parts)):
        return parts.scheme
    raise DownloadError(f"{url} is not downloaded from: only https addresses are")


def get(url: str, headers: dict[str, str], patience: Patience) -> urllib3.BaseHTTPResponse:
    """Ask for an address, following a few redirects of the same scheme.

    Raises ``Offline``, ``DownloadError`` for what will not do, ``Again`` for what might next time.
    """
    scheme = checked_scheme(url)
    start = url
    for _ in range(_REDIRECTS + 1):
        response = _open(url, headers, patience)
        target = response.headers.get("Location")
        if response.status not in (301, 302, 303, 307, 308) or target is None:
            return response
        response.close()
        url = _followed(start, url, target, scheme)
    raise DownloadError(f"{start} leads on and on: more than {_REDIRECTS} redirects")


def _followed(start: str, url: str, target: str, scheme: str) -> str:
    try:
        url = urllib.parse.urljoin(url, target)
        if checked_scheme(url) == scheme:
            return url
    except (ValueError, DownloadError):
        url = target
    raise DownloadError(f"{start} leads to {url}, where nothing is downloaded from")


def _open(url: str, headers: dict[str, str], patience: Patience) -> urllib3.BaseHTTPResponse:
    host = urllib.parse.urlsplit(url).hostname or ""
    timeout = urllib3.Timeout(connect=patience.connect_s, read=patience.read_s)
    try:
        return _pool(url, host).request(
            "GET", url, headers={**headers, "User-Agent": _agent()}, timeout=timeout,
            preload_content=False, decode_content=False, redirect=False, retries=False,
        )  # fmt: skip
    except (NameResolutionError, NewConnectionError, ConnectTimeoutError, ProxyError) as error:
        raise Offline(f"{host} cannot be reached: {_why(error)}") from error
    except SSLError as error:
        raise DownloadError(f"{host} cannot be trusted ({error})") from error
    except LocationValueError as error:
        raise DownloadError(f"{url} cannot be asked for ({error})") from error
    except HTTPError as error:
        raise Again(_why(error)) from error


def _agent() -> str:
    with contextlib.suppress(metadata.PackageNotFoundError):
        return f"bench/{metadata.version('bench')}"
    return "bench"


def _pool(url: str, host: str) -> urllib3.PoolManager:
    scheme = urllib.parse.urlsplit(url).scheme
    proxy = urllib.request.getproxies().get(scheme)
    if not proxy or host in _LOCAL or urllib.request.proxy_bypass(host):
        return urllib3.PoolManager()
    user, _, _ = urllib.parse.urlsplit(proxy).netloc.rpartition("@")
    secret = urllib.parse.unquote(user) or None
    return urllib3.ProxyManager(proxy, proxy_headers=urllib3.make_headers(proxy_basic_auth=secret))


def chunks(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """Yield the body as it comes. Raises ``Again`` when it breaks off."""
    try:
        yield from response.stream(_CHUNK, decode_content=False)
    except HTTPError as error:
        raise Again(f"the transfer broke off ({_why(error)})") from error


def _why(error: HTTPError) -> str:
    """Return a few words for an error of the connection."""
    text = str(error)
    if isinstance(error, NameResolutionError):
        return "its name is not known here"
    if "refused" in text:
        return "connection refused"
    if "timed out" in text:
        return "no answer in time"
    cause = error.__cause__ or error.__context__
    return str(cause or text).splitlines()[0][:120] or type(error).__name__


def version(response: urllib3.BaseHTTPResponse) -> str:
    """Return the strong validator, which is what ``If-Range`` takes (RFC 9110, 13.1.5); or none."""
    tag = response.headers.get("ETag", "")
    return tag if tag.startswith('"') else ""


def length(response: urllib3.BaseHTTPResponse) -> int | None:
    """Return the bytes of the body as stated."""
    text = response.headers.get("Content-Length", "")
    return int(text) if text.isdecimal() else None


def content_range(response: urllib3.BaseHTTPResponse) -> tuple[int, int | None]:
    """Return where a part begins (-1 where that is not stated) and the bytes of the whole."""
    text = response.headers.get("Content-Range", "")
    found = re.fullmatch(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", text.strip())
    if not found:
        return -1, None
    return int(found[1]), None if found[2] == "*" else int(found[2])


def retry_after(response: urllib3.BaseHTTPResponse) -> float | None:
    """Return for how many seconds the server asks to be left alone."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text[:9])
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        return max(email.utils.parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    return None


def _is_local(parts: urllib.parse.SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in _LOCAL
