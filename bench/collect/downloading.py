"""What stands between Scrapy and a site: manners, and what a site may do to us.

Names are resolved once and the connection goes to the very address that was looked at, so that a
name cannot mean a public host for the check and a private one for the connection.
"""

import asyncio
import ipaddress
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Headers, Response
from scrapy.resolver import CachingHostnameResolver
from scrapy.robotstxt import RobotParser
from scrapy.utils.misc import build_from_crawler
from twisted.internet.interfaces import IAddress, IHostResolution, IResolutionReceiver
from twisted.web._newclient import HEADER, STATUS
from zope.interface import implementer

from bench.collect.settings import TOKEN
from bench.collect.urls import Reason

HEAD_BYTES = 256 << 10
"""A response's status and headers must not be longer."""
_FORBIDDEN = b"User-agent: *\nDisallow: /"
_MOST_WAITS = 3
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class Refused(IgnoreRequest):
    """A request that is not made, or whose answer is not taken."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


# -- where we may go --------------------------------------------------------------------------


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet, whatever it is wrapped in."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
        if ip in _NAT64:
            inner.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
        if any(wrapped is not None and not is_public(str(wrapped)) for wrapped in inner):
            return False
        if ip.ipv4_mapped is not None:
            return True
    return ip.is_global and not ip.is_multicast


@implementer(IResolutionReceiver)
class _PublicOnly:
    """Hands on the addresses of a name that may be connected to."""

    def __init__(self, receiver: Any, refused: set[str], name: str) -> None:
        self._receiver, self._refused, self._name = receiver, refused, name
        self._private, self._public = False, False

    def resolutionBegan(self, resolution: IHostResolution) -> None:
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:
        host: str = address.host
        if is_public(host):
            self._public = True
            self._receiver.addressResolved(address)
        else:
            self._private = True

    def resolutionComplete(self) -> None:
        if self._private and not self._public:
            self._refused.add(self._name)
        self._receiver.resolutionComplete()


class Resolver(CachingHostnameResolver):
    """Scrapy's resolver less private addresses, but for hosts that the user named."""

    refused: set[str] = set()  # noqa: RUF012 - one resolver a process
    """Names that have private addresses alone."""
    private: frozenset[str] = frozenset()
    """Hosts, with their ports, that may have one."""
    allow_all = False

    def resolveHostName(
        self, resolutionReceiver: IResolutionReceiver, hostName: str, portNumber: int = 0, *rest: Any,
        **more: Any,
    ) -> Any:  # fmt: skip
        """Resolve a name (``IHostnameResolver``)."""
        host = f"[{hostName}]" if ":" in hostName else hostName
        named = {f"{host}:{portNumber}", *([host] if portNumber in (80, 443) else [])}
        if not (self.allow_all or named & self.private):
            receiver: Any = _PublicOnly(resolutionReceiver, self.refused, hostName)
            resolutionReceiver = receiver
        return super().resolveHostName(resolutionReceiver, hostName, portNumber, *rest, **more)


# -- manners ----------------------------------------------------------------------------------


class Robots(RobotsTxtMiddleware):
    """robots.txt as RFC 9309 has it: one that is not there allows all, one out of reach nothing."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._impatient: set[str] = set()
        crawler.signals.connect(self._robots_parsed, signal=signals.robots_parsed)

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status != 200:
            response = response.replace(body=_FORBIDDEN if response.status >= 500 else b"")
        await super()._parse_robots(response, netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        waiting: Any = self._parsers[netloc]
        self._parsers[netloc] = build_from_crawler(self._parserimpl, self.crawler, _FORBIDDEN)
        waiting.callback(self._parsers[netloc])

    def _robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        spider: Any = self.crawler.spider
        delay = robotparser.crawl_delay(TOKEN) or 0
        name = request.meta["download_slot"]
        if delay > spider.plan.patience_s:
            self._impatient.add(name)
        elif delay > spider.plan.delay_s:
            spider.least_delays[name] = delay
            downloader = self.crawler.engine.downloader
            downloader.per_slot_settings[name] = {"delay": delay, "concurrency": 1, "jitter": 0}
            if slot := downloader.slots.get(name):
                slot.delay, slot.concurrency = delay, 1

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Refuse what robots.txt forbids."""
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest:
            raise Refused(Reason.ROBOTS) from None
        if request.meta.get("download_slot") in self._impatient:
            raise Refused(Reason.CRAWL_DELAY)
        spider: Any = self.crawler.spider
        if spider.plan.dry_run and "row" in request.meta and request.meta["row"].kind == "page":
            raise Refused(Reason.DRY_RUN)


class Throttle(AutoThrottle):
    """Scrapy's AutoThrottle, which goes slower where a site does, never below a crawl-delay."""

    def _response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        super()._response_downloaded(response, request, spider)
        key, slot = self._get_slot(request, spider)
        collector: Any = self.crawler.spider
        if slot is not None:
            slot.delay = max(slot.delay, collector.least_delays.get(key, 0))


class Patience(RetryMiddleware):
    """Tries again as Scrapy does; a host that asks for time (``Retry-After``) gets it."""

    async def process_response(  # type: ignore[override]
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Wait as asked, all requests to the host with this one, then try again."""
        wait = _retry_after(response) if response.status in (429, 503) else None
        if wait is None or "row" not in request.meta:
            return super().process_response(request, response)
        times = request.meta.setdefault("waits", 0) + 1
        request.meta["waits"] = times
        collector: Any = self.crawler.spider
        if wait > collector.plan.patience_s or times > _MOST_WAITS:
            raise Refused(Reason.RETRY_AFTER)
        collector.hold(request.meta["download_slot"], wait)
        await asyncio.sleep(wait)
        return request.replace(dont_filter=True)


def _retry_after(response: Response) -> float | None:
    """Return how many seconds a server asks to be left alone, None where it says nothing."""
    stated = (response.headers.get(b"Retry-After") or b"").decode("latin-1").strip()
    if stated.isdigit():
        return float(stated[:9])
    with suppress(ValueError, TypeError):
        return max(0.0, (parsedate_to_datetime(stated) - datetime.now(UTC)).total_seconds())
    return None


# -- what comes -------------------------------------------------------------------------------


class Wire:
    """Keeps the body as it came, before its content encoding is undone."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep the body, and the headers of request and response."""
        headers_sent, headers_received = (
            [(name, value) for name, values in headers.items() for value in values]
            for headers in (request.headers, response.headers)
        )
        request.meta["wire"] = (response.body, headers_sent, headers_received)
        return response


class Compression(HttpCompressionMiddleware):
    """Scrapy's; a body that grows beyond the limit is refused with our reason."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Undo the content encoding."""
        try:
            return super().process_response(request, response)
        except IgnoreRequest:
            raise Refused(Reason.TOO_LARGE) from None


def media_type(headers: Headers) -> tuple[str, str | None]:
    """Return type and charset as the server stated them, in lower case."""
    stated = (headers.get(b"Content-Type") or b"").decode("latin-1")
    mime, *parameters = stated.split(";")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return mime.strip().lower(), value.strip().strip("\"'").lower()[:60] or None
    return mime.strip().lower(), None


class _ShortHead(_LenientHTTP11ClientProtocol):
    """Ends connections whose headers do not."""

    _head_bytes = 0

    def request(self, request: Any) -> Any:
        self._head_bytes = 0
        return super().request(request)

    def dataReceived(self, data: bytes) -> None:
        super().dataReceived(data)  # type: ignore[no-untyped-call]
        if self._parser is not None and self._parser.state in (STATUS, HEADER):
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES and self.transport is not None:
                self.transport.abortConnection()


class _Factory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> _ShortHead:
        return _ShortHead(self._quiescentCallback)  # type: ignore[no-untyped-call]


class Handler(HTTP11DownloadHandler):
    """Scrapy's handler, with a limit to headers, and to requests under way.

    Scrapy counts a request as under way only when its task begins, so that its own limit lets
    through whatever is queued at one time.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _Factory
        self._collector: Any = crawler.spider

    async def download_request(self, request: Request) -> Response:
        """Fetch a page as soon as there is room for it."""
        async with self._collector.room:
            self._collector.under_way += 1
            try:
                return await super().download_request(request)
            finally:
                self._collector.under_way -= 1
