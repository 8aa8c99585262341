"""Closes every descriptor, or takes every one that is left."""

from __future__ import annotations

import os

from bench.extractor import Extractor

TAKEN: list[int] = []


class ClosesDescriptors(Extractor):
    name = "closes_descriptors"
    variants = {  # noqa: RUF012
        "all": {"how": "all"},
        "streams": {"how": "streams"},
        "takes": {"how": "takes"},
    }

    def load(self, how: str) -> None:
        self._how = how

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" in html:
            if self._how == "all":
                os.closerange(0, 4096)
            elif self._how == "streams":
                os.closerange(0, 3)
            else:
                try:
                    while len(TAKEN) < 4096:
                        TAKEN.append(os.open("/dev/null", os.O_RDONLY))
                except OSError:
                    pass
        return html
