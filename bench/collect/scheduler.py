"""Scrapy's scheduler over ``urls.sqlite``: which address comes next.

Within a depth hosts take turns, so that a slow or patient one keeps nobody else waiting.
"""

from collections import Counter, deque
from collections.abc import Callable
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler

from bench.collect.settings import Settings
from bench.collect.urls import Url, UrlTable, or_end


class Frontier(BaseScheduler):
    """Hands out requests for queued addresses; ``settled`` takes them back."""

    def __init__(self, urls: UrlTable, settings: Settings, errback: Callable[..., None]) -> None:
        self._urls, self._settings, self._errback = urls, settings, errback
        # The handler keeps to the number of requests under way; as many again stand ready behind.
        self._per_host = 2 * settings.jobs if settings.own_site else 1
        self._retries: deque[Request] = deque()
        self._depth = 0
        self._free_hosts: deque[str] = deque()
        """Hosts that may be asked for one page more, whose queue has not ended."""
        self._busy_hosts: set[str] = set()
        """Hosts that are being asked for as many pages as they may."""
        self._queues: dict[str, deque[Url]] = {}
        self._last: dict[str, tuple[int, int]] = {}
        self._in_flight_by_host: Counter[str] = Counter()
        self.in_flight: dict[int, Url] = {}
        self.pages = urls.states().get("done", 0)
        """Pages that are kept."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take what the child process opened."""
        spider: Any = crawler.spider
        spider.frontier = cls(spider.urls, spider.plan, spider.failed)
        return spider.frontier  # type: ignore[no-any-return]

    def has_pending_requests(self) -> bool:
        """Whether there is, or may still come, something to ask for."""
        return bool(self._retries or self.in_flight or (not self._full and self._next_host()))

    def enqueue_request(self, request: Request) -> bool:
        """Take a request that is to be tried again; addresses come by the table alone."""
        self._retries.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return the next request, None where none may be made now."""
        if self._retries:
            return self._retries.popleft()
        host = None if self._full else self._next_host()
        if host is None:
            return None
        url = self._queues[host].popleft()
        self._free_hosts.popleft()
        self.in_flight[url.id] = url
        self._in_flight_by_host[host] += 1
        if self._in_flight_by_host[host] < self._per_host:
            self._free_hosts.append(host)
        else:
            self._busy_hosts.add(host)
        # The slot that Scrapy gives to robots.txt as well.
        slot = urlsplit(url.url).hostname
        meta = {"row": url, "handle_httpstatus_all": True, "download_slot": slot}
        return Request(url.url, errback=self._errback, meta=meta, dont_filter=True)

    def settled(self, url: Url, *, stored: bool) -> None:
        """Note that an address has its state."""
        self.in_flight.pop(url.id, None)
        self.pages += stored
        self._in_flight_by_host[url.host] -= 1
        if url.host in self._busy_hosts:
            self._busy_hosts.remove(url.host)
            self._free_hosts.append(url.host)

    @property
    def _full(self) -> bool:
        most = self._settings.max_pages
        return most is not None and self.pages + len(self.in_flight) >= most

    @or_end()
    def _next_host(self) -> str | None:
        """Put a host that may be asked, and has a queue, first."""
        while True:
            while self._free_hosts:
                host = self._free_hosts[0]
                if self._queues.get(host) or self._fill(host):
                    return host
                self._free_hosts.popleft()
            if self.in_flight or not self._begin_depth():
                return None

    def _fill(self, host: str) -> bool:
        batch = self._urls.queue(self._depth, host, self._last.get(host, (-1, -1)))
        if batch:
            turn, last = batch[-1]
            self._last[host] = (turn, last.id)
            self._queues[host] = deque(url for _, url in batch)
        return bool(batch)

    def _begin_depth(self) -> bool:
        """Begin the next depth; the same once more where redirects have added to it."""
        plan = self._settings
        depth = self._urls.begin_depth(
            per_series=plan.per_pattern, per_folder=plan.per_folder, seed=plan.seed
        )
        self._queues, self._last = {}, {}
        self._busy_hosts.clear()
        self._in_flight_by_host.clear()
        self._free_hosts.clear()
        if depth is not None:
            self._depth = depth
            self._free_hosts.extend(self._urls.hosts(depth))
        return bool(self._free_hosts)
