"""Wheels of a tiny package, made here, so that environments are made without a package index."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

PACKAGE = "benchtiny"
GOOD = "def text(html):\n    return html.split('<article>')[1].split('</article>')[0]\n"
"""Code of a release that finds what the pages of these tests have for gold."""


def wheel(
    folder: Path,
    version: str,
    code: str = GOOD,
    *,
    name: str = PACKAGE,
    requires: Sequence[str] = (),
) -> Path:
    """Write a wheel of one module (PEP 427) and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files = {
        f"{name}.py": code,
        f"{facts}/METADATA": metadata + "".join(f"Requires-Dist: {each}\n" for each in requires),
        f"{facts}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = [f"{path},{_hash(text)},{len(text.encode())}" for path, text in files.items()]
    files[f"{facts}/RECORD"] = "\n".join([*record, f"{facts}/RECORD,,"]) + "\n"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        for each, text in files.items():
            file.writestr(each, text)
    return path


def adapter(folder: Path, *, requires: Sequence[str] = (PACKAGE,), python: str = "") -> Path:
    """Write an adapter of the package and return its path."""
    path = folder / "tiny.py"
    path.write_text(
        f'''"""Tiny: returns what its package finds."""

from bench.extractor import Extractor


class Tiny(Extractor):
    """Returns what its package finds."""

    name = "tiny"
    requires = {tuple(requires)!r}
    python = {python!r}

    def load(self, **settings):
        import {PACKAGE}

        self._text = {PACKAGE}.text

    def extract(self, html, url):
        return self._text(html)
''',
        encoding="utf-8",
    )
    return path


def offline(folder: Path) -> dict[str, str]:
    """Return the variables that have uv find packages in a folder and nowhere else."""
    return {"UV_FIND_LINKS": str(folder), "UV_OFFLINE": "1", "BENCH_NO_BUILD": ""}


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
