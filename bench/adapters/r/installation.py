"""What R says of itself: version, libraries, packages. One short start of R, and no package loaded."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.version import InvalidVersion, Version

from bench.util import paths

RPY2 = "rpy2-rinterface"
"""The part of rpy2 that the bridge needs."""
RPY2_FOR_OLD_R = "3.6.5"
"""Later ones ask for symbols that R below 4.5 has not; this one was tried with R 4.2 and 4.5."""
OLD_R = Version("4.5")

_DEADLINE_S = 30.0
_QUESTIONS = r"""
say <- function(...) cat(..., sep = "\t", fill = FALSE)
say("version", as.character(getRversion())); cat("\n")
say("home", R.home()); cat("\n")
for (folder in .libPaths()) { say("library", folder); cat("\n") }
for (folder in strsplit(Sys.getenv("LD_LIBRARY_PATH"), ":", fixed = TRUE)[[1]]) {
  say("linked", folder); cat("\n")
}
for (name in commandArgs(trailingOnly = TRUE)) {
  folder <- find.package(name, quiet = TRUE)
  facts <- file.path(folder[1], "Meta", "package.rds")
  if (length(folder) && file.exists(facts)) {
    say("package", name, readRDS(facts)$DESCRIPTION[["Version"]]); cat("\n")
  }
}
"""


@dataclass(frozen=True)
class Installation:
    """R as found on this machine."""

    version: str
    home: Path
    libraries: tuple[str, ...]
    """Where it looks for packages, in order."""
    libjvm: str
    """The Java virtual machine that R was told of; empty where there is none."""
    packages: Mapping[str, str]
    """Versions of the packages that were asked for and are installed."""

    @property
    def is_shared(self) -> bool:
        """Whether it can run inside another program."""
        return any((self.home / "lib" / f"libR{end}").exists() for end in (".so", ".dylib"))


class Unusable(Exception):
    """R is there and does not answer; the message is one line."""


def private_library() -> Path:
    """Return the folder of R packages that belongs to the project."""
    return paths.home() / "r-library"


def find(packages: Collection[str] = ()) -> Installation | None:
    """Ask R on the PATH for itself and for packages; None where there is none.

    Raises ``Unusable`` when it fails to answer.
    """
    program = shutil.which("Rscript")
    if program is None:
        return None
    done = _ask(_QUESTIONS, *sorted(packages))
    answers = [line.split("\t") for line in done.stdout.splitlines()]
    said = {answer[0]: answer[-1] for answer in answers}
    if done.returncode or "version" not in said or "home" not in said:
        reason = " ".join((done.stderr or done.stdout).split())[-300:]
        raise Unusable(f"{program} exited with status {done.returncode}: {reason}")
    return Installation(
        version=said["version"],
        home=Path(said["home"]),
        libraries=tuple(answer[1] for answer in answers if answer[0] == "library"),
        libjvm=_libjvm([answer[1] for answer in answers if answer[0] == "linked"]),
        packages={answer[1]: answer[2] for answer in answers if answer[0] == "package"},
    )


def first_mirror() -> str:
    """Return the address of the mirror of CRAN that R itself puts first."""
    return _ask("cat(utils::getCRANmirrors(local.only = TRUE)$URL[1])").stdout.strip()


def _ask(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a script in R on the PATH. Raises ``Unusable`` when R does not run."""
    program = shutil.which("Rscript") or "Rscript"
    try:
        return subprocess.run(
            [program, "--vanilla", "-e", script, *words],
            env=environment(),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unusable(f"{program} does not run: {error}") from error


def environment() -> dict[str, str]:
    """Return the environment in which R finds the project's own packages before all others."""
    libraries = [str(private_library()), os.environ.get("R_LIBS", "")]
    return {
        **os.environ,
        "R_LIBS": os.pathsep.join(filter(None, libraries)),
        "R_DEFAULT_PACKAGES": "NULL",
        "LC_ALL": "C.UTF-8",
    }


def version_of(text: str) -> Version | None:
    """Return the version of an R package in a form that compares; R writes some as ``3.99-0.13``."""
    try:
        return Version(text.replace("-", "."))
    except InvalidVersion:
        return None


def rpy2_problem(r_version: str) -> str:
    """Return why rpy2 cannot be used with this R, empty when it can."""
    try:
        here = metadata.version(RPY2)
    except metadata.PackageNotFoundError:
        return f"not installed: {RPY2}"
    r = version_of(r_version)
    if r is not None and r < OLD_R and Version(here) > Version(RPY2_FOR_OLD_R):
        return f"{RPY2} {here} does not work with R {r_version}"
    return ""


def rpy2_requirement(r_version: str) -> str:
    """Return what to install for this R, as pip writes it."""
    r = version_of(r_version)
    if r is None or r < OLD_R:
        return f"{RPY2}=={RPY2_FOR_OLD_R}"
    return f"{RPY2}>={RPY2_FOR_OLD_R}"


def need(what: str, libjvm: str) -> str | None:
    """Return the version of something needed beside R packages, empty if unknown, None if missing."""
    if what == "java":
        return "" if libjvm else None
    if what.startswith("/"):
        path = Path(what)
        numbered = re.search(r"-(\d[\w.]*)\.\w+$", path.resolve().name)
        return None if not path.exists() else numbered.group(1) if numbered else ""
    program = shutil.which(what)
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True, text=True, errors="replace", timeout=_DEADLINE_S, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"\d+(?:\.\d+)+", done.stdout)
    return found.group() if found else ""


def _libjvm(linked: list[str]) -> str:
    folders = [Path(folder) for folder in linked if folder]
    java = os.environ.get("JAVA_HOME")
    if java:
        folders.append(Path(java) / "lib" / "server")
    folders.append(Path("/usr/lib/jvm/default-java/lib/server"))
    for folder in folders:
        for name in ("libjvm.so", "libjvm.dylib"):
            if (folder / name).exists():
                return str(folder / name)
    return ""
