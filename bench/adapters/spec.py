"""What an environment must hold: the part of an adapter that says so, as data with a key."""

import hashlib
import json
import platform
import sys
from dataclasses import asdict, dataclass

_FORMAT = 2
"""Goes up whenever environments of old are no longer what this code would make."""


@dataclass(frozen=True)
class Spec:
    """Requirements and how to install them. Each word is as pip writes it."""

    requires: tuple[str, ...]
    python: str = ""
    """Versions of Python that will do (PEP 440); empty: the one that runs bench."""
    overrides: tuple[str, ...] = ()
    """Requirements that replace what a package asks for."""
    build_requires: tuple[str, ...] = ()
    """Installed first; packages are then built with these, not each with its own."""
    environ: tuple[tuple[str, str], ...] = ()
    """Variables for the builds."""
    content: str = ""
    """Hash of a checkout that the first requirement points to."""

    @property
    def key(self) -> str:
        """Hash of all that the environment's content depends on."""
        facts = [_FORMAT, asdict(self), self.wanted_python, sys.platform, platform.machine()]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]

    @property
    def wanted_python(self) -> str:
        """The Python to ask for: a specifier, or the version that runs bench."""
        return self.python or ".".join(map(str, sys.version_info[:2]))
