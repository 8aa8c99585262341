"""html-to-text: a converter of HTML to plain text for node."""

from __future__ import annotations

from bench.worker.program import CommandExtractor


class HtmlToText(CommandExtractor):
    """Renders the whole page as text with lines and lists; no main-text extraction.

    Without addresses, pictures, bullets, wrapping and headings in capitals: they are no words of the
    page.
    """

    name = "html_to_text"
    command = ("node", "js/html_to_text.mjs", "{modules}")
    files = ("js/protocol.mjs", "js/text.mjs")
    npm = "js"
    package = "html-to-text"
    homepage = "https://github.com/html-to-text/node-html-to-text"
    settings_source = "https://github.com/html-to-text/node-html-to-text/tree/master/packages/html-to-text#options"
    licence = "MIT"
    parser = "htmlparser2"
    remedy = "install Node.js 20.19 or later, with npm"
