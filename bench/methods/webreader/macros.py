"""Macros of a specification: ``$YYYY$``, ``$MM$``, ``$DD$`` and ``$URL$``.

A pattern matches an address in which it occurs once its macros are filled in: ``$DD$N0`` matches
``http://diario.example/09N0001.html`` on the 9th.

Decided here, because a page in a data set has no day on which it was read: without a date, a date
macro in a pattern stands for any year, month or day, and the same macro has the same value wherever
it stands; what an address gave is what later texts are filled with. ``$$`` is a dollar sign. Text
that a macro brought in is not searched for macros again, so none can bring in itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Mapping

URL = "URL"
ANY = {"YYYY": "[0-9]{4}", "MM": "0[1-9]|1[0-2]", "DD": "0[1-9]|[12][0-9]|3[01]"}
LONGEST = 10_000
"""Characters of a pattern in which ``$URL$`` has been replaced."""

_PIECE = re.compile(r"\$(?P<name>[^$\s]{0,40})\$|(?P<dollar>\$)|[^$]+")


class MacroError(ValueError):
    """A macro that does not exist, is not closed, or grows beyond bounds."""


def of_date(day: date | None) -> dict[str, str]:
    """Return the values of the date macros on a day; none without one."""
    if day is None:
        return {}
    return {"YYYY": f"{day.year:04}", "MM": f"{day.month:02}", "DD": f"{day.day:02}"}


@dataclass(frozen=True)
class Template:
    """A text with macros: literal pieces, and names of macros, in turn."""

    pieces: tuple[tuple[bool, str], ...]
    """(is a macro, literal text or macro's name)."""

    def based_on(self, base: Template | None) -> Template:
        """Return the template with another one in place of ``$URL$``.

        Raises ``MacroError`` without one to put there, and for a result beyond ``LONGEST``.
        """
        if (True, URL) not in self.pieces:
            return self
        if base is None:
            raise MacroError(
                "$URL$ stands for the url of the site or link around it; none is given"
            )
        pieces: list[tuple[bool, str]] = []
        for piece in self.pieces:
            pieces += base.pieces if piece == (True, URL) else (piece,)
        length = sum(len(text) for _, text in pieces)
        if length > LONGEST:
            raise MacroError(f"with $URL$ filled in it has {length} characters; {LONGEST} may be")
        return Template(tuple(pieces))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with macros filled in; one without a value becomes nothing."""
        return "".join(values.get(text, "") if is_macro else text for is_macro, text in self.pieces)

    def find(
        self, address: str, values: Mapping[str, str], *, whole: bool = False
    ) -> dict[str, str] | None:
        """Look for the pattern in an address, of which it may have to be the ``whole``.

        Returns the values known afterwards, or None if the pattern is not there.
        """
        if not all(is_macro or text in address for is_macro, text in self.pieces):
            return None  # by far the most patterns end here, before one is compiled
        known = dict(values)
        pattern, seen = [], set()
        for is_macro, text in self.pieces:
            if not is_macro:
                pattern.append(re.escape(text))
            elif text in known:
                pattern.append(re.escape(known[text]))
            elif text in seen:
                pattern.append(f"(?P={text})")
            else:
                seen.add(text)
                pattern.append(f"(?P<{text}>{ANY[text]})")
        match = (re.fullmatch if whole else re.search)("".join(pattern), address)
        if match is None:
            return None
        known.update(match.groupdict())
        return known


def template(text: str) -> Template:
    """Read a text with macros; raises ``MacroError`` for one that there is not."""
    pieces = []
    for match in _PIECE.finditer(text):
        name = match.group("name")
        if match.group("dollar"):
            raise MacroError(f"the $ in {text!r} opens no macro; a dollar sign is written $$")
        if name:
            if name != URL and name not in ANY:
                raise MacroError(
                    f"there is no macro ${name}$; there are $YYYY$, $MM$, $DD$ and $URL$"
                )
            pieces.append((True, name))
        else:
            pieces.append((False, "$" if match.group().startswith("$") else match.group()))
    return Template(tuple(pieces))
