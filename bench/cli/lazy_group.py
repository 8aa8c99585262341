"""Groups whose commands are modules, imported when they are called and not to print help."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

from bench.model import UsageError
from bench.util import suggest


class LazyGroup(click.Group):
    """The commands of a package: one module each, with its ``command``.

    ``sections`` says in a line what each does, under the titles that help shows.
    """

    def __init__(
        self, *, package: str, sections: Mapping[str, Mapping[str, str]], **settings: Any
    ) -> None:
        super().__init__(**settings)
        self._package = package
        self._sections = sections
        self._verbs = [verb for section in sections.values() for verb in section]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return self._verbs

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names. Raises ``UsageError`` for none."""
        word = args[0]
        if word not in self._verbs and not word.startswith("-"):
            known = f"`{ctx.command_path} --help` lists them"
            hint = suggest.hint(word, self._verbs, known)
            raise UsageError(f"there is no command {f'{ctx.command_path} {word}'!r}; {hint}")
        return super().resolve_command(ctx, args)

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
        for title, verbs in self._sections.items():
            with formatter.section(title):
                formatter.write_dl(list(verbs.items()))
