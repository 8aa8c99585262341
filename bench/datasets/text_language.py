"""The language of a text, told by its byte n-grams.

Lui and Baldwin 2012, langid.py, https://aclanthology.org/P12-3005.
"""

from functools import cache
from typing import Any


def detected(text: str, characters: int) -> tuple[str, float]:
    """Return the likeliest language (ISO 639-1) of a text by its first characters, and how likely."""
    language, probability = _identifier().classify(text[:characters])
    return str(language), float(probability)


@cache
def _identifier() -> Any:
    # Its model takes most of a second to load.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
