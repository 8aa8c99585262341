"""eatiht: the parent below which most sentences are; Python 2 only."""

from __future__ import annotations

from bench.worker.program import CommandExtractor


class Eatiht(CommandExtractor):
    """Counts sentences below each grandparent of a text node; keeps those of the one with most.

    It runs under Python 2 alone: whichever ``python2`` is on the PATH, with eatiht installed there.
    """

    name = "eatiht"
    command = ("python2", "python2/eatiht_lines.py")
    accepts = "bytes"
    homepage = "https://github.com/rodricios/eatiht"
    settings_source = "https://github.com/rodricios/eatiht#using-in-python"
    licence = "MIT"
    parser = "lxml"
    language = "Python"
    package = "eatiht"
    remedy = (
        "it needs a Python 2 with eatiht, which the PATH names python2: put the folder of such a "
        "python2 first, then: python2 -m pip install eatiht==0.1.14"
    )
