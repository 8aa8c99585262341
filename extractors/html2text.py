"""html2text: turns the whole page into Markdown, here without links and images."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Html2Text(Extractor):
    """Turns the whole page into Markdown, tag by tag; drops nothing but links and images.

    Lines are wrapped at the library's default width, which leaves the tokens alone; ``nowrap``
    keeps one line a paragraph. Each page gets its own converter, because a converter carries what
    a page left open (a script, a list) over to the next.
    """

    name = "html2text"
    requires = ("html2text>=2020.1.16",)
    variants = {
        "default": {"ignore_links": True, "ignore_images": True},
        "nowrap": {"ignore_links": True, "ignore_images": True, "body_width": 0},
    }
    homepage = "https://github.com/Alir3z4/html2text"
    settings_source = "https://github.com/Alir3z4/html2text/blob/master/docs/usage.md"
    licence = "GPL-3.0-or-later"
    parser = "html.parser"

    def load(self, **settings: Any) -> None:
        import html2text

        self._converter: Any = html2text.HTML2Text
        self._settings = settings

    def extract(self, html: str, url: str | None) -> str:
        converter = self._converter()
        for option, value in self._settings.items():
            setattr(converter, option, value)
        text: str = converter.handle(html)
        return text
