"""The server that ``bench label`` runs on loopback: small, one page at a time, one person.

Nobody else gets in: the address has a random token that is exchanged for a cookie, requests by
another name of this machine are refused (DNS rebinding), and so is what another site's page sends.
"""

import secrets
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bench.datasets.lint.page_checks import PageView, check_page
from bench.label import labels
from bench.label.comparison import StoredTexts
from bench.label.folder import LabelFolder
from bench.label.labels import Draft, Mark
from bench.label.text import PARTS, painted, text_of
from bench.label.tree import Tree
from bench.model import BenchError, Gold, GoldPage

HOST = "127.0.0.1"
_STATIC = Path(__file__).parent / "static"
_LONGEST = 4 << 20
"""Bytes of a request."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; sandbox allow-same-origin; frame-ancestors 'self'"
)
"""Of the frame that a page is built in: nothing runs in it, and it asks for its style sheet alone."""

Draw = Callable[[str], list[Mark]]
"""Returns the marks that a page begins with."""


class Marked(msgspec.Struct):
    """Marks on a page whose text is asked for."""

    page: str
    marks: list[Mark]


class LabelServer:
    """What is answered to the browser."""

    def __init__(
        self, folder: LabelFolder, stored: StoredTexts, prefill: str | None, draw: Draw | None
    ) -> None:
        self._folder = folder
        self._stored = stored
        self._prefill = prefill
        self._draw = draw

    def app(self, hosts: tuple[str, ...], token: str) -> ASGIApp:
        """Return the application, which answers by these names to who has the token."""
        routes = [
            Route("/", _file("index.html", _POLICY)),
            Route("/page", _file("page.html", _PAGE_POLICY)),
            Route("/api/folder", _answering(self._state)),
            Route("/api/page", _answering(self._opened)),
            Route("/api/text", _answering(self._text), methods=["POST"]),
            Route("/api/save", _answering(self._save), methods=["POST"]),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ]
        return _Guard(Starlette(routes=routes), hosts, token)

    def _state(self, *_: object) -> dict[str, Any]:
        folder = self._folder
        return {
            "name": folder.root.resolve().name,
            "annotator": folder.annotator,
            "pages": [{"id": page_id, "state": folder.state(page_id)} for page_id in folder.ids],
            "next": folder.following(),
        }

    def _text(self, _: Request, body: bytes) -> dict[str, Any]:
        marked = msgspec.json.decode(body, type=Marked)
        return self._shown(self._tree(marked.page), marked.marks)

    def _save(self, _: Request, body: bytes) -> dict[str, Any]:
        draft = msgspec.json.decode(body, type=Draft)
        self._tree(draft.page)
        label = self._folder.save(draft, self._prefill)
        text = self._folder.text(draft.page, label.marks)
        page = self._folder.reader.page(draft.page)
        findings = [
            f"{finding.check}: {finding.detail}"
            for finding in check_page(PageView(GoldPage(page, Gold(text))))
            if text or finding.check != "empty-gold"
        ]
        compared = self._stored.against(page, text)
        return {"findings": findings, "compared": compared, "folder": self._state()}

    def _tree(self, page_id: str) -> Tree:
        if page_id not in self._folder.ids:
            raise BenchError(f"{self._folder.root} has no page {page_id!r}")
        return self._folder.tree(page_id)

    def _opened(self, request: Request, _: bytes) -> dict[str, Any]:
        page_id = request.query_params.get("id", "")
        tree = self._tree(page_id)
        label = self._folder.label(page_id, self._folder.annotator)
        problem = ""
        if label is None:
            label = labels.Label(page=page_id, page_sha256=tree.sha256, parser="", saved="")
            label.chosen = self._folder.why(page_id)
            if self._draw:
                try:
                    label.marks = self._draw(page_id)
                except BenchError as error:
                    problem = str(error)
        return {
            "draft": {name: getattr(label, name) for name in Draft.__struct_fields__},
            "saved": label.saved,
            "prefill": label.prefill if label.saved else self._prefill,
            "problem": problem,
            "nodes": tree.drawing(),
            **self._shown(tree, label.marks),
        }

    def _shown(self, tree: Tree, marks: list[Mark]) -> dict[str, Any]:
        """Return the texts that follow from marks, and which stretches of which text nodes they are."""
        paint = painted(tree, labels.claims(marks, tree))
        stretches: dict[str, list[tuple[int, int, int]]] = {}
        for part in ("main", "comments"):
            runs = stretches.setdefault(part, [])
            wanted = PARTS.index(part)
            for number in tree.text_nodes:
                node = tree.nodes[number]
                end = node.start
                while (start := paint.find(wanted, end, node.end)) >= 0:
                    end = start
                    while end < node.end and paint[end] == wanted:
                        end += 1
                    runs.append((number, start - node.start, end - node.start))
        texts = {part: text_of(tree, paint, part) for part in ("main", "comments")}
        return {"texts": texts, "stretches": stretches}


def serve(server: LabelServer, port: int, ready: Callable[[str], None]) -> None:
    """Serve until the user ends it; ``ready`` is called with the address to open.

    Port 0 is any that is free. Raises ``BenchError`` where the port is taken.
    """
    try:
        listening = socket.create_server((HOST, port))
    except OSError as error:
        raise BenchError(f"--port {port} cannot be had ({error.strerror}); take another") from error
    with listening:
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(24)
        app = server.app((f"{HOST}:{port}", f"localhost:{port}"), token)
        config = uvicorn.Config(app, log_level="error", access_log=False, lifespan="off")
        ready(f"http://{HOST}:{port}/?token={token}")
        uvicorn.Server(config).run(sockets=[listening])


class _Guard:
    """Lets in who has the token, by our own names, from our own pages."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], token: str) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token
        # Cookies know no ports: two servers on one machine have two names.
        self._cookie = f"bench-label-{hosts[0].rpartition(':')[2]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        refusal = self._refusal(Request(scope))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                    (b"cross-origin-opener-policy", b"same-origin"),
                    (b"cache-control", b"no-store"),
                ]
            await send(message)

        app: Callable[[Scope, Receive, Send], Awaitable[None]] = refusal or self._app
        await app(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("ask by the address that bench label printed", 421)
        if request.method != "GET" and request.headers.get("origin") != f"http://{host}":
            return PlainTextResponse("this is for bench label's own page", 403)
        if request.url.path == "/" and self._fits(request.query_params.get("token", "")):
            entry = RedirectResponse("/", 303)
            entry.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
            return entry
        if not self._fits(request.cookies.get(self._cookie, "")):
            return PlainTextResponse("open the whole address that bench label printed", 403)
        return None

    def _fits(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self._token.encode())


def _file(name: str, policy: str) -> Callable[[Request], Response]:
    """Return what answers with a file of ours under a content security policy."""
    return lambda _: FileResponse(_STATIC / name, headers={"Content-Security-Policy": policy})


def _answering(
    work: Callable[[Request, bytes], dict[str, Any]],
) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers with JSON: what is worked out, or the line that says why it cannot be."""

    async def answer(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _LONGEST:
                break  # a beginning, which is no JSON
        try:
            status, content = 200, work(request, body)
        except (BenchError, msgspec.MsgspecError, OSError) as error:
            status, content = 400, {"error": str(error)}
        return Response(msgspec.json.encode(content), status, media_type="application/json")

    return answer
