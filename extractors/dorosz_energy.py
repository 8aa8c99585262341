"""Node energy: cuts the page where its text is gathered, and takes the richest piece."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class DoroszEnergy(Extractor):
    """Gathers text energy up the tree and keeps the richest node that no child outweighs.

    Dorosz (2008), "Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
    lingwistycznych", node energy: E(v) = f · Σ E(w) over the children w of v. The share f that one
    step leaves depends on the tree's height k and a constant p: k / (k + p) after the paper's prose,
    p / k as its formula is printed. ``bench.methods.dorosz.energy`` says what was left open
    and how it was decided; docs/methods.md how p and the share were found.
    """

    name = "dorosz_energy"
    requires = ("lxml>=5", "justext>=3")
    method = "dorosz"
    variants = {
        "default": {"measure": "words", "reading": "prose", "p": 7.0},
        "characters": {"measure": "characters", "reading": "prose", "p": 7.0},
        "stop-words": {"measure": "stop_words", "reading": "prose", "p": 6.0},
        "formula": {"measure": "words", "reading": "formula", "p": 16.0},
        "above-share": {"measure": "words", "reading": "prose", "p": 7.0, "share": 0.3},
    }
    # The method is ours to run; of its publication no address is known. This is the parser's.
    homepage = "https://lxml.de"
    # The pages on which p was found; the paper leaves it open.
    settings_source = "https://github.com/Murrough-Foley/web-content-extraction-benchmark"
    licence = "MIT"
    parser = "lxml"

    def load(
        self,
        measure: str = "words",
        reading: str = "prose",
        p: float = 7.0,
        share: float = 1.0,
        language: str = "English",
        **settings: Any,
    ) -> None:
        import justext

        from bench.methods.dorosz import energy, tree

        stop_list = justext.get_stoplist(language)
        self._measure = {
            "characters": energy.characters,
            "words": energy.words,
            "stop_words": energy.words_in(stop_list),
        }[measure]
        self._parse, self._main_text = tree.parse, tree.main_text
        self._ranked = energy.ranked
        self._reading, self._p, self._share = reading, p, share

    def extract(self, html: str, url: str | None) -> str:
        page = self._parse(html)
        ranked = self._ranked(page, self._measure, self._reading, self._p)
        return self._main_text(page, ranked, self._share)
