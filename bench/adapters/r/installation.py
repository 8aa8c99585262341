"""What R says of itself: version, place, libraries. One short start of R, and no package loaded."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.adapters import answers, versions
from bench.adapters.answers import Unknown
from bench.util import paths

RPY2 = "rpy2-rinterface"
"""The part of rpy2 that the bridge needs."""
RPY2_FOR_OLD_R = "3.6.5"
"""Later ones ask for symbols that R below 4.5 has not; this one was tried with R 4.2 and 4.5."""
OLD_R = [4, 5]

_DEADLINE_S = 30.0
_QUESTIONS = r"""
say <- function(...) cat(..., sep = "\t", fill = FALSE)
say("version", as.character(getRversion())); cat("\n")
say("home", R.home()); cat("\n")
for (folder in .libPaths()) { say("library", folder); cat("\n") }
for (folder in strsplit(Sys.getenv("LD_LIBRARY_PATH"), ":", fixed = TRUE)[[1]]) {
  say("linked", folder); cat("\n")
}
"""
_VARIABLES = ("R_HOME", "R_LIBS", "R_LIBS_USER", "R_LIBS_SITE", "LD_LIBRARY_PATH", "JAVA_HOME")
"""Environment variables that R's answers depend on."""


@dataclass(frozen=True)
class Installation:
    """R as found on this machine."""

    version: str
    home: Path
    libraries: tuple[str, ...]
    """Where it looks for packages, in order."""
    libjvm: str
    """The Java virtual machine that R was told of; empty where there is none."""

    @property
    def is_shared(self) -> bool:
        """Whether it can run inside another program."""
        return any((self.home / "lib" / f"libR{end}").exists() for end in (".so", ".dylib"))

    @property
    def problem(self) -> str:
        """Why no extractor can run in it; empty where they can."""
        if not self.is_shared:
            return f"R in {self.home} has no shared library (it wants --enable-R-shlib)"
        return rpy2_problem(self.version)

    def version_of(self, package: str) -> str | None:
        """Return the version of an installed package as R writes it; None where there is none."""
        return description(self.libraries, package).get("Version")

    def missing(self, requires: Iterable[str]) -> list[str]:
        """Return the requirements that no installed package meets."""
        from packaging.requirements import Requirement
        from packaging.version import InvalidVersion

        missing = []
        for text in requires:
            requirement = Requirement(text)
            # R writes some versions as 3.99-0.13.
            version = (self.version_of(requirement.name) or "").replace("-", ".")
            is_met = False
            with contextlib.suppress(InvalidVersion):
                is_met = requirement.specifier.contains(version, prereleases=True)
            if not is_met:
                missing.append(text)
        return missing


def private_library() -> Path:
    """Return the folder of R packages that belongs to the project."""
    return paths.home() / "r-library"


def description(libraries: Iterable[str], package: str) -> dict[str, str]:
    """Return what an installed package states of itself, by field; nothing where it is not there."""
    for library in libraries:
        folder = Path(library) / package
        with contextlib.suppress(OSError):
            text = (folder / "DESCRIPTION").read_text(encoding="utf-8", errors="replace")
            if (folder / "Meta" / "package.rds").exists():
                pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
                return {field: value.strip() for field, value in pairs}
    return {}


def find() -> Installation | None:
    """Return what R on the PATH says of itself; None where there is none.

    Raises ``Unknown`` when it fails to answer.
    """
    program = shutil.which("Rscript")
    if program is None:
        return None
    state = [
        answers.state_of(program),
        *(answers.state_of(folder) for folder in (private_library(), Path.home() / "R")),
        [os.environ.get(name) for name in _VARIABLES],
    ]
    facts = answers.kept("R", state, lambda: _questioned(program))
    return Installation(
        version=facts["version"][0],
        home=Path(facts["home"][0]),
        libraries=tuple(facts.get("library", ())),
        libjvm=_libjvm(facts.get("linked", ())),
    )


def _questioned(program: str) -> dict[str, list[str]]:
    done = _ask(_QUESTIONS)
    facts: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        topic, _, answer = line.partition("\t")
        facts.setdefault(topic, []).append(answer)
    if done.returncode or "version" not in facts or "home" not in facts:
        reason = " ".join((done.stderr or done.stdout).split())[-300:]
        raise Unknown(f"{program} exited with status {done.returncode}: {reason}")
    return facts


def first_mirror() -> str:
    """Return the address of the mirror of CRAN that R itself puts first."""
    return _ask("cat(utils::getCRANmirrors(local.only = TRUE)$URL[1])").stdout.strip()


def _ask(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a script in R on the PATH. Raises ``Unknown`` when R does not run."""
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
        raise Unknown(f"{program} does not run: {error}") from error


def environment() -> dict[str, str]:
    """Return the environment in which R finds the project's own packages before all others."""
    libraries = [str(private_library()), os.environ.get("R_LIBS", "")]
    return {
        **os.environ,
        "R_LIBS": os.pathsep.join(filter(None, libraries)),
        "R_DEFAULT_PACKAGES": "NULL",
        "LC_ALL": "C.UTF-8",
    }


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def rpy2_problem(r_version: str) -> str:
    """Return why rpy2 cannot be used with this R, empty when it can."""
    from importlib import metadata

    try:
        here = metadata.version(RPY2)
    except metadata.PackageNotFoundError:
        return f"not installed: {RPY2}"
    if _numbers(r_version) < OLD_R and _numbers(here) > _numbers(RPY2_FOR_OLD_R):
        return f"{RPY2} {here} does not work with R {r_version}"
    return ""


def rpy2_requirement(r_version: str) -> str:
    """Return what to install for this R, as pip writes it."""
    return f"{RPY2}{'==' if _numbers(r_version) < OLD_R else '>='}{RPY2_FOR_OLD_R}"


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
        return versions.printed([program, "--version"])
    except Unknown:
        return ""


def _libjvm(linked: Iterable[str]) -> str:
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
