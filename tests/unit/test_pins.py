"""``NAME@WORD``: what each word means, and what is refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from bench.adapters.environments import pins
from bench.model import UsageError
from tests import wheels
from tests.conftest import BenchCli, FolderGold
from tests.wheels import PACKAGE


def test_a_version_is_that_release(tmp_path: Path) -> None:
    assert pins.pin(f"{PACKAGE}>=1", "1.12.2", here=tmp_path)[0] == f"{PACKAGE}==1.12.2"
    assert pins.pin(f"{PACKAGE}[b,a]>=1", "2", here=tmp_path)[0] == f"{PACKAGE}[a,b]==2"


def test_latest_is_the_newest_that_the_index_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("1.9", "1.10", "1.2"):
        wheels.wheel(tmp_path / "house", version)
    for name, value in wheels.offline(tmp_path / "house").items():
        monkeypatch.setenv(name, value)
    assert pins.pin(f"{PACKAGE}<1.5", "latest", here=tmp_path)[0] == f"{PACKAGE}==1.10"
    with pytest.raises(UsageError, match="@latest"):
        pins.pin("no-such-thing-anywhere", "latest", here=tmp_path)


def test_a_wheel_is_known_by_its_content(tmp_path: Path) -> None:
    wheel = wheels.wheel(tmp_path, "1.0")
    first = pins.pin(PACKAGE, f"./{wheel.name}", here=tmp_path)
    assert first[0] == f"{PACKAGE} @ {wheel.as_uri()}"
    assert first[1] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    wheels.wheel(tmp_path, "1.0", "def text(html):\n    return ''\n")
    assert pins.pin(PACKAGE, str(wheel), here=tmp_path / "elsewhere")[1] != first[1]


def test_a_checkout_is_known_by_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "checkout"
    (folder / ".git").mkdir(parents=True)
    for name in ("pyproject.toml", "code.py"):
        (folder / name).write_text("")
    first = pins.pin(PACKAGE, "./checkout", here=tmp_path)
    assert first[0] == f"{PACKAGE} @ {folder.as_uri()}"
    (folder / ".git" / "index").write_text("changes all the time")
    assert pins.pin(PACKAGE, "./checkout", here=tmp_path) == first
    for name in ("code.egg-info/PKG-INFO", "build/lib/code.py", "results/1/manifest.json"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("left by an installation, or a run")
    assert pins.pin(PACKAGE, "./checkout", here=tmp_path) == first
    (folder / "reports").mkdir()
    (folder / "reports" / "__init__.py").write_text("part of the package")
    assert pins.pin(PACKAGE, "./checkout", here=tmp_path)[1] != first[1]
    (folder / "code.py").write_text("x = 1")
    edited = pins.pin(PACKAGE, "./checkout", here=tmp_path)
    assert edited[1] != first[1]
    (folder / "code.py").rename(folder / "other.py")
    assert pins.pin(PACKAGE, "./checkout", here=tmp_path)[1] not in (
        first[1],
        edited[1],
    )


@pytest.mark.parametrize("word", ["newest", "1..2", ">=1", "=1", "./nowhere", "/no/such.whl", "."])
def test_other_words_are_refused_in_one_line(tmp_path: Path, word: str) -> None:
    with pytest.raises(UsageError) as refused:
        pins.pin(PACKAGE, word, here=tmp_path)
    assert str(refused.value).startswith(f"@{word}: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["everything@1.0", "everything@"])
def test_a_row_without_a_package_takes_no_version(
    bench_cli: BenchCli, folder_gold: FolderGold, name: str
) -> None:
    done = bench_cli("run", name, "--gold", f"folder:{folder_gold()}")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_wheel_on_this_machine_runs_and_runs_again_when_it_changed(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold = f"folder:{folder_gold()}"
    path = tmp_path / "house" / f"{PACKAGE}-1.0-py3-none-any.whl"
    words = ("run", f"tiny@{path}", "--adapter", wheels.adapter(tmp_path), "--gold", gold, "-q")
    boards = []
    for code in (wheels.GOOD, "def text(html):\n    return 'nothing like it at all'\n"):
        wheels.wheel(path.parent, "1.0", code)
        done = bench_cli(*words, "--json", env=wheels.offline(path.parent))
        assert done.returncode == 0, done.stderr
        boards.append(json.loads(done.stdout))
    good, bad = (each["extractors"][0]["f1"]["value"] for each in boards)
    assert good > 0.5 > bad
    assert [each["extractors"][0]["version"] for each in boards] == ["1.0", "1.0"]
