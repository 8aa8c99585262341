"""``[run]`` and ``[check]`` of ``bench.toml``: what options are unless the command line says."""

from pathlib import Path
from typing import Any

import click

from bench.util import toml_file
from bench.util.toml_file import TomlFile

VERBS = ("run", "check")
_ONCE = (
    "all",
    "yes",
    "fresh",
    "run",
    "update",
    "allow-regression",
    "with-texts",
    "against",
    "help",
)
"""Options that say what to do this time."""
_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    click.types.BoolParamType: ((bool,), "true or false"),
    click.types.IntParamType: ((int,), "a whole number"),
    click.types.FloatParamType: ((int, float), "a number"),
}
_TEXT = ((str,), "a text")


def defaults(verb: str, command: click.Command) -> dict[str, Any]:
    """Return what the nearest ``bench.toml`` says of a verb's options, as click's ``default_map``.

    A key is an option's long name; a path is looked for beside the file. Raises ``UsageError``
    naming file, line and key for an unknown key or a value that the option does not take.
    """
    path = toml_file.find(Path.cwd())
    if path is None:
        return {}
    file = TomlFile(path)
    table = file.table(verb, f"[{verb}]")
    options = {
        name: option
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
        for name in [max(option.opts, key=len).removeprefix("--")]
        if name not in _ONCE
    }
    file.refuse_unknown(table, options, verb)
    return {
        str(options[key].name): _value(file, verb, key, value, options[key])
        for key, value in table.items()
    }


def _value(file: TomlFile, verb: str, key: str, value: Any, option: click.Option) -> Any:
    """Return a key's value as its option takes it."""
    if option.multiple:
        values = value if isinstance(value, list) else [value]
        return [_one(file, verb, key, part, option) for part in values]
    return _one(file, verb, key, value, option)


def _one(file: TomlFile, verb: str, key: str, value: Any, option: click.Option) -> Any:
    kinds = [kind for base, kind in _KINDS.items() if isinstance(option.type, base)]
    types, words = kinds[0] if kinds else _TEXT
    if type(value) not in types:  # a bool is an int to isinstance
        file.fail(verb, key, f"is {value!r}; write {words}")
    from bench.datasets.catalogue import OWN  # by the few who have such a file

    if isinstance(option.type, click.Path):
        value = str(file.path.parent / value)
    elif key == "gold" and value.startswith(OWN):
        layout, _, path = value.partition(":")
        value = f"{layout}:{file.path.parent / path}"
    try:
        option.type.convert(value, option, None)
    except click.BadParameter as error:
        file.fail(verb, key, f"is wrong: {error.message}")
    return value
