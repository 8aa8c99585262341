"""Reads an extractor's facts, whoever states them, by the names and types of ``ExtractorFacts``."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

from bench.extractor import ACCEPTS, KINDS, TEXTS, TEXTS_AND_GOLD
from bench.model import ExtractorFacts

PAGE = ("str", "bytes")
"""What a program, or R, may be handed a page as."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_]*")
_VARIANT = re.compile(r"[^\s:*?\[\]]+")
_SETTING = (str, int, float, bool, list, tuple, dict, type(None))
_HINTS = get_type_hints(ExtractorFacts)
_GROUPS: dict[str, Any] = {name: hint for name, hint in _HINTS.items() if is_dataclass(hint)}


class WrongFact(ValueError):
    """A fact that cannot be; ``key`` names it, with dots down to what is wrong in it."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key} {reason}")
        self.key = key
        self.reason = reason


def types(groups: Iterable[str] = _GROUPS) -> dict[str, Any]:
    """Return the names of all facts, those of some groups among them, with their types."""
    hints = {name: hint for name, hint in _HINTS.items() if name not in _GROUPS}
    for group in groups:
        hints |= get_type_hints(_GROUPS[group])
    return hints


_TYPES = types()


def make(stated: Mapping[str, Any], accepts: Iterable[str] = ACCEPTS) -> ExtractorFacts:
    """Return facts with what is stated by name, and defaults for the others.

    Raises ``WrongFact`` for a value that cannot be, ``ValueError`` for facts that contradict each
    other.
    """
    values = {name: _checked(name, value) for name, value in stated.items()}
    values |= {
        name: group(**{f.name: values.pop(f.name) for f in fields(group) if f.name in values})
        for name, group in _GROUPS.items()
    }
    facts = ExtractorFacts(**values)
    if not _NAME.fullmatch(facts.name):
        raise WrongFact("name", f"{facts.name!r} is not lowercase letters, digits and underscores")
    for name, value, choice in (("accepts", facts.accepts, accepts), ("kind", facts.kind, KINDS)):
        if value not in choice:
            raise WrongFact(name, f"{value!r} is not one of {', '.join(choice)}")
    takes_texts = facts.accepts in (TEXTS, TEXTS_AND_GOLD)
    if takes_texts != (facts.kind == "ensemble"):
        raise WrongFact("kind", f"{facts.kind!r} does not go with accepts {facts.accepts!r}")
    if facts.accepts == "gold" and facts.kind != "control":
        raise WrongFact("kind", f"{facts.kind!r} competes, and what is handed the gold may not")
    if takes_texts != bool(facts.members):
        raise ValueError("an ensemble, and nothing else, names its members")
    return facts


def check_requirements(facts: ExtractorFacts) -> None:
    """Raise ``WrongFact`` for a requirement that pip could not read."""
    from packaging.requirements import InvalidRequirement, Requirement

    for text in facts.requires:
        try:
            Requirement(text)
        except InvalidRequirement as error:
            raise WrongFact("requires", f"has {text!r}: {error}") from error


def wrapped(facts: ExtractorFacts) -> str:
    """Return the name of the package that an extractor wraps, its first requirement."""
    from packaging.requirements import Requirement

    return Requirement(facts.requires[0]).name


def _checked(name: str, value: Any) -> Any:
    """Return a value as the fact of this name has it. Raises ``WrongFact``."""
    hint = _TYPES[name]
    if name == "variants":
        return _variants(value)
    if hint == tuple[str, ...]:
        if isinstance(value, list | tuple) and all(_is_word(word) for word in value):
            return tuple(value)
        example = json.dumps(value.split() if isinstance(value, str) else ["…"], ensure_ascii=False)
        raise WrongFact(name, f"is {_shown(value)}; write a list of texts, {name} = {example}")
    if not isinstance(value, hint if hint in (str, bool) else Mapping):
        example = {str: '"…"', bool: "true or false"}.get(hint, "a table of texts")
        raise WrongFact(name, f"is {_shown(value)}; write {name} = {example}")
    return value


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _variants(value: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(value, Mapping) or not value:
        example = "a single one without settings is default = {}"
        raise WrongFact("variants", f"is {_shown(value)}; {example}")
    for variant, settings in value.items():
        where = f"variants.{variant}"
        if not isinstance(variant, str) or not _VARIANT.fullmatch(variant):
            raise WrongFact(where, "is no name that can be typed; use letters and digits")
        if not isinstance(settings, Mapping):
            raise WrongFact(where, f"is {_shown(settings)}; write a table of settings")
        for setting, content in settings.items():
            if not isinstance(setting, str) or not setting.isidentifier():
                raise WrongFact(f"{where}.{setting}", "is no word; use letters and _")
            if not isinstance(content, _SETTING):
                example = "write a text, a number, true, false, or a list"
                raise WrongFact(f"{where}.{setting}", f"is {_shown(content)}; {example}")
    return {variant: dict(settings) for variant, settings in value.items()}


def _shown(value: Any) -> str:
    """Return a value in the words of an error message."""
    if value in ("", [], (), {}):
        return "empty"
    names = {bool: str(value).lower(), dict: "a table", list: "a list", str: repr(value)}
    return names.get(type(value), str(value))
