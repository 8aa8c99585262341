"""What counts as noise: words glued, mojibake and markup that the page itself does not say."""

from __future__ import annotations

import pytest

from bench.corpus import noise
from bench.corpus.noise import PageWords

PAGE = PageWords(
    "<ul><li>libre</li><li>infraestructuras</li><li>gnu</li></ul>"
    "<p>Escribe <b>neg</b>rita con &lt;b&gt; y Ã©l lo dice.</p><p>sin</p><p>embargo</p><p>sinembargo</p>"
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("libre\ninfraestructuras\ngnu", {}),
        ("libreinfraestructuras gnu", {"glued": ["libreinfraestructuras"]}),
        ("LibreInfraestructurasGNU", {"glued": ["libreinfraestructurasgnu"]}),
        ("infraestructuraslibre negrita sinembargo libre-gnu", {}),  # no words in a row; its own
        ("gramÃ¡tica a\ufffdo", {"mojibake": ["gramã", "tica", "a", "o"]}),
        ("Ã©l gramática él ÃÃ", {}),
        ("<b> libre</li> &nbsp;gnu", {"markup": ["li", "nbsp"]}),
        ("a < b & c > d", {}),
    ],
)
def test_noise(text: str, wanted: dict[str, list[str]]) -> None:
    by_kind = noise.noise(text, PAGE)
    assert {kind: own for kind, own in by_kind.items() if own and kind != "all"} == wanted


def test_work_grows_with_the_text() -> None:
    # Neither an open tag nor characters that read as UTF-8 are looked at again and again.
    page = PageWords("")
    for part in ("<a ", "&#1", "Ã", "<" * 9):
        assert noise.noise(part * 100_000, page)["glued"] == []
