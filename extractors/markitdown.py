"""MarkItDown: a converter: the whole page to Markdown, links and all."""

from __future__ import annotations

import io
import os
from typing import Any

from bench.extractor import Extractor


class MarkItDown(Extractor):
    """A converter: turns the whole page into Markdown; drops nothing but scripts and styles."""

    name = "markitdown"
    requires = ("markitdown==0.1.8",)
    accepts = "bytes"
    homepage = "https://github.com/microsoft/markitdown"
    settings_source = "https://github.com/microsoft/markitdown#python-api"
    licence = "MIT"
    parser = "html.parser"

    def load(self, **settings: Any) -> None:
        # The runtime of its model of file types reports its use otherwise.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import markitdown

        self._converter: Any = markitdown.MarkItDown(enable_plugins=False)
        self._info: Any = markitdown.StreamInfo

    def extract(self, html: bytes, url: str | None) -> str:
        info = self._info(mimetype="text/html", extension=".html", url=url)
        text: str = self._converter.convert_stream(io.BytesIO(html), stream_info=info).text_content
        return text
