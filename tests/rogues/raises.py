"""Raises what a careless `except Exception` does not catch, and what cannot be printed."""

from __future__ import annotations

from bench.extractor import Extractor


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Raises(Extractor):
    name = "raises"
    variants = {  # noqa: RUF012
        "value_error": {"how": "value_error"},
        "system_exit": {"how": "system_exit"},
        "keyboard_interrupt": {"how": "keyboard_interrupt"},
        "base_exception": {"how": "base_exception"},
        "recursion": {"how": "recursion"},
        "memory": {"how": "memory"},
        "mute": {"how": "mute"},
        "surrogate": {"how": "surrogate"},
    }

    def load(self, how: str) -> None:
        self._how = how

    def extract(self, html: str, url: str | None) -> str:
        if "MISBEHAVE" not in html:
            return html
        if self._how == "recursion":
            return self.extract(html, url)
        raise {
            "value_error": ValueError("bad\nvalue"),
            "system_exit": SystemExit(0),
            "keyboard_interrupt": KeyboardInterrupt(),
            "base_exception": BaseException("base"),
            "memory": MemoryError("none left"),
            "mute": Mute(),
            "surrogate": ValueError("\udc80" * 5000),
        }[self._how]
