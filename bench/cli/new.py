"""``bench new``: the file of a new extractor, which works at once and says what to fill in."""

import re
from pathlib import Path

import click

from bench.adapters.programs import config
from bench.cli import printing
from bench.model import BenchError, UsageError
from bench.util import paths, toml_file

_NAME = re.compile(r"[a-z0-9][a-z0-9_]*")

_PYTHON = '''"""{name}: FILL IN how it finds the main text, in one line."""


from typing import Any

from bench.extractor import Extractor


class {title}(Extractor):
    """FILL IN how it finds the main text, in one line that ends with a full stop."""

    name = "{name}"
    requires = ()  # packages as pip writes them; the first is the one wrapped: ("some-library>=2",)
    variants = {{"default": {{}}}}  # named settings, handed to load as keywords
    homepage = ""  # https://…
    settings_source = ""  # https://… where its authors recommend these settings
    licence = ""  # SPDX: "MIT", "Apache-2.0", …

    def load(self, **settings: Any) -> None:
        """Import the library here and build what is needed once; timed apart from extraction."""
        import re

        self._beside = re.compile(r"(?is)<(head|script|style|nav|footer|aside)\\b.*?</\\1>|<!--.*?-->")
        self._tag = re.compile(r"<[^>]*>?")

    def extract(self, html: str, url: str | None) -> str:
        """Return the main text, plain; "" where there is none. Let exceptions through."""
        # REPLACE: a naive extractor, so that `bench try` has something to show.
        lines = self._tag.sub("\\n", self._beside.sub("", html)).splitlines()
        return "\\n".join(line.strip() for line in lines if line.strip())
'''

_R = """#' {name}: FILL IN how it finds the main text, in one line.
#'
#' @name {name}
#' @requires xml2>=1.3
#' @accepts str
#' @homepage
#' @settings_source
#' @licence

# Of @requires the first package is the one wrapped: its version is reported.
# load() gets the settings of a variant (#' @variant NAME key = value); timed apart from extraction.
load <- function() {{
  loadNamespace("xml2")
}}

# Returns the main text, plain; "" where there is none. Errors are let through.
extract <- function(html, url) {{
  # REPLACE: a naive extractor, so that `bench try` has something to show.
  page <- xml2::read_html(charToRaw(enc2utf8(html)), encoding = "UTF-8",
                          options = c("RECOVER", "NOERROR", "HUGE"))
  beside <- "ancestor::script or ancestor::style or ancestor::nav or ancestor::footer"
  texts <- xml2::xml_find_all(page, sprintf("//body//text()[not(%s)]", beside))
  lines <- trimws(xml2::xml_text(texts))
  paste(lines[nzchar(lines)], collapse = "\\n")
}}
"""

_TOML = """
[extractors.{name}]
command = ["node", "{script}"]
description = "FILL IN how it finds the main text, in one line that ends with a full stop."
language = "JavaScript"
# homepage = "https://…"
# settings_source = "https://…"   # where its authors recommend these settings
# licence = "MIT"                 # SPDX
# files = ["lib/*.mjs"]           # what else its texts depend on
# [extractors.{name}.variants.default]
# [extractors.{name}.variants.strict]
# threshold = 0.7
"""

_SCRIPT = """// {name}: answers bench's requests, one JSON object a line (docs/protocol.md).
import {{ createInterface }} from "node:readline";

// Standard output belongs to the protocol: what is printed goes to standard error.
console.log = console.info = console.debug = console.error;
const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n");

function extract(html, url) {{
  // REPLACE: a naive extractor, so that `bench try` has something to show.
  const beside = /<(head|script|style|nav|footer|aside)\\b[^]*?<\\/\\1>|<!--[^]*?-->/gi;
  const lines = html.replace(beside, "").replace(/<[^>]*>?/g, "\\n").split("\\n");
  return lines.map((line) => line.trim()).filter(Boolean).join("\\n");
}}

for await (const line of createInterface({{ input: process.stdin }})) {{
  const request = JSON.parse(line);
  if (request.op === "load") {{
    // request.settings are those of the variant: load libraries and models here.
    send({{ protocol: 1, name: "{name}", version: "0.1.0" }});
    continue;
  }}
  try {{
    send({{ id: request.id, text: extract(request.html, request.url) }});
  }} catch (error) {{
    send({{ id: request.id, error: String(error?.stack ?? error) }});
  }}
}}
"""


@click.command(
    epilog="Examples: bench new my_extractor · bench new my_extractor --r · "
    "bench new my_extractor --command"
)
@click.argument("name")
@click.option("--r", "in_r", is_flag=True, help="In R.")
@click.option(
    "--command",
    "as_command",
    is_flag=True,
    help="A program of its own (a Node script to begin with).",
)
def command(name: str, in_r: bool, as_command: bool) -> None:
    """Write the file of a new extractor, ready to be filled in.

    In a checkout of the project it goes into extractors/ (r_extractors/ with --r) and is found
    there; elsewhere into this folder, for --adapter. With --command it is a script and a section
    of bench.toml here. What is there is never overwritten.
    """
    if in_r and as_command:
        raise UsageError("give --r or --command, not both")
    if not _NAME.fullmatch(name):
        raise UsageError(f"name {name!r} is not lowercase letters, digits and underscores")
    if as_command:
        _write_command(name)
        return
    folder = _folder("r_extractors" if in_r else "extractors")
    text = (_R if in_r else _PYTHON).format(name=name, title=_title(name))
    path = folder / f"{name}{'.R' if in_r else '.py'}"
    _write(path, text)
    _say_next(name, f" --adapter {printing.short(path)}" if folder == Path.cwd() else "")


def _folder(name: str) -> Path:
    """Where adapters are found by themselves, if we stand in a checkout; else here."""
    top, here = paths.checkout(), Path.cwd()
    if top is not None and here.is_relative_to(top) and (top / name).is_dir():
        return top / name
    return here


def _write_command(name: str) -> None:
    here = Path.cwd()
    script, described = here / f"{name}.mjs", here / toml_file.FILE
    if described.is_file() and name in {program.name for program in config.read(described)}:
        raise BenchError(f"{described} has [extractors.{name}] already; choose another name")
    _write(script, _SCRIPT.format(name=name))
    section = _TOML.format(name=name, script=script.name)
    try:
        before = described.read_text(encoding="utf-8") if described.is_file() else ""
        with described.open("a", encoding="utf-8") as file:
            file.write(
                section if before.endswith("\n") else "\n" + section if before else section[1:]
            )
    except OSError as error:
        script.unlink()
        raise BenchError(f"{described} cannot be written: {error.strerror}") from None
    click.echo(f"added [extractors.{name}] to {printing.short(described)}")
    _say_next(name, "")


def _write(path: Path, text: str) -> None:
    """Write a file that is not there yet."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BenchError(
            f"{printing.short(path)} is there already; choose another name, or remove it"
        ) from None
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {printing.short(path)}")


def _say_next(name: str, how: str) -> None:
    click.echo(f"next: bench try {name} PAGE.html{how}")
    click.echo(f"then: bench doctor {name}{how}, which says what is still to be filled in")


def _title(name: str) -> str:
    """A class's name for an extractor's."""
    title = "".join(part.capitalize() for part in name.split("_"))
    return title if title[0].isalpha() else f"Extractor{title}"
