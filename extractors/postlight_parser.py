"""@postlight/parser, once Mercury Parser: the extractor of Postlight Reader."""

from __future__ import annotations

from bench.worker.program import CommandExtractor


class PostlightParser(CommandExtractor):
    """Selectors of its own for sites that it knows, else scores as readability's; once Mercury."""

    name = "postlight_parser"
    command = ("node", "js/postlight_parser.mjs", "{modules}")
    files = ("js/protocol.mjs",)
    npm = "js"
    package = "@postlight/parser"
    homepage = "https://github.com/postlight/parser"
    settings_source = "https://github.com/postlight/parser#parse-options"
    licence = "MIT OR Apache-2.0"
    parser = "htmlparser2"
    remedy = "install Node.js 20.19 or later, with npm"
