"""How far long work is: the one protocol that everything slow reports to."""

from typing import Protocol


class Progress(Protocol):
    """Who hears how work goes on. Methods may be called from several threads."""

    def start(self, what: str, total: int | None = None) -> None:
        """A piece of work begins, in ``total`` steps (None: not known); the one before is over."""

    def advance(self, steps: int = 1) -> None:
        """So many steps more are done."""

    def say(self, line: str) -> None:
        """Something is worth a line that stays."""


class Silent:
    """Nobody hears it."""

    def start(self, what: str, total: int | None = None) -> None:
        """Ignore it."""

    def advance(self, steps: int = 1) -> None:
        """Ignore it."""

    def say(self, line: str) -> None:
        """Ignore it."""


SILENT: Progress = Silent()
