"""A folder of finished files on loopback, for a browser on this machine."""

from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"


class _Server(ThreadingHTTPServer):
    def hosts(self) -> tuple[str, str]:
        """Return what a browser may call us; another name came by way of a stranger's DNS."""
        return f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"


class _Files(SimpleHTTPRequestHandler):
    """Files of a folder and nothing else: no listing, no other host."""

    server: _Server

    def send_head(self) -> Any:
        """Refuse what was asked of another host."""
        if self.headers.get("Host") not in self.server.hosts():
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return None
        return super().send_head()

    def list_directory(self, path: Any) -> None:
        """Show no folder that has no start page."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def end_headers(self) -> None:
        """Let nobody embed or sniff what is served."""
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing of single requests."""


def server(folder: Path) -> ThreadingHTTPServer:
    """Return a server of a folder on a free port of loopback, which ``serve_forever`` starts."""
    return _Server((HOST, 0), partial(_Files, directory=str(folder)))
