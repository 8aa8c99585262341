"""Sets R up for the R extractors: R and its packages from Debian, rpy2, the rest from CRAN.

What is wanted stands in the headers of the ``.R`` files; nothing here knows an extractor.
"""

import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from uv import find_uv_bin

from bench.adapters.answers import Unknown
from bench.adapters.r import installation
from bench.model import ExtractorFacts

DEBIAN_BASE = ("r-base-core", "make")
"""R itself; rpy2 reads R's settings with make."""

_DEBIANS_OWN = (Path("/usr/bin"), Path("/usr/lib/R/bin"))
_REACH_S = 5.0
_ELSEWHERE = (
    ("dnf", "sudo dnf install R-core R-core-devel make"),
    ("pacman", "sudo pacman -S --needed r make"),
    ("zypper", "sudo zypper install R-base R-base-devel make"),
    ("brew", "brew install r"),
)
_BY_HAND = "install R with its shared library"
_INSTALL = """
words <- commandArgs(trailingOnly = TRUE)
utils::install.packages(words[-(1:2)], lib = words[1], repos = words[2], quiet = TRUE)
"""

Tell = Callable[[str], None]


@dataclass
class Setup:
    """One setting up: what for, how, and whom to tell."""

    extractors: Sequence[ExtractorFacts]
    tell: Tell
    mirror: str | None = None
    """Where CRAN is; None for the mirror that R itself puts first."""
    cran: bool = True
    dry_run: bool = False

    def run(self) -> None:
        """Do all that can be done here; what cannot is told, and shows in the adapters afterwards."""
        if self._from_debian():
            self._debian(DEBIAN_BASE, [facts for facts in self.extractors if not facts.r.cran])
        elif shutil.which("Rscript") is None:
            self.tell(f"R is not installed. To install it, type: {_elsewhere()}")
        try:
            r = installation.find()
        except Unknown as error:
            self.tell(str(error))
            return
        if r is not None:
            self._rpy2(r.version)
            self._packages()
        elif self.dry_run:
            self.tell("rpy2 and what only CRAN has come once R is there")

    @staticmethod
    def _from_debian() -> bool:
        """Whether R here is, or would be, the distribution's."""
        r = shutil.which("Rscript")
        own = r is None or Path(r).resolve().parent in _DEBIANS_OWN
        return own and shutil.which("apt-get") is not None

    def _debian(self, base: Iterable[str], extractors: Iterable[ExtractorFacts]) -> None:
        """Install Debian packages, without those of adapters whose packages Debian has not."""
        wanted = [*base]
        refused: list[str] = []
        updated = self.dry_run
        for name, packages in [("", base), *((facts.name, facts.r.debian) for facts in extractors)]:
            lacking = _not_installed(packages)
            if (
                lacking
                and not _knows(lacking)
                and not updated
                and (rights := _rights()) is not None
            ):
                self._do([*rights, "apt-get", "update", "-q"], "reading Debian's list of packages")
                updated = True
            if not lacking or _knows(lacking):
                wanted += packages
            else:
                refused.append(f"{name or 'R'} ({' '.join(lacking)})")
        if refused:
            self.tell(f"this distribution has not what these need: {', '.join(refused)}")
        lacking = _not_installed(wanted)
        if not lacking:
            self.tell(f"Debian packages: all {len(set(wanted))} are here")
            return
        install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *lacking]
        rights = _rights()
        if rights is None:
            self.tell("no right to install packages. Type:")
            self.tell(f"  sudo {' '.join(install)}")
            return
        self._do([*rights, *install], f"installing from Debian: {' '.join(lacking)}")

    def _rpy2(self, r_version: str) -> None:
        if not installation.rpy2_problem(r_version):
            self.tell("rpy2: is here, and works with this R")
            return
        requirement = installation.rpy2_requirement(r_version)
        # The mode that needs no compiler.
        install = ["env", "RPY2_CFFI_MODE=ABI", find_uv_bin(), "pip", "install", "-q", "--python"]
        self._do(
            [*install, sys.executable, requirement], f"installing {requirement} for R {r_version}"
        )

    def _packages(self) -> None:
        """Install the R packages that are still missing from CRAN, into the private library."""
        wanted = {
            name: facts
            for facts in self.extractors
            for name in (
                facts.r.cran
                if self._from_debian()
                else [Requirement(text).name for text in facts.requires]
            )
        }
        lacking = self._lacking(wanted)
        if not lacking:
            if wanted:
                self.tell(f"R packages: all {len(wanted)} are here")
            return
        if not self.cran:
            self.tell(f"left out, since it comes from CRAN: {', '.join(lacking)}")
            return
        mirror = self.mirror or installation.first_mirror()
        reason = _unreachable(mirror)
        if reason:
            self.tell(f"CRAN ({mirror}) cannot be reached: {reason}")
            self.tell(f"not installed: {', '.join(lacking)}")
            return
        if self._from_debian():
            # As binaries, so that CRAN has less to send and nothing to compile.
            self._debian((), {wanted[name].name: wanted[name] for name in lacking}.values())
        library = installation.private_library()
        if not self.dry_run:
            library.mkdir(parents=True, exist_ok=True)
        script = ["Rscript", "--vanilla", "-e", _INSTALL, str(library), mirror, *lacking]
        self._do(script, f"installing from CRAN into {library}: {', '.join(lacking)}")
        if not self.dry_run and (still := self._lacking(lacking)):
            self.tell(f"CRAN did not give us {', '.join(still)} (see above)")

    @staticmethod
    def _lacking(packages: Iterable[str]) -> list[str]:
        r = installation.find()
        return sorted(p for p in set(packages) if r is None or r.version_of(p) is None)

    def _do(self, command: Sequence[str], what: str) -> None:
        """Say what is done, do it with its output shown, and say so if it fails."""
        self.tell(what)
        if self.dry_run:
            self.tell("  " + " ".join("…" if "\n" in word else word for word in command))
            return
        environment = {**installation.environment(), "DEBIAN_FRONTEND": "noninteractive"}
        del environment["R_DEFAULT_PACKAGES"]
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False
        )
        if done.returncode:
            self.tell(f"that failed with status {done.returncode}")


def _rights() -> list[str] | None:
    """Return what to put before a command to run it as root without being asked; None if nothing."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and _succeeds(["sudo", "-n", "true"]):
        return ["sudo", "-n"]
    return None


def _knows(packages: Iterable[str]) -> bool:
    """Whether apt would install these now."""
    return _succeeds(["apt-get", "install", "-s", "-q", "--no-install-recommends", *packages])


def _not_installed(packages: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(packages))
    if not wanted:
        return []
    ask = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *wanted]
    done = subprocess.run(ask, capture_output=True, text=True, check=False)
    here = {line.split()[0] for line in done.stdout.splitlines() if line.endswith(" installed")}
    return [package for package in wanted if package not in here]


def _succeeds(command: Sequence[str]) -> bool:
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=120
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _elsewhere() -> str:
    return next((command for tool, command in _ELSEWHERE if shutil.which(tool)), _BY_HAND)


def _unreachable(mirror: str) -> str:
    """Return why a CRAN mirror cannot be reached, empty when it can."""
    address = f"{mirror.rstrip('/')}/src/contrib/PACKAGES.gz"
    request = urllib.request.Request(address, method="HEAD")  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=_REACH_S):  # noqa: S310
            return ""
    except urllib.error.HTTPError as error:
        return f"it answers {error.code}"
    except (OSError, ValueError) as error:
        return str(getattr(error, "reason", error)) or type(error).__name__
