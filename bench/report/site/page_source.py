"""A page's HTML as text to read, what nobody reads shortened."""

import re

_KEPT = 400
_LONG = 1000
# A tag that is never closed goes to the end: looked for once, not from each place again.
_OPEN = re.compile(r"<(script|style|svg)(?=[\s/>])[^>]*+(?:>|\Z)", re.I)
_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.I) for name in ("script", "style", "svg")}
_DATA = re.compile(r"(data:[\w/+.-]{1,60};base64,[\w+/=]{60})([\w+/=]{200,}+)")


def readable(source: str) -> str:
    """Return HTML with long scripts, styles, drawings and embedded files cut down to a beginning.

    What is left out is told where it stood, in characters.
    """
    parts: list[str] = []
    at = 0
    while tag := _OPEN.search(source, at):
        end = _END[tag[1].lower()].search(source, tag.end())
        if end is None:
            break
        parts.append(source[at : tag.end()])
        parts.append(_shortened(source[tag.end() : end.start()]))
        at = end.start()
    parts.append(source[at:])
    return _DATA.sub(_data, "".join(parts))


def _shortened(body: str) -> str:
    rest = len(body) - _KEPT
    return body if len(body) <= _LONG else f"{body[:_KEPT]}\n[… {rest:,} characters left out …]\n"


def _data(match: re.Match[str]) -> str:
    return f"{match[1]}[… {len(match[2]):,} characters left out …]"
