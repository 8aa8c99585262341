"""Groups whose commands are modules, imported when they are called and not to print help."""

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """The commands of a package: one module each, with its ``command``.

    ``verbs`` says in a line what each does.
    """

    def __init__(self, *, package: str, verbs: Mapping[str, str], **settings: Any) -> None:
        super().__init__(**settings)
        self._package = package
        self._verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self._verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None where there is none of this name."""
        if cmd_name not in self._verbs:
            return None
        # A module's name must not be a built-in's, or a keyword.
        name = f"{cmd_name}_" if cmd_name in ("list", "try") else cmd_name
        command: click.Command = importlib.import_module(f"{self._package}.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._verbs.items()))
