"""@mozilla/readability: what Firefox's Reader View shows."""

from __future__ import annotations

from bench.worker.program import CommandExtractor


class MozillaReadability(CommandExtractor):
    """Scores paragraphs and their ancestors by class names, commas and links; Firefox's Reader View.

    Its own ``textContent``, of the document that linkedom or jsdom makes of the page. jsdom follows
    the standards more closely and takes longer; neither runs scripts nor fetches anything.
    """

    name = "mozilla_readability"
    family = "readability"
    command = ("node", "js/mozilla_readability.mjs", "{modules}", "{parser}")
    files = ("js/documents.mjs", "js/protocol.mjs")
    npm = "js"
    package = "@mozilla/readability"
    variants = {
        "default": {"parser": "linkedom"},
        "jsdom": {"parser": "jsdom"},
    }
    homepage = "https://github.com/mozilla/readability"
    settings_source = "https://github.com/mozilla/readability#nodejs-usage"
    licence = "Apache-2.0"
    tuned_on = ("sigir:readability=https://github.com/mozilla/readability/tree/main/test",)
    remedy = "install Node.js 20.19 or later, with npm"
