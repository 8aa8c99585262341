"""Asks package indexes for releases: those of Python's packages as PEP 691 has them, node's by npm.

Which index is asked is what uv's and pip's own settings say.
"""

import configparser
import contextlib
import html
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import urllib3
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from packaging.version import Version

from bench.adapters.adapter import Adapter
from bench.adapters.environments import npm, uv
from bench.adapters.released import Released
from bench.model import BenchError
from bench.util import https
from bench.util.https import Again, Patience
from bench.util.progress import SILENT, Progress

_JSON_OR_HTML = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
_PATIENCE = Patience(connect_s=10.0, read_s=10.0, total_s=30.0)
_ANSWER_BYTES = 32 << 20
"""Packages with thousands of files have answers of some MiB."""
_CHUNK_BYTES = 1 << 20
_PARALLEL = 8
_PIP_FILES = ("/etc/pip.conf", "~/.pip/pip.conf", "~/.config/pip/pip.conf", "{prefix}/pip.conf")
_LINK = re.compile(r"<a\b([^>]*)>([^<]*)</a>", re.IGNORECASE)
_ADMITTED = re.compile(r"""data-requires-python=["']([^"']*)["']""", re.IGNORECASE)
_NPM_IS_SHORT = ("--fetch-retries=1", "--fetch-timeout=10000")


@dataclass(frozen=True)
class Release:
    """One final release of a Python package, as an index lists it."""

    version: Version
    day: str | None
    """Day on which its first file was uploaded (UTC); None where the index tells no days."""
    fits: bool
    """Whether it is for the Python that runs bench."""


def ask(
    adapters: Collection[Adapter], progress: Progress = SILENT
) -> tuple[dict[str, Released], dict[str, str]]:
    """Ask for the packages of some adapters; return releases by adapter, failures by package."""
    packages = {adapter.name: adapter.package for adapter in adapters}
    wanted = sorted({name for name in packages.values() if name.startswith(("python:", "npm:"))})
    progress.start("asking package indexes", len(wanted))

    def last(package: str) -> Released | str:
        try:
            return _last(package)
        except BenchError as error:
            return " ".join(str(error).split())[:300]
        finally:
            progress.advance()

    with ThreadPoolExecutor(_PARALLEL) as pool:
        answers = dict(zip(wanted, pool.map(last, wanted), strict=True))
    answers_by_adapter = {name: answers.get(package) for name, package in packages.items()}
    return (
        {
            name: answer
            for name, answer in answers_by_adapter.items()
            if isinstance(answer, Released)
        },
        {package: answer for package, answer in answers.items() if isinstance(answer, str)},
    )


def _last(package: str) -> Released:
    """Return the last release of ``python:NAME`` or ``npm:NAME``. Raises ``BenchError``."""
    kind, _, name = package.partition(":")
    if kind == "npm":
        version, day = _of_npm(name)
    else:
        last = releases(name)[-1]
        version, day = str(last.version), last.day
    try:
        return Released(package, version, day, datetime.now(UTC).date().isoformat())
    except (ValueError, TypeError) as error:
        raise BenchError(f"{kind}'s answer cannot be read: {error}") from error


# -- Python -----------------------------------------------------------------------------------


def releases(package: str) -> list[Release]:
    """Return a package's final releases that were not withdrawn, oldest first.

    Raises ``BenchError`` where no index can be asked, or none has the package.
    """
    wanted = canonicalize_name(package)
    files = [{"filename": path.name} for path in _local_files()]
    failure = "no package index may be asked"
    for index in _indexes():
        try:
            files += _files(index, wanted)
            failure = "the package index has none"
        except (BenchError, Again) as error:
            failure = str(error)
    by_version: dict[Version, list[Any]] = {}
    for file in files:
        with contextlib.suppress(ValueError, LookupError, TypeError, AttributeError):
            name, version = _parsed(file["filename"])
            if name == wanted and not version.is_prerelease and not file.get("yanked"):
                by_version.setdefault(version, []).append(file)
    if not by_version:
        raise BenchError(f"no releases of {package}: {failure}")
    return [
        Release(
            version,
            min(filter(None, (_day(file.get("upload-time")) for file in own)), default=None),
            any(_fits(file.get("requires-python")) for file in own),
        )
        for version, own in sorted(by_version.items())
    ]


def newest_of_each_minor(versions: Sequence[Version]) -> list[Version]:
    """Return the newest of the versions that share their first two numbers, oldest first."""
    return sorted({(v.epoch, v.major, v.minor): v for v in sorted(versions)}.values())


def _files(index: str, name: str) -> list[Any]:
    """Return what an index says of a package's files. Raises ``BenchError``, ``Again``."""
    parts = urllib.parse.urlsplit(index)
    user, _, place = parts.netloc.rpartition("@")
    secret = urllib3.make_headers(basic_auth=urllib.parse.unquote(user)) if user else {}
    address = parts._replace(netloc=place, path=f"{parts.path.rstrip('/')}/{name}/").geturl()
    end = time.monotonic() + _PATIENCE.total_s
    data = b""
    with contextlib.closing(
        https.get(address, {"Accept": _JSON_OR_HTML, **secret}, _PATIENCE)
    ) as response:
        if response.status != 200:
            raise BenchError(f"{place} answers {response.status} for {name}")
        while chunk := response.read(_CHUNK_BYTES):
            data += chunk
            if len(data) > _ANSWER_BYTES or time.monotonic() > end:
                raise BenchError(f"{place} sends too much, or too slowly, for {name}")
    try:
        if "html" in response.headers.get("Content-Type", ""):
            return _links(data.decode("utf-8"))
        return list(json.loads(data)["files"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise BenchError(f"{place} answers with no list of files (PEP 691)") from error


def _links(page: str) -> list[dict[str, Any]]:
    """Return the files of an index that has only pages for people (PEP 503)."""
    return [
        {
            "filename": html.unescape(text).strip(),
            "yanked": "data-yanked" in attributes,
            "requires-python": html.unescape("".join(_ADMITTED.findall(attributes))),
        }
        for attributes, text in _LINK.findall(page)
    ]


def _indexes() -> list[str]:
    """Return the addresses of the indexes that uv's and pip's settings say."""
    if os.environ.get("UV_OFFLINE") or _setting("no-index", "UV_NO_INDEX"):
        return []
    first = _setting("index-url", "UV_DEFAULT_INDEX", "UV_INDEX_URL") or [_of_uv()]
    more = _setting("extra-index-url", "UV_INDEX", "UV_EXTRA_INDEX_URL")
    words = [re.sub(r"^[\w-]+=", "", word) for word in (*first, *more)]  # uv's may have names
    return [word for word in words if word.startswith("http")]


def _of_uv() -> str:
    """Return the index that uv asks where nobody has set another; its help names it."""
    named = re.search(r"https://[^\s>]+/simple", uv.run(["help", "pip", "install"]))
    return named.group() if named else ""


def _local_files() -> Iterator[Path]:
    for place in _setting("find-links", "UV_FIND_LINKS"):
        folder = Path(urllib.parse.urlsplit(place).path if place.startswith("file:") else place)
        with contextlib.suppress(OSError):
            yield from folder.iterdir()


def _setting(pip: str, *uv: str) -> list[str]:
    """Return the words of a setting: of the first environment variable that is set, or pip's files."""
    for name in (*uv, f"PIP_{pip.upper().replace('-', '_')}"):
        if name in os.environ:
            return re.split(r"[\s,]+", os.environ[name].strip())
    files = configparser.RawConfigParser()
    names = [*_PIP_FILES, os.environ.get("PIP_CONFIG_FILE", "")]
    with contextlib.suppress(configparser.Error, UnicodeDecodeError):
        files.read([Path(name.format(prefix=sys.prefix)).expanduser() for name in names if name])
    return files.get("global", pip, fallback="").split()


def _parsed(filename: str) -> tuple[str, Version]:
    """Return name and version in a file's name. Raises ``ValueError``."""
    if filename.endswith(".whl"):
        return parse_wheel_filename(filename)[:2]
    return parse_sdist_filename(filename)


def _fits(requires_python: str | None) -> bool:
    try:
        return SpecifierSet(requires_python or "").contains(platform.python_version())
    except InvalidSpecifier:
        return True


# -- npm ----------------------------------------------------------------------------------------


def _of_npm(name: str) -> tuple[str, str | None]:
    """Return what npm calls the latest version of a package, and its day. Raises ``BenchError``."""
    program = shutil.which("npm")
    if program is None:
        raise BenchError("npm is not on the PATH")
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            done = subprocess.run(
                [program, "view", name, "version", "time", "--json", *_NPM_IS_SHORT],
                cwd=folder,
                env=npm.environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE.total_s,
                check=True,
            )
        facts = json.loads(done.stdout[:_ANSWER_BYTES])
        version, times = facts["version"], facts.get("time")
        # A mirror without the registry's own record gives times at which it fetched each version.
        is_record = isinstance(times, Mapping) and "created" in times
        return version, _day(times.get(version)) if is_record else None
    except (OSError, subprocess.SubprocessError) as error:
        raise BenchError(f"npm could not be asked: {error}") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BenchError("npm's answer cannot be read") from error


def _day(moment: object) -> str | None:
    """Return the day that a moment such as ``2026-01-31T12:00:00Z`` begins with."""
    try:
        return date.fromisoformat(str(moment).strip()[:10]).isoformat()
    except ValueError:
        return None
