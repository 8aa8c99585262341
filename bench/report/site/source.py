"""A page's HTML as text to read, what nobody reads shortened."""

from __future__ import annotations

import re

_KEPT = 400
_LONG = 1000
_OPEN = re.compile(r"<(script|style|svg)(?=[\s/>])[^>]*+>", re.I)
_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.I) for name in ("script", "style", "svg")}
_DATA = re.compile(r"(data:[\w/+.-]{1,60};base64,[\w+/=]{60})([\w+/=]{200,}+)")


def readable(source: str) -> str:
    """Return HTML with long scripts, styles, drawings and embedded files cut down to a beginning.

    What is left out is told where it stood, in characters.
    """
    made: list[str] = []
    at = 0
    while found := _OPEN.search(source, at):
        end = _END[found[1].lower()].search(source, found.end())
        if end is None:
            break
        made.append(source[at : found.end()])
        made.append(_shortened(source[found.end() : end.start()]))
        at = end.start()
    made.append(source[at:])
    return _DATA.sub(_data, "".join(made))


def _shortened(body: str) -> str:
    rest = len(body) - _KEPT
    return body if len(body) <= _LONG else f"{body[:_KEPT]}\n[… {rest:,} characters left out …]\n"


def _data(found: re.Match[str]) -> str:
    return f"{found[1]}[… {len(found[2]):,} characters left out …]"
