"""What is made of an answer: a page that is kept, links that are met, a reason why not."""

import asyncio
import hashlib
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml.etree import HTMLParser
from parsel.selector import create_root_node
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, StopDownload
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.utils.asyncio import call_later, create_looping_call
from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap
from twisted.python.failure import Failure

from bench.collect import addresses
from bench.collect.downloading import Refused, Resolver, media_type
from bench.collect.scheduler import Frontier
from bench.collect.settings import TYPES, Settings
from bench.collect.stores import Store
from bench.collect.urls import Link, Reason, State, Url, UrlTable, or_end

LINKS = 20_000
"""The most that are taken of one page."""
SITEMAP_LINKS = 50_000
_LINKED = "//a/@href | //area/@href | //frame/@src | //iframe/@src"
_ROBOTS = "//meta[translate(@name, 'ROBTS', 'robts') = 'robots']/@content"
_REDIRECTS = 10
_REPORT_EVERY_S = 0.5
_FEW_CHARACTERS = 200
_ROOT_OF_SCRIPTS = re.compile(rb"\sid=[\"']?(?:root|app|__next|__nuxt)\b", re.I)


class Collector(Spider):
    """The one spider: addresses come from the table, and what becomes of them goes there."""

    name = "collect"
    frontier: Frontier

    def __init__(self, urls: UrlTable, store: Store, plan: Settings) -> None:
        super().__init__()
        self.urls, self.store, self.plan = urls, store, plan
        self.least_delays: dict[str, float] = {}
        """Seconds between two requests that robots.txt asks for, by slot."""
        self.room = asyncio.Semaphore(plan.jobs)
        self.under_way = 0
        """Requests."""
        self._sites = urls.sites()
        self._began = time.monotonic()
        self._bytes = 0
        self._reports = create_looping_call(self._report)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "Collector":
        """Listen to headers, and tell how things go twice a second."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        connect = crawler.signals.connect
        connect(spider._headers_received, signal=signals.headers_received)
        connect(spider._bytes_received, signal=signals.bytes_received)
        connect(spider._opened, signal=signals.spider_opened)
        connect(spider._closed, signal=signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Begin with nothing: the table has the roots."""
        for request in self.start_urls:
            yield request

    def hold(self, slot_name: str, seconds: float) -> None:
        """Make no request to a host for a while."""
        downloader = self.crawler.engine.downloader
        if slot := downloader.slots.get(slot_name):
            slot.close()
            slot.latercall = call_later(seconds, downloader._latercall, slot)

    # -- answers ------------------------------------------------------------------------------

    def parse(self, response: Response, **_: Any) -> None:
        """Take an answer; a fault of ours is written down, and the next address comes."""
        url: Url = response.meta["row"]
        try:
            self._take(url, response)
        except Exception:
            self._settle(url, State.FAILED, Reason.INTERNAL, status=response.status)
            raise

    def _take(self, url: Url, response: Response) -> None:
        mime, charset = media_type(response.headers)
        facts: dict[str, Any] = {
            "status": response.status,
            "mime": mime or None,
            "charset": charset,
            "fetched_at": _now(),
        }
        if response.status in (301, 302, 303, 307, 308):
            self._redirect(url, response, facts)
        elif response.status != 200:
            self._settle(url, State.FAILED, Reason.STATUS, answer=response, **facts)
        elif "download_stopped" in response.flags:
            self._settle(url, State.SKIPPED, Reason.TYPE, **facts)
        elif url.kind == "page" and mime not in self.plan.mimes:
            self._settle(url, State.SKIPPED, Reason.TYPE, links=self._links(url, response), **facts)
        elif url.kind == "page":
            self._keep(url, response, facts)
        else:
            links = self._listed(response) if url.kind == "sitemap" else self._links(url, response)
            self._settle(url, State.SKIPPED, Reason.LIST, links=links, **facts)

    def failed(self, failure: Failure) -> None:
        """Say why there is no answer."""
        request: Request = failure.request  # type: ignore[attr-defined]
        url: Url = request.meta["row"]
        error = failure.value
        if urlsplit(url.url).hostname in Resolver.refused:
            self._settle(url, State.SKIPPED, Reason.PRIVATE)
        elif isinstance(error, Refused):
            failing = error.reason in (Reason.TOO_LARGE, Reason.RETRY_AFTER)
            self._settle(url, State.FAILED if failing else State.SKIPPED, error.reason)
        else:
            reasons: dict[type, Reason] = {
                DownloadTimeoutError: Reason.TIMEOUT,
                DownloadCancelledError: Reason.TOO_LARGE,
            }
            reason = reasons.get(type(error), Reason.NETWORK)
            self._settle(url, State.FAILED, reason)

    def _keep(self, url: Url, response: Response, facts: dict[str, Any]) -> None:
        facts |= {
            "bytes": len(response.body),
            "sha256": hashlib.sha256(response.body).hexdigest(),
            "needs_javascript": _needs_javascript(response),
        }
        original = self.urls.same_content(facts["sha256"])
        state = (State.DONE, None) if original is None else (State.SKIPPED, Reason.DUPLICATE)
        links = self._links(url, response)
        self._settle(url, *state, links=links, answer=response, original=original, **facts)

    def _redirect(self, url: Url, response: Response, facts: dict[str, Any]) -> None:
        if url.hops >= _REDIRECTS:
            self._settle(url, State.FAILED, Reason.REDIRECTS, answer=response, **facts)
            return
        location = (response.headers.get(b"Location") or b"").decode("latin-1")
        target = addresses.canonical(location, url.url) if location else None
        links = []
        if target is not None:
            if url.depth <= 0:
                # Where a root leads is what its user meant.
                self._sites.add(addresses.host(target))
            links = [
                self._link(target, url, url.depth, hops=url.hops + 1, kind=url.kind, rule=url.rule)
            ]
        self._settle(url, State.SKIPPED, Reason.REDIRECT, links=links, answer=response, **facts)

    def _settle(
        self,
        url: Url,
        state: State,
        reason: Reason | None = None,
        *,
        links: Iterable[Link] = (),
        answer: Response | None = None,
        original: tuple[str, str, str] | None = None,
        **facts: Any,
    ) -> None:
        """Say what became of an address; its ``answer``, if it is given, is written to the store."""
        links = list(links)  # before anything is written: what is in the file must be in the table
        with or_end(), self.urls.transaction():
            if answer is not None:
                facts["stored_end"], facts["digest"] = self.store.write(answer, facts, original)
            self.urls.add(links)
            self.urls.settle(url, state, reason, **facts)
        self.frontier.settled(url, stored=state is State.DONE)

    # -- links --------------------------------------------------------------------------------

    def _links(self, url: Url, response: Response) -> Iterator[Link]:
        """Return the links of a page, each once, in document order."""
        if not isinstance(response, HtmlResponse) or (
            self.plan.source == "list" and not self.plan.depth
        ):
            return
        tree = _tree(response)
        robots = tree.xpath(_ROBOTS, smart_strings=False)
        if any(word in text.lower() for text in robots for word in ("nofollow", "none")):
            return
        hrefs = tree.xpath(_LINKED, smart_strings=False)[:LINKS]
        base = response.url
        with suppress(ValueError):
            base = urljoin(base, (tree.xpath("//base/@href", smart_strings=False) or [""])[0])
        if self.plan.source == "sites":
            yield from self._led_to(url, hrefs, base)
            return
        for target in _canonical(hrefs, base):
            yield self._link(target, url, url.depth + 1)

    def _led_to(self, url: Url, hrefs: Iterable[str], base: str) -> Iterator[Link]:
        """Return the links of an index that a rule is for, each with the first such rule.

        An index may lead to another, and that to no third.
        """
        site = None if url.rule is None else self.plan.leads[url.rule]
        if site is None or url.depth > 1:
            return
        rules = [follow for follow in self.plan.follow if follow.site == site]
        for href in hrefs:
            target = addresses.canonical(href, base)
            if target is None or target == url.url:
                continue
            for rule in rules:
                if rule.href in href and all(part in target for part in rule.address):
                    yield self._link(target, url, url.depth + 1, kind=rule.kind, rule=rule.rule)
                    break

    def _listed(self, response: Response) -> Iterator[Link]:
        """Return what a sitemap lists: pages at depth 0, or sitemaps."""
        body = response.body
        if body[:2] == b"\x1f\x8b":
            body = gunzip(body, max_size=self.plan.max_bytes)
        sitemap = Sitemap(body)
        kind, depth = ("sitemap", -1) if sitemap.type == "sitemapindex" else ("page", 0)
        locations = (entry.get("loc", "") for entry in islice(sitemap, SITEMAP_LINKS))
        url: Url = response.meta["row"]
        if kind == "sitemap" and url.hops >= _REDIRECTS:
            return
        for target in _canonical(locations, response.url):
            yield self._link(target, url, depth, hops=url.hops + 1, kind=kind)

    def _link(
        self,
        target: str,
        url: Url,
        depth: int,
        hops: int = 0,
        kind: str = "page",
        rule: int | None = None,
    ) -> Link:
        state, reason = State.QUEUED, None
        if not addresses.on_site(
            addresses.host(target), self._sites, subdomains=self.plan.subdomains
        ):
            state, reason = State.SKIPPED, Reason.OFF_SITE
        elif depth > self.plan.depth:
            state, reason = State.SKIPPED, Reason.DEPTH
        return Link(target, depth, state, reason, url.id, hops, kind, rule)

    # -- signals ------------------------------------------------------------------------------

    def _headers_received(self, headers: Headers, request: Request) -> None:
        """Stop before a body that is neither wanted nor has links to follow."""
        url: Url | None = request.meta.get("row")
        if url is None or url.kind == "sitemap":
            return
        html = TYPES["html"] if url.depth < self.plan.depth else frozenset()
        if media_type(headers)[0] not in self.plan.mimes | html:
            raise StopDownload(fail=False)

    def _bytes_received(self, data: bytes) -> None:
        self._bytes += len(data)

    def _report(self) -> None:
        states = self.urls.states()
        line = {
            "t": round(time.monotonic() - self._began, 3),
            "bytes": self._bytes,
            "in_flight": self.under_way,
            **{state.value: states.get(state, 0) for state in State},
        }
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    def _opened(self) -> None:
        self._reports.start(_REPORT_EVERY_S)

    def _closed(self) -> None:
        self._reports.stop()
        self._report()


def _tree(response: HtmlResponse) -> Any:
    """Return the tree of a page. Scrapy's own way to it fails where a ``base`` is no address."""
    return create_root_node(response.text, HTMLParser, base_url=response.url)


def _canonical(hrefs: Iterable[str], base: str) -> Iterable[str]:
    """Return the addresses of links, each once."""
    targets = (addresses.canonical(href, base) for href in hrefs)
    return dict.fromkeys(target for target in targets if target is not None)


def _needs_javascript(response: Response) -> bool:
    """Whether a page says next to nothing without its scripts, and shows signs that it has them."""
    if not isinstance(response, HtmlResponse):
        return False
    body = response.body.lower()
    asks_for_it = b"<noscript" in body and b"javascript" in body
    if not asks_for_it and not _ROOT_OF_SCRIPTS.search(body):
        return False
    visible = "//body//text()[not(parent::script or parent::style or parent::noscript)]"
    characters = sum(len(text.strip()) for text in _tree(response).xpath(visible))
    return characters < _FEW_CHARACTERS


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
