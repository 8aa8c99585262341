"""A site of N pages of 17 kB with ten links each, behind so many seconds of latency.

``python latency_site.py N SECONDS`` prints its port; it ends with its standard input.
"""

from __future__ import annotations

import asyncio
import sys

PAGES, LATENCY_S = int(sys.argv[1]), float(sys.argv[2])
FILL = b"<p>" + b"Some words of a paragraph that fills the page. " * 360 + b"</p>"


def html(number: int) -> bytes:
    below = range(number * 10 + 1, min(number * 10 + 11, PAGES))
    links = "".join(f'<a href="/{n}">{n}</a>' for n in below)
    return f"<html><body><h1>Page {number}</h1>{links}".encode() + FILL + b"</body></html>"


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1]
            if path == b"/robots.txt":
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                continue
            await asyncio.sleep(LATENCY_S)
            body = html(int(path[1:] or 0))
            head = (
                f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            writer.write(head.encode() + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


asyncio.run(main())
