"""Which rule an element of a page falls under.

Of all the rules that an element meets, the one of the most local level wins; within a level one
that asks for an attribute's value wins over one that asks for the attribute, and that over one for
the tag alone; then the first in the file.

Decided here. ``attr_value`` is the whole value of the attribute, white space apart; for ``class``,
which HTML makes a set of words, the words of ``attr_value`` must be among them. A rule with
``attr_get`` takes that attribute's value and leaves what happens to the tag's text to other rules,
so it competes only with rules that get the same attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

from bench.methods.webreader.macros import Template

Attributes = Mapping[str, str]


@dataclass(frozen=True)
class TagRule:
    """A ``translate``, or an ``ignore``: a rule without section."""

    tag: str
    line: int
    section: str | None = None
    """What ``tag_out`` says; None for ``ignore``."""
    runs_on: bool = False
    """Whether the section goes on with what follows the tag."""
    attr_name: str | None = None
    attr_value: str | None = None
    attr_get: str | None = None

    @property
    def key(self) -> tuple[str | None, ...]:
        """What makes two rules of one format rules for the same tag."""
        return (self.tag, self.attr_name, self.attr_value, self.attr_get)

    @property
    def specificity(self) -> int:
        """2 with an attribute's value, 1 with an attribute, 0 with the tag alone."""
        return (self.attr_name is not None) + (self.attr_value is not None)

    def meets(self, attributes: Attributes) -> bool:
        """Return whether an element of this tag with these attributes falls under the rule."""
        if self.attr_name is None:
            return True
        value = attributes.get(self.attr_name)
        if value is None or self.attr_value is None:
            return value is not None
        words = value.split()
        if self.attr_name == "class":
            return set(self.attr_value.split()) <= set(words)
        return " ".join(words) == self.attr_value


@dataclass(frozen=True)
class Append:
    """Text of the specification's own, in a section before those of the page."""

    section: str
    text: Template


@dataclass(frozen=True)
class Format:
    """The rules of one level."""

    tags: tuple[TagRule, ...]
    appends: tuple[Append, ...]


class Rules:
    """The formats of all levels over a URL, the outermost first."""

    def __init__(self, formats: tuple[Format, ...]) -> None:
        self.formats = formats
        self._by_tag: dict[str, list[TagRule]] | None = None

    @property
    def by_tag(self) -> Mapping[str, list[TagRule]]:
        """Rules of each tag, the one that wins first."""
        # Made when first asked for: a specification may have many URLs under many rules.
        if self._by_tag is None:
            self._by_tag = {}
            for level in reversed(self.formats):
                for rule in sorted(level.tags, key=lambda rule: -rule.specificity):
                    self._by_tag.setdefault(rule.tag, []).append(rule)
        return self._by_tag

    @property
    def appends(self) -> tuple[Append, ...]:
        """Texts to append: those of all levels, the outermost first, in the file's order."""
        return tuple(append for level in self.formats for append in level.appends)

    def content(self, tag: str, attributes: Attributes) -> TagRule | None:
        """Return the rule for a tag's content, None where none meets it."""
        for rule in self.by_tag.get(tag, ()):
            if rule.attr_get is None and rule.meets(attributes):
                return rule
        return None

    def gets(self, tag: str, attributes: Attributes) -> tuple[TagRule, ...]:
        """Return the rules that take a value out of the tag's attributes, one for each attribute."""
        chosen: dict[str | None, TagRule] = {}
        for rule in self.by_tag.get(tag, ()):
            if rule.attr_get is not None and rule.meets(attributes):
                chosen.setdefault(rule.attr_get, rule)
        return tuple(chosen.values())
