"""@extractus/article-extractor: readability's article, cleaned and sanitised."""

from __future__ import annotations

from bench.worker.program import CommandExtractor


class ArticleExtractor(CommandExtractor):
    """Cleans the page, has Mozilla's Readability choose, and sanitises the result.

    Its HTML as plain text by html-to-text; ``""`` where it finds no article of 200 characters.
    """

    name = "article_extractor"
    family = "readability"
    command = ("node", "js/article_extractor.mjs", "{modules}")
    files = ("js/protocol.mjs", "js/text.mjs")
    npm = "js"
    package = "@extractus/article-extractor"
    homepage = "https://github.com/extractus/article-extractor"
    settings_source = "https://github.com/extractus/article-extractor#extractfromhtml"
    licence = "MIT"
    parser = "linkedom"
    remedy = "install Node.js 20.19 or later, with npm"
