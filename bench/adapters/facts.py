"""Reads an extractor's facts, whoever states them, by the names and types of ``ExtractorFacts``."""

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
    found = {name: hint for name, hint in _HINTS.items() if name not in _GROUPS}
    for group in groups:
        found |= get_type_hints(_GROUPS[group])
    return found


_TYPES = types()


def make(stated: Mapping[str, Any], accepts: Iterable[str] = ACCEPTS) -> ExtractorFacts:
    """Return facts with what is stated by name, and defaults for the others.

    Raises ``WrongFact`` for a value that cannot be, ``ValueError`` for facts that contradict each
    other.
    """
    values = {name: checked(name, value) for name, value in stated.items()}
    values |= {
        name: group(**{f.name: values.pop(f.name) for f in fields(group) if f.name in values})
        for name, group in _GROUPS.items()
    }
    made = ExtractorFacts(**values)
    _check(made, tuple(accepts))
    return made


def flat(facts: ExtractorFacts) -> dict[str, Any]:
    """Return facts as ``make`` takes them, fit for JSON."""
    parts = [facts, *(getattr(facts, group) for group in _GROUPS)]
    return {name: getattr(part, name) for part in parts for name in vars(part) if name in _TYPES}


def checked(name: str, value: Any) -> Any:
    """Return a value as the fact of this name has it. Raises ``WrongFact``."""
    hint = _TYPES[name]
    if hint is str:
        return _text(name, value)
    if hint is bool:
        if not isinstance(value, bool):
            raise WrongFact(name, f"is {shown(value)}; write {name} = true or false")
        return value
    if hint == tuple[str, ...]:
        return _words(name, value)
    if name == "variants":
        return _variants(name, value)
    if not isinstance(value, Mapping):
        raise WrongFact(name, f"is {shown(value)}, no table of texts")
    return {str(key): _text(f"{name}.{key}", text) for key, text in value.items()}


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


def shown(value: Any) -> str:
    """Return a value in the words of an error message."""
    if value in ("", [], (), {}):
        return "empty"
    names = {bool: str(value).lower(), dict: "a table", list: "a list", str: repr(value)}
    return names.get(type(value), str(value))


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise WrongFact(name, f'is {shown(value)}; write a text, {name} = "…"')
    return value


def _words(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        words = ", ".join(f'"{word}"' for word in value.split())
        raise WrongFact(name, f"is one text; write its words apart, {name} = [{words}]")
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise WrongFact(name, f'is {shown(value)}; write a list of texts, {name} = ["…"]')
    if any(not word.strip() or "\0" in word for word in value):
        raise WrongFact(name, "has an empty text, or one with a NUL")
    return tuple(value)


def _variants(name: str, value: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(value, Mapping) or not value:
        raise WrongFact(name, f"is {shown(value)}; a single one without settings is default = {{}}")
    for variant, settings in value.items():
        where = f"{name}.{variant}"
        if not isinstance(variant, str) or not _VARIANT.fullmatch(variant):
            raise WrongFact(where, "is no name that can be typed; use letters and digits")
        if not isinstance(settings, Mapping):
            raise WrongFact(where, f"is {shown(settings)}; write a table of settings")
        for setting, content in settings.items():
            if not isinstance(setting, str) or not setting.isidentifier():
                raise WrongFact(f"{where}.{setting}", "is no word; use letters and _")
            if not isinstance(content, _SETTING):
                raise WrongFact(
                    f"{where}.{setting}",
                    f"is {shown(content)}; write a text, a number, true, false, or a list",
                )
    return {variant: dict(settings) for variant, settings in value.items()}


def _check(facts: ExtractorFacts, accepts: tuple[str, ...]) -> None:
    if not _NAME.fullmatch(facts.name):
        raise WrongFact("name", f"{facts.name!r} is not lowercase letters, digits and underscores")
    for name, value, choice in (
        ("accepts", facts.accepts, accepts),
        ("kind", facts.kind, KINDS),
    ):
        if value not in choice:
            raise WrongFact(name, f"{value!r} is none of {', '.join(choice)}")
    takes_texts = facts.accepts in (TEXTS, TEXTS_AND_GOLD)
    if takes_texts != (facts.kind == "ensemble"):
        raise WrongFact("kind", f"{facts.kind!r} does not go with accepts {facts.accepts!r}")
    if facts.accepts == "gold" and facts.kind != "control":
        raise WrongFact("kind", f"{facts.kind!r} competes, and what is handed the gold may not")
    if takes_texts != bool(facts.members):
        raise ValueError("an ensemble, and nothing else, names its members")
