"""One request over https: a few redirects that keep the scheme, proxies, and errors in plain words.

The connection is urllib3's. It is not left to follow redirects: it would go from https to http, and
read what comes with a redirect whole, however long. Nor to try again: what has come would be lost.
"""

import contextlib
import threading
import urllib.parse
import urllib.request
from concurrent.futures import Future
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

from bench.model import BenchError
from bench.util import paths

_LOCAL = ("localhost", "127.0.0.1", "::1")
_REDIRECTS = 5


class DownloadError(BenchError):
    """The file could not be got; what came is kept, and gone on with next time."""


class Offline(DownloadError):
    """The server cannot be reached at all."""


class Again(Exception):
    """This try failed; another may not."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s
        """How long the server asks to be left alone; None where it does not say."""


@dataclass(frozen=True)
class Patience:
    """How long is waited, and how often tried again. Seconds."""

    connect_s: float = 15.0
    read_s: float = 30.0
    """Without a single byte; and for all that comes before the body."""
    tries: int = 5
    """In a row that bring nothing new."""
    backoff_s: float = 1.0
    """Before the second try; doubles with each."""
    longest_wait_s: float = 60.0
    """A server that asks for more patience (``Retry-After``) is given up."""
    total_s: float = 3 * 3600.0
    """For one file, however many bytes come now and then."""


PATIENT = Patience()


def checked_scheme(url: str) -> str:
    """Return the scheme of an address: https, or http with this machine (for tests).

    Raises ``DownloadError`` for any other, and for an address with a user's name.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    allowed = ("https", "http") if host in _LOCAL else ("https",)
    if host and not parts.username and parts.scheme in allowed:
        return parts.scheme
    raise DownloadError(f"{url} is not downloaded from: only https addresses are")


def get(
    url: str, headers: dict[str, str], patience: Patience = PATIENT
) -> urllib3.BaseHTTPResponse:
    """Ask for an address, following a few redirects of the same scheme; the body is not read yet.

    Raises ``Offline``, ``DownloadError`` for what will not do, ``Again`` for what might next time.
    """
    scheme = checked_scheme(url)
    address = url
    for _ in range(_REDIRECTS + 1):
        response = _ask(address, headers, patience)
        target = response.get_redirect_location()
        if not target:
            return response
        response.close()
        try:
            address = urllib.parse.urljoin(address, target)
            scheme_kept = checked_scheme(address) == scheme
        except (ValueError, DownloadError):
            scheme_kept = False
        if not scheme_kept:
            raise DownloadError(f"{url} leads to {target}, where nothing is downloaded from")
    raise DownloadError(f"{url} leads on and on: more than {_REDIRECTS} redirects")


def _ask(url: str, headers: dict[str, str], patience: Patience) -> urllib3.BaseHTTPResponse:
    host = urllib.parse.urlsplit(url).hostname or ""
    timeout = urllib3.Timeout(connect=patience.connect_s, read=patience.read_s)
    answer: Future[urllib3.BaseHTTPResponse] = Future()

    def ask() -> None:
        try:
            response = _pool(url, host).request(
                "GET", url, headers={**headers, "User-Agent": _agent()}, timeout=timeout,
                preload_content=False, decode_content=False, redirect=False, retries=False,
            )  # fmt: skip
        except BaseException as error:
            answer.set_exception(error)
        else:
            answer.set_result(response)

    # In a thread that is left to itself: a head may come byte by byte, each of them in time.
    threading.Thread(target=ask, daemon=True).start()
    try:
        return answer.result(patience.connect_s + patience.read_s)
    except TimeoutError:
        raise Again("no answer in time") from None
    except (NameResolutionError, NewConnectionError, ConnectTimeoutError, ProxyError) as error:
        raise Offline(f"{host} cannot be reached: {in_words(error)}") from error
    except SSLError as error:
        raise DownloadError(f"{host} cannot be trusted ({error})") from error
    except LocationValueError as error:
        raise DownloadError(f"{url} cannot be asked for ({error})") from error
    except HTTPError as error:
        raise Again(in_words(error)) from error


def _agent() -> str:
    with contextlib.suppress(metadata.PackageNotFoundError):
        return f"bench/{metadata.version(paths.DISTRIBUTION)}"
    return "bench"


def _pool(url: str, host: str) -> urllib3.PoolManager:
    proxy = urllib.request.getproxies().get(urllib.parse.urlsplit(url).scheme)
    if not proxy or host in _LOCAL or urllib.request.proxy_bypass(host):
        return urllib3.PoolManager()
    user, _, _ = urllib.parse.urlsplit(proxy).netloc.rpartition("@")
    secret = urllib.parse.unquote(user) or None
    return urllib3.ProxyManager(proxy, proxy_headers=urllib3.make_headers(proxy_basic_auth=secret))


def in_words(error: HTTPError) -> str:
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
