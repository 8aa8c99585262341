"""unfluff: a port of python-goose to node."""

from __future__ import annotations

from bench.worker.program import CommandExtractor


class Unfluff(CommandExtractor):
    """Scores paragraphs by stop words and clusters them under one parent; a port of python-goose."""

    name = "unfluff"
    family = "goose"
    command = ("node", "js/unfluff.mjs", "{modules}")
    files = ("js/protocol.mjs",)
    npm = "js"
    package = "unfluff"
    homepage = "https://github.com/ageitgey/node-unfluff"
    settings_source = "https://github.com/ageitgey/node-unfluff#extracted-data-elements"
    licence = "Apache-2.0"
    parser = "htmlparser2"
    remedy = "install Node.js 20.19 or later, with npm"
