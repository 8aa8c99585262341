"""defuddle: the extractor of Obsidian's Web Clipper."""

from __future__ import annotations

from bench.worker.program import CommandExtractor


class Defuddle(CommandExtractor):
    """Removes clutter by selectors and scores, tries again more gently where too little is left.

    Its HTML as plain text by html-to-text. ``useAsync`` is off: with it, a page without text has it
    ask services on the web.
    """

    name = "defuddle"
    command = ("node", "js/defuddle.mjs", "{modules}")
    files = ("js/documents.mjs", "js/protocol.mjs", "js/text.mjs")
    npm = "js"
    package = "defuddle"
    homepage = "https://github.com/kepano/defuddle"
    settings_source = "https://github.com/kepano/defuddle#nodejs"
    licence = "MIT"
    parser = "linkedom"
    remedy = "install Node.js 20.19 or later, with npm"
