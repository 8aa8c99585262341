"""Environments of node's packages: what the lock file says or nothing, sealed, no scripts run."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from bench.adapters.environments import cache, npm
from bench.adapters.environments.build import BuildFailed
from bench.adapters.environments.npm import NpmSpec
from tests.conftest import ROOT

needs_npm = pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("npm")), reason="node and npm are not here"
)
SHIPPED = ROOT / "extractors" / "js"


@pytest.fixture
def greeter(tmp_path: Path) -> Path:
    """A folder whose one dependency is an archive beside it, with a script to run on installing."""
    return folder(tmp_path / "greeter")


def folder(path: Path, *, engines: str = "*") -> Path:
    path.mkdir()
    package = {
        "name": "greeting",
        "version": "1.2.3",
        "scripts": {"postinstall": f"touch {path / 'ran'}"},
    }
    with tarfile.open(path / "greeting.tgz", "w:gz") as archive:
        for name, text in (
            ("package.json", json.dumps(package)),
            ("index.js", "module.exports = 'hi'"),
        ):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    manifest = {
        "name": "greeter",
        "engines": {"node": engines},
        "dependencies": {"greeting": f"file:{path / 'greeting.tgz'}"},
    }
    (path / "package.json").write_text(json.dumps(manifest))
    words = ["npm", "install", "--package-lock-only", "--ignore-scripts", "--offline", "--no-audit"]
    subprocess.run(words, cwd=path, check=True, capture_output=True)
    return path


@needs_npm
def test_built_found_and_usable(greeter: Path) -> None:
    spec = npm.read(greeter)
    assert cache.find(spec) is None
    built = cache.get(spec)
    assert dict(built.packages) == {"greeting": "1.2.3", "node": npm.node_version()}
    assert built.requires == ("greeter",)
    assert built.size_bytes > 0
    assert cache.find(spec) == built
    said = subprocess.run(
        ["node", "-p", "require('greeting')"],
        cwd=built.path / "env",
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "hi"
    assert not (greeter / "ran").exists(), "a package's own script ran"


@needs_npm
@pytest.mark.parametrize("harm", ["edited", "added", "removed", "facts"])
def test_damaged_is_noticed_and_made_again(greeter: Path, harm: str) -> None:
    spec = npm.read(greeter)
    built = cache.get(spec)
    module = built.path / "env" / "node_modules" / "greeting" / "index.js"
    if harm == "edited":
        module.write_text("module.exports = 'ho'")
    elif harm == "added":
        module.with_name("more.js").touch()
    elif harm == "removed":
        module.unlink()
    else:
        (built.path / "bench-env.json").write_text('{"key"')
    assert cache.find(spec) is None
    again = cache.get(spec)
    assert again.key == built.key
    assert module.read_text() == "module.exports = 'hi'"
    assert not module.with_name("more.js").exists()


@needs_npm
def test_a_lock_that_does_not_fit_is_refused(greeter: Path) -> None:
    manifest = greeter / npm.MANIFEST
    manifest.write_text(manifest.read_text().replace('"greeting"', '"parting"'))
    spec = npm.read(greeter)
    with pytest.raises(BuildFailed, match=r"in sync.* Missing: parting") as failed:
        cache.get(spec)
    assert "\n" not in failed.value.reason
    assert "Usage" not in failed.value.reason
    assert npm.LOCK in failed.value.remedy
    assert not (cache.folder() / spec.key).exists()


@needs_npm
def test_a_node_that_is_too_old_is_named(tmp_path: Path) -> None:
    spec = npm.read(folder(tmp_path / "young", engines=">=99"))
    with pytest.raises(BuildFailed, match="EBADENGINE") as failed:
        cache.get(spec)
    assert failed.value.remedy == npm.REMEDY


@needs_npm
def test_key_is_of_the_content(greeter: Path, tmp_path: Path) -> None:
    spec = npm.read(greeter)
    copy = Path(shutil.copytree(greeter, tmp_path / "copy"))
    assert npm.read(copy).key == spec.key
    assert NpmSpec(spec.requires, manifest=spec.manifest, lock=spec.lock + " ").key != spec.key
    assert NpmSpec(spec.requires, manifest=spec.manifest + " ", lock=spec.lock).key != spec.key


def test_without_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildFailed, match="node is not on the PATH") as failed:
        cache.get(npm.read(SHIPPED))
    assert failed.value.remedy == npm.REMEDY


@pytest.mark.parametrize("text", [None, "{", "[]", "{}"])
def test_a_lock_that_cannot_be_read(tmp_path: Path, text: str | None) -> None:
    shutil.copy(SHIPPED / npm.MANIFEST, tmp_path)
    if text is not None:
        (tmp_path / npm.LOCK).write_text(text)
    with pytest.raises(ValueError, match=npm.LOCK):
        npm.read(tmp_path)


def test_the_shipped_lock_is_whole_and_names_no_place() -> None:
    spec = npm.read(SHIPPED)
    wanted = json.loads(spec.manifest)["dependencies"]
    assert {name: spec.packages[name] for name in wanted} == wanted
    for path, facts in json.loads(spec.lock)["packages"].items():
        if path and not facts.get("inBundle"):  # that comes with the archive around it
            assert facts["integrity"].startswith("sha512-"), path
            assert "resolved" not in facts, path
    assert "registry" not in spec.lock
