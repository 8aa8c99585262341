"""Pages that look as if they had no main content, told by plain rules over what they say.

The rules look for English words, and for cookies and consent in a few languages more. They are
for a person to look at, and no page is left out for them.
"""

import re

from bench.datasets.lint.page_checks import PageView

FEW_ERROR, FEW_CONSENT, FEW_SCRIPT = 150, 400, 50
"""Words of a page from which on it is no error page, no consent page, no page of scripts alone."""
_BEGINNING = 30
"""Words in which an error page says so: its title and first heading."""
_MENTIONS, _WORDS_PER_MENTION = 5, 30
"""A consent page mentions consent so many times, and once in so many words."""
_MAGIC = (b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"RIFF")
"""How PDF, images and archives begin."""
_ERROR = re.compile(
    r"\b(?:40[0134]|410|429|50[0234]|not found|access denied|forbidden|bad gateway|"
    r"internal server error|service unavailable|gateway time ?out|too many requests|"
    r"attention required|just a moment|are you a (?:human|robot)|captcha)\b"
)
_CONSENT = re.compile(r"(?:cookie|consent|gdpr|dsgvo|datenschutz|einwilligung|privacy|rgpd)")


def kind(view: PageView) -> str | None:
    """Return what a page looks like if not like one with content, None for all others."""
    size = len(view.words)
    beginning = " ".join(view.words[:_BEGINNING])
    mentions = sum(bool(_CONSENT.match(word)) for word in view.words[:FEW_CONSENT])
    rules = {
        "no HTML": "\0" in view.html[:1024] or view.page.html.startswith(_MAGIC),
        "no text": size == 0,
        "error page": size < FEW_ERROR and bool(_ERROR.search(beginning)),
        "consent page": size < FEW_CONSENT
        and mentions >= max(_MENTIONS, size / _WORDS_PER_MENTION),
        "JavaScript only": size < FEW_SCRIPT and "<script" in view.html.lower(),
    }
    return next((name for name, holds in rules.items() if holds), None)
