"""html-to-markdown: converts the page, without navigation and forms, to Markdown or plain text."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class HtmlToMarkdown(Extractor):
    """Drops navigation, forms and the like by tag and attribute, and writes the rest as text.

    A converter with a cleaning step. ``markdown`` is what it writes with its own settings, without
    images.
    """

    name = "html_to_markdown"
    requires = ("html-to-markdown==3.20.0",)
    variants = {
        "default": {"output_format": "plain", "preset": "aggressive"},
        "markdown": {"output_format": "markdown", "preset": "standard"},
    }
    homepage = "https://github.com/kreuzberg-dev/html-to-markdown"
    settings_source = "https://github.com/kreuzberg-dev/html-to-markdown"
    licence = "MIT"
    parser = "tl and html5ever"

    def load(self, preset: str = "aggressive", **settings: Any) -> None:
        import html_to_markdown

        self._convert: Any = html_to_markdown.convert
        self._options: Any = html_to_markdown.ConversionOptions(
            skip_images=True,
            extract_metadata=False,
            preprocessing=html_to_markdown.PreprocessingOptions(preset=preset),
            **settings,
        )

    def extract(self, html: str, url: str | None) -> str:
        text: str | None = self._convert(html, self._options).content
        return text or ""
