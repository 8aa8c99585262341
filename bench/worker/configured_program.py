"""The adapter file of every program that ``bench.toml`` describes: the worker loads it."""

from __future__ import annotations

from bench.worker.program import CommandExtractor

NAME = "configured"


class Configured(CommandExtractor):
    """A program whose facts arrive as attributes."""

    name = NAME
