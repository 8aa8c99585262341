"""Forks, and the child comes back out of extract() too: by returning, or by raising."""

from __future__ import annotations

import os

from bench.extractor import Extractor


class ForkReturns(Extractor):
    name = "fork_returns"
    variants = {"returns": {"raises": False}, "raises": {"raises": True}}  # noqa: RUF012

    def load(self, raises: bool) -> None:
        self._raises = raises

    def extract(self, html: str, url: str | None) -> str:
        if os.fork() == 0:
            if self._raises:
                raise RuntimeError("a child's error")
            return "a child's text"
        return html
