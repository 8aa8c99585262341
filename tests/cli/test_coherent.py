"""``bench coherent``: every coherent text of a page, its energy and its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from tests.conftest import BenchCli

PAGE = """<html><body><nav><a href="/a">One</a> | <a href="/b">Two</a></nav>
<div><h1>Ríos</h1><p>El agua baja y el agua vuelve, uno y otro día, hasta la mar del sur.</p></div>
<footer>xyzzy plugh frotz gnusto rezrov</footer></body></html>"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.mark.parametrize("method", ["energy", "links"])
def test_texts_have_energy_and_path(bench_cli: BenchCli, page: Path, method: str) -> None:
    done = bench_cli("coherent", page, "--method", method, "--json")
    assert done.returncode == 0, done.stderr
    texts = json.loads(done.stdout)
    assert all(text.keys() == {"page", "text", "energy", "path"} for text in texts)
    root = etree.HTML(PAGE)
    for text in texts:
        (node,) = root.xpath(text["path"])
        inside = node if isinstance(node, str) else "".join(node.itertext())
        assert "".join(inside.split()) == "".join(text["text"].split())
    whole = "".join("".join(root.itertext()).split())
    assert "".join("".join(text["text"].split()) for text in texts) == whole
    printed = bench_cli("coherent", page, page, "--method", method).stdout
    assert printed == 2 * "".join(f"{text['text']}\n\n" for text in texts)


def test_energy_in_words_of_a_dictionary(bench_cli: BenchCli, page: Path, tmp_path: Path) -> None:
    (tmp_path / "es.dic").write_text("5\nagua/S\nbaja\nvuelve\nmar/S\nsur\n", encoding="utf-8")
    words = ("coherent", page, "--json", "--dictionary")
    texts = json.loads(bench_cli(*words, tmp_path / "es.dic").stdout)
    energies = {text["text"]: text["energy"] for text in texts}
    (main,) = (text for text in energies if "agua" in text)
    assert energies.pop(main) > 0
    assert not any(energies.values())
    done = bench_cli("corpus", "build", page.parent, "--extractor", "html_text", "--out", "c", "-q")
    assert done.returncode == 0, done.stderr
    texts = json.loads(bench_cli(*words, "c").stdout)
    assert [text["text"] for text in texts if not text["energy"]] == ["|"]


def test_bad_input_is_one_line(bench_cli: BenchCli, page: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    for words, part in (
        (("--dictionary", tmp_path / "empty"), "holds no word"),
        (("--dictionary", tmp_path), "holds no corpus"),
        (("--dictionary", page, "--method", "links"), "leave out --method links"),
    ):
        done = bench_cli("coherent", page, *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert part in done.stderr
