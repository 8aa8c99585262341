"""``bench label`` for tests: its application asked in this process, or served to a browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import uvicorn

from bench.label.comparison import StoredTexts
from bench.label.folder import LabelFolder
from bench.label.server import Draw, LabelServer

TOKEN = "the-token"
HOST = "127.0.0.1:1"


class Answer(NamedTuple):
    """What was answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's."""
        return json.loads(self.body)


def server(
    root: Path, annotator: str | None = None, prefill: str | None = None, draw: Draw | None = None
) -> LabelServer:
    """Return the server of a folder, with a run over it in ``results`` beside it, if there is one."""
    stored = StoredTexts(root, root.parent / "results")
    return LabelServer(LabelFolder(root, annotator), stored, prefill, draw)


class Client:
    """Asks the application as the tool's own page does, unless told otherwise."""

    def __init__(self, root: Path, *words: Any) -> None:
        self._app = server(root, *words).app((HOST, "localhost:1"), TOKEN)

    def ask(self, path: str, body: Any = None, /, **headers: str) -> Answer:
        """Send a request; headers replace the usual ones, an empty one is left out."""
        usual = {"host": HOST, "cookie": f"bench-label-1={TOKEN}"}
        usual |= {"origin": f"http://{HOST}"} if body is not None else {}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        where, _, query = path.partition("?")
        scope = {
            "type": "http", "method": "GET" if body is None else "POST", "path": where,
            "raw_path": where.encode(), "query_string": query.encode(), "root_path": "",
            "scheme": "http", "http_version": "1.1", "server": ("127.0.0.1", 1),
            "headers": [(k.encode(), v.encode()) for k, v in (usual | headers).items() if v],
        }  # fmt: skip
        sent: list[Any] = []

        messages = iter([{"type": "http.request", "body": content, "more_body": False}])

        async def receive() -> Any:
            return next(messages, None) or await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self._app(scope, receive, send))
        answered = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
        whole = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(sent[0]["status"], answered, whole)

    def open(self, page_id: str) -> Any:
        """Return a page as the tool gets it."""
        answer = self.ask(f"/api/page?id={quote(page_id)}")
        assert answer.status == 200, answer.body
        return answer.json

    def save(self, page_id: str, *marks: Any, **facts: Any) -> Answer:
        """Save marks on a page."""
        draft = self.open(page_id)["draft"] | {"marks": marks} | facts
        return self.ask("/api/save", draft)


def main(node: int) -> dict[str, Any]:
    """Return a mark that takes an element."""
    return {"kind": "element", "part": "main", "node": node}


@contextlib.contextmanager
def served(own: LabelServer) -> Iterator[str]:
    """Serve to browsers; give the address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        app = own.app((f"127.0.0.1:{port}",), TOKEN)
        running = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/?token={TOKEN}"
        finally:
            running.should_exit = True
            thread.join()
