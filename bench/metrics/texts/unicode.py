"""Texts in one Unicode form, so that how a letter is encoded does not count.

None is the default, for parity with published figures: a library that writes é as two code points
then loses n-grams, as it does for whoever searches its texts.
"""

import unicodedata

FORMS = ("nfc", "nfkc")
"""Canonical composition, and that with compatibility characters (ligatures, full-width letters)
replaced: Unicode Standard Annex 15, https://www.unicode.org/reports/tr15/."""

_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
"""Soft hyphens, zero-width spaces and joiners: they show nothing, and cut words for n-grams."""


def normalised(text: str, form: str) -> str:
    """Return a text in a form, without characters that show nothing; as it is for no form."""
    if not form or text.isascii():
        return text
    return unicodedata.normalize("NFC" if form == "nfc" else "NFKC", text.translate(_UNSEEN))
