"""A web site on loopback, with all that a crawler meets; it notes who asked for what, and when."""

from __future__ import annotations

import contextlib
import gzip
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HTML = "text/html; charset=utf-8"


def page(*links: str, text: str = "Some words.", head: str = "") -> bytes:
    """Return a page with links."""
    anchors = "".join(f'<a href="{link}">{number}</a> ' for number, link in enumerate(links))
    html = (
        f"<html><head><title>{text}</title>{head}</head><body><p>{text}</p>{anchors}</body></html>"
    )
    return html.encode()


@dataclass
class Answer:
    """What the site says to a request."""

    body: bytes = b""
    type: str | None = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: Callable[[Callable[[bytes], object]], object] | None = None
    """Writes all of the answer, status line included, by the function that it is given."""
    wait_s: float = 0.0


Answers = Callable[[str, int], Answer | None]
"""An answer for a path and the number of the request for it, None for 404."""


class Server(ThreadingHTTPServer):
    """The site's server."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, answers: Answers) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.asked: list[tuple[float, str]] = []
        """Time and path of each request."""
        self.agents: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.most_at_once = 0
        self.at_once = 0
        self.lock = threading.Lock()

    @property
    def netloc(self) -> str:
        """Host and port."""
        return f"localhost:{self.server_address[1]}"

    @property
    def url(self) -> str:
        """The root's address."""
        return f"http://{self.netloc}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        server = self.server
        with server.lock:
            server.asked.append((time.monotonic(), self.path))
            server.agents.add(self.headers["User-Agent"])
            server.counts[self.path] += 1
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
            number = server.counts[self.path]
        try:
            self._answer(
                server.answers(self.path, number) or Answer(page(text="Not found"), status=404)
            )
        finally:
            with server.lock:
                server.at_once -= 1

    def _answer(self, answer: Answer) -> None:
        time.sleep(answer.wait_s)
        if answer.raw is not None:
            self.close_connection = True
            answer.raw(self.wfile.write)
            return
        self.send_response(answer.status)
        if answer.type is not None:
            self.send_header("Content-Type", answer.type)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)


@contextlib.contextmanager
def served(answers: Answers) -> Iterator[Server]:
    """Serve a site while the block runs."""
    with Server(answers) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def redirect(to: str) -> Answer:
    """Return a redirect."""
    return Answer(status=302, headers={"Location": to})


def odd_site(path: str, number: int) -> Answer | None:
    """Answer as the site with everything in it: what a crawl to depth 2 meets."""
    import brotli

    zipped = gzip.compress(page("/from-gzip", text="Zipped"), mtime=0)
    squeezed = brotli.compress(page("/from-brotli", text="Squeezed"))
    latin = "<p>Años de añoranza</p>".encode("latin-1")
    docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    answers: dict[str, Answer] = {
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /forbidden/\n", "text/plain"),
        "/": Answer(
            page(
                "/a",
                "/b?utm_source=x#part",
                "/B/../b",
                "http://outside.example/",
                "http://sub.localhost/",
                "/forbidden/x",
                "/missing",
                "/shaky",
                "/chain-1",
                "/loop-1",
                "/away",
                "/paper.pdf",
                "/letter.docx",
                "/odd.bin",
                "/untyped",
                "/twin-1",
                "/base",
                "/gzip",
                "/brotli",
                "/charset/header",
                "/charset/meta",
                "/charset/bom",
                "/charset/wrong",
                "/calendar",
                "/script",
                "mailto:me@example.org",
                "javascript:go()",
                "http://user:word@x.example/",
                "/gone?b=2&amp;a=1",
            )
        ),
        "/a": Answer(page("/", "/b", "/a", text="A cycle")),
        "/b": Answer(page("/c", "/many", text="B")),
        "/c": Answer(page("/deep", text="C")),
        "/many": Answer(page(*(f"/item/{i}" for i in range(10_000)), text="Many")),
        "/shaky": Answer(page(text="Shaky"), status=500 if number == 1 else 200),
        "/chain-1": redirect("/chain-2"),
        "/chain-2": redirect("/chain-3"),
        "/chain-3": Answer(page(text="End of the chain")),
        "/loop-1": redirect("/loop-2"),
        "/loop-2": redirect("/loop-1"),
        "/away": redirect("http://10.0.0.1/secret"),
        "/paper.pdf": Answer(b"%PDF-1.7", "application/pdf"),
        "/letter.docx": Answer(b"PK", docx),
        "/odd.bin": Answer(b"\0" * 1000, "application/x-odd"),
        "/untyped": Answer(page(text="Untyped"), None),
        "/twin-1": Answer(page("/twin-2", text="Twins")),
        "/twin-2": Answer(page("/twin-2", text="Twins")),
        "/base": Answer(page("below", text="Base", head='<base href="/based/">')),
        "/gzip": Answer(zipped, headers={"Content-Encoding": "gzip"}),
        "/brotli": Answer(squeezed, headers={"Content-Encoding": "br"}),
        "/charset/header": Answer(latin, "text/html; charset=ISO-8859-1"),
        "/charset/meta": Answer(b"<meta charset=iso-8859-1>" + latin, "text/html"),
        "/charset/bom": Answer("\ufeff<p>Años</p>".encode("utf-16-le"), "text/html"),
        "/charset/wrong": Answer(b"<!-- wrong -->" + latin, "text/html; charset=UTF-8"),
        "/calendar": Answer(page(*(f"/calendar/2026/{i}" for i in range(1, 21)), text="Calendar")),
        "/script": Answer(
            b'<body><noscript>This needs JavaScript</noscript><div id="root"></div></body>'
        ),
        "/gone?a=1&b=2": Answer(status=410),
    }
    for known in ("/based/below", "/from-gzip", "/from-brotli"):
        answers[known] = Answer(page(text=known))
    if path.startswith("/calendar/"):
        return Answer(page("/calendar/2027/1", text=path))
    return answers.get(path)
