"""The process that Scrapy runs in: ``python -m bench.collect.child OUT``.

What to do stands in ``OUT/urls.sqlite``. It tells how things go in lines of JSON on standard
output, and ends when its standard input does: nobody is left behind by a parent that is killed.
"""

import gc
import logging
import os
import sys
import threading
from pathlib import Path

from scrapy.crawler import AsyncCrawlerProcess

from bench.collect import stores
from bench.collect.downloading import Resolver
from bench.collect.run import LOG, collection_lock
from bench.collect.settings import TOKEN, Settings
from bench.collect.spider import Collector
from bench.collect.urls import UrlTable

_OUR_CLASSES = "bench.collect.downloading"
_SCRAPY_MIDDLEWARES = "scrapy.downloadermiddlewares"


def scrapy_settings(plan: Settings, out: Path) -> dict[str, object]:
    """Return Scrapy's settings for ours."""
    off = ("offsite.OffsiteMiddleware", "robotstxt.RobotsTxtMiddleware", "retry.RetryMiddleware",
           "httpcompression.HttpCompressionMiddleware", "redirect.MetaRefreshMiddleware")  # fmt: skip
    unused = ("telnet.TelnetConsole", "throttle.AutoThrottle", "remote_control.RemoteControl",
              "memusage.MemoryUsage", "logstats.LogStats", "feedexport.FeedExporter")  # fmt: skip
    return {
        "SCHEDULER": "bench.collect.scheduler.Frontier",
        "USER_AGENT": plan.agent,
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_USER_AGENT": TOKEN,
        # Nothing goes to pipelines: a worker for each of a hundred items takes a quarter of the time.
        "CONCURRENT_ITEMS": 1,
        # On a site of one's own the next request stands ready behind each one under way (the handler
        # counts them): it goes out when an answer has come, not when a batch of them has been read.
        "CONCURRENT_REQUESTS": 2 * plan.jobs if plan.own_site else plan.jobs,
        "CONCURRENT_REQUESTS_PER_DOMAIN": plan.jobs if plan.own_site else 1,
        "DOWNLOAD_DELAY": plan.delay_s,
        "DOWNLOAD_DELAY_JITTER": 0,
        "AUTOTHROTTLE_ENABLED": plan.delay_s > 0,
        "AUTOTHROTTLE_START_DELAY": plan.delay_s,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(plan.jobs if plan.own_site else 1),
        "DOWNLOAD_TIMEOUT": plan.timeout_s,
        "DOWNLOAD_MAXSIZE": plan.max_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_VERIFY_CERTIFICATES": True,
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("data", "file", "ftp", "s3")),
            **dict.fromkeys(("http", "https"), f"{_OUR_CLASSES}.Handler"),
        },
        "DOWNLOADER_MIDDLEWARES": {
            **dict.fromkeys(f"{_SCRAPY_MIDDLEWARES}.{name}" for name in off),
            f"{_OUR_CLASSES}.Robots": 100,
            f"{_OUR_CLASSES}.Patience": 550,
            f"{_OUR_CLASSES}.Compression": 590,
            f"{_OUR_CLASSES}.Wire": 595,
        },
        "SPIDER_MIDDLEWARES": {
            f"scrapy.spidermiddlewares.{name}": None
            for name in (
                "depth.DepthMiddleware",
                "httperror.HttpErrorMiddleware",
                "metacopy.MetaCopyDetectionMiddleware",
                "referer.RefererMiddleware",
                "urllength.UrlLengthMiddleware",
            )
        },
        "EXTENSIONS": {
            **{f"scrapy.extensions.{name}": None for name in unused},
            f"{_OUR_CLASSES}.Throttle": 0,
        },
        "TWISTED_DNS_RESOLVER": f"{_OUR_CLASSES}.Resolver",
        "COOKIES_ENABLED": False,
        "HTTPPROXY_ENABLED": False,
        "DEFAULT_REQUEST_HEADERS": {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"},
        "LOG_FILE": str(out / LOG),
        "LOG_LEVEL": "ERROR",
        "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",
        "STATS_DUMP": False,
        "DOWNLOADER_STATS": False,
    }


def main(out: Path) -> None:
    """Go on with the collection in a folder until nothing is left, or SIGTERM."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with collection_lock(out), UrlTable(out) as urls:
        plan = urls.settings or Settings("list")
        Resolver.private, Resolver.allow_all = frozenset(plan.private), plan.allow_private
        about = {"software": plan.agent, "format": "WARC File Format 1.1", "robots": "obey"}
        about["description"] = "bodies as they came, less their transfer encoding"
        store = stores.open_store(out, plan.store, urls, about)
        # Scrapy's handler leaves lines out only after they have been made.
        logging.getLogger("scrapy").setLevel(logging.ERROR)
        # Looking for cycles of objects took a sixth of the time, and there are next to none.
        gc.set_threshold(50_000)
        process = AsyncCrawlerProcess(scrapy_settings(plan, out))
        process.crawl(Collector, urls=urls, store=store, plan=plan)
        process.start()


def _end_with_parent() -> None:
    # What is written is whole or cut off by the next run, so that there is nothing to wait for.
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
