"""``bench report --serve``: the site on loopback, for nobody else; and what reproduces a row."""

from __future__ import annotations

import ast
import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.cli import serve
from tests import sites
from tests.conftest import BenchCli


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sites.ordinary(tmp_path_factory)


@pytest.fixture(scope="module")
def port(ordinary: Path) -> Iterator[int]:
    with serve.server(ordinary) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def asked(port: int, path: str, host: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={"Host": host})
    return connection.getresponse()


def test_the_site_is_served_on_loopback(port: int) -> None:
    answer = asked(port, "/", f"127.0.0.1:{port}")
    assert answer.status == 200
    assert b"Which extractor" in answer.read()
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert asked(port, "/index.html", f"localhost:{port}").status == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:80"])
def test_another_host_is_refused(port: int, host: str) -> None:
    assert asked(port, "/", host).status == 421


@pytest.mark.parametrize("path", ["/site/", "/../own/a.html", "/%2e%2e/results/", "/nothing"])
def test_nothing_but_the_sites_files(port: int, path: str) -> None:
    assert asked(port, path, f"127.0.0.1:{port}").status == 404


def test_it_is_for_the_site(bench_cli: BenchCli, ordinary: Path) -> None:
    results = ordinary.parent / "results"
    done = bench_cli("report", "--results", results, "--export", "csv", "--serve")
    assert done.returncode == 2
    assert "--serve is for the site" in done.stderr


def test_a_row_says_what_reproduces_it(bench_cli: BenchCli, ordinary: Path) -> None:
    results = ordinary.parent / "results"
    done = bench_cli("show", "html_text", "--code", "--results", results)
    assert done.returncode == 0, done.stderr
    console, code = (part.split("\n", 1)[1] for part in done.stdout.split("```")[1:4:2])
    install, run = console.strip().splitlines()
    assert install.startswith("pip install extractor-bench html-text==")
    assert run.startswith("bench run html_text@")
    assert "--gold" in run
    ast.parse(code)
    assert code.rstrip().endswith('print(extractor.extract(Path("page.html").read_text(), None))')
    wrong = bench_cli("show", "html_tex", "--code", "--results", results)
    assert wrong.returncode == 2
    assert "html_text" in wrong.stderr
