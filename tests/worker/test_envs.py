"""Environments: made once, whole or not there, each with its own packages and no others."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.adapters.environments import cache
from bench.adapters.environments.build import BuildFailed
from bench.adapters.environments.cache import Environment
from bench.adapters.spec import Spec
from bench.report import sentences
from bench.runs.store import runs
from bench.scoring.leaderboard import Leaderboard, Missing
from bench.util.locks import locked
from tests import commands, wheels
from tests.conftest import BenchCli, FolderGold
from tests.wheels import PACKAGE

SPEC = Spec((f"{PACKAGE}==1.0",))


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of wheels, the only place where uv looks."""
    folder = tmp_path / "wheels"
    wheels.wheel(folder, "1.0")
    for name, value in wheels.offline(folder).items():
        monkeypatch.setenv(name, value)
    return folder


def imported(environment: Environment) -> Path:
    """Return the installed module's file."""
    (path,) = (environment.path / "env").glob(f"lib/*/site-packages/{PACKAGE}.py")
    return path


def test_an_environment_holds_what_was_asked_and_nothing_else(house: Path) -> None:
    found = cache.get(SPEC)
    assert found.packages == {PACKAGE: "1.0"}
    assert found.lock.strip() == f"{PACKAGE}==1.0"
    said = subprocess.run(
        [found.python, "-c", f"import sys, {PACKAGE}; print({PACKAGE}.__file__, *sys.path[1:])"],
        capture_output=True, text=True, check=True, env={"PYTHONPATH": ""},
    ).stdout.split()  # fmt: skip
    assert Path(said[0]) == imported(found)
    site = [each for each in said[1:] if "site-packages" in each]
    assert [Path(each) for each in site] == [imported(found).parent]
    assert cache.find(SPEC) == cache.get(SPEC) == found
    # Files are copies: what happens to them stays here.
    assert imported(found).stat().st_nlink == 1


def test_using_an_environment_leaves_it_whole(house: Path) -> None:
    found = cache.get(SPEC)
    subprocess.run([found.python, "-c", f"import {PACKAGE}"], check=True)
    assert cache.find(SPEC) == found


def test_what_two_environments_hold_is_compiled_once(house: Path) -> None:
    """Byte code has the path of where it was compiled: equal bytes were compiled once."""
    wheels.wheel(house, "1.0", name="benchtwin")
    twin = Spec(("benchtwin==1.0",))
    environments = dict(cache.get_all([SPEC, twin]))
    codes = []
    for spec, module in ((SPEC, PACKAGE), (twin, "benchtwin")):
        environment = environments[spec]
        assert isinstance(environment, Environment)
        (path,) = environment.path.glob(f"env/lib/*/site-packages/__pycache__/{module}.*.pyc")
        codes.append(path.read_bytes())
        code = f"import {module} as module; print(module.text.__code__.co_filename)"
        words = [environment.python, "-v", "-c", code]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(path.parents[1] / f"{module}.py")
        assert f"code object from '{path}'" in done.stderr  # not compiled again
    assert codes[0] == codes[1]


def _truncate(found: Environment) -> None:
    path = imported(found)
    path.write_bytes(path.read_bytes()[:10])


def _edit(found: Environment) -> None:
    path = imported(found)
    path.write_text(path.read_text().replace("article", "elcitra"))  # of the same length


def _edit_in_secret(found: Environment) -> None:
    before = imported(found).stat()
    _edit(found)
    os.utime(imported(found), ns=(before.st_atime_ns, before.st_mtime_ns))


def _edit_compiled(found: Environment) -> None:
    (path,) = (imported(found).parent / "__pycache__").glob(f"{PACKAGE}.*.pyc")
    path.write_bytes(path.read_bytes().replace(b"article", b"elcitra"))


def _remove(found: Environment) -> None:
    imported(found).unlink()


def _add(found: Environment) -> None:
    (imported(found).parent / "numpy.py").write_text("")


def _tear(found: Environment) -> None:
    facts = found.path / "bench-env.json"
    facts.write_text(facts.read_text()[:50])


def _forget(found: Environment) -> None:
    facts = found.path / "bench-env.json"
    forgotten = {"packages": None, "seal": 1, "content": 1}
    facts.write_text(json.dumps({**json.loads(facts.read_text()), **forgotten}))


@pytest.mark.parametrize(
    "poison", [_truncate, _edit, _edit_in_secret, _edit_compiled, _remove, _add, _tear, _forget]
)
def test_a_poisoned_environment_is_noticed_and_made_again(
    house: Path, poison: Callable[[Environment], None]
) -> None:
    found = cache.get(SPEC)
    poison(found)
    assert cache.find(SPEC) is None
    (place,) = cache.places()
    assert place.environment is None
    again = cache.get(SPEC)
    assert imported(again).read_text() == wheels.GOOD
    assert cache.find(SPEC) == again


def test_an_environment_whose_files_were_copied_is_whole(house: Path) -> None:
    """As those that a CI's cache brings back: their content is the same, their times are not."""
    found = cache.get(SPEC)
    shutil.copytree(found.path, found.path.with_name("copy"), symlinks=True)
    shutil.rmtree(found.path)
    found.path.with_name("copy").rename(found.path)
    assert cache.find(SPEC) == cache.find(SPEC) == found


def test_a_home_that_cannot_be_written_is_one_line(
    house: Path, bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    """Below a file nobody can write, not even root."""
    (tmp_path / "file").write_text("")
    home = {"BENCH_HOME": str(tmp_path / "file" / "home")}
    words = ("run", "tiny@1.0", "--adapter", wheels.adapter(tmp_path), "--quiet")
    gold = ("--gold", f"folder:{folder_gold()}")
    done = bench_cli(*words, *gold, env={**wheels.offline(house), **home})
    assert done.returncode == 1
    *_, line = done.stderr.strip().splitlines()
    assert line.startswith("bench: ")
    assert "cannot be written (Not a directory)" in line
    assert "Traceback" not in done.stderr


def test_an_environment_that_was_half_made_is_made(house: Path) -> None:
    place = cache.folder() / SPEC.key
    (place / "env" / "bin").mkdir(parents=True)
    assert cache.find(SPEC) is None
    assert cache.get(SPEC).packages == {PACKAGE: "1.0"}


def test_two_processes_make_one(house: Path, bench_home: Path) -> None:
    code = (
        "from bench.adapters.environments import cache; "
        "from bench.adapters.spec import Spec; "
        f"spec = Spec(({PACKAGE + '==1.0'!r},)); "
        "print(cache.get(spec).python, cache.get(spec).seconds)"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [each.communicate(timeout=120)[0] for each in both]
    assert [each.returncode for each in both] == [0, 0]
    assert said[0] == said[1]
    assert len(cache.places()) == 1


def test_who_waits_for_another_process_can_be_stopped(house: Path) -> None:
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from bench.adapters.environments import cache; "
        "from bench.adapters.spec import Spec; "
        f"print('waiting', flush=True); cache.get(Spec(({PACKAGE + '==1.0'!r},)))"
    )
    with locked((cache.folder() / SPEC.key).with_suffix(".lock")):
        words = [sys.executable, "-c", code]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(words, text=True, **pipes) as waiting:
            try:
                assert waiting.stdout is not None
                assert waiting.stdout.readline() == "waiting\n"
                time.sleep(0.5)
                waiting.send_signal(signal.SIGINT)
                assert "KeyboardInterrupt" in waiting.communicate(timeout=20)[1]
            finally:
                waiting.kill()


def test_what_cannot_be_resolved_says_why(house: Path) -> None:
    wrong = Spec((f"{PACKAGE}==9",))
    found = dict(cache.get_all([SPEC, wrong]))
    made, failed = found[SPEC], found[wrong]
    assert isinstance(made, Environment)
    assert isinstance(failed, BuildFailed)
    assert f"{PACKAGE}==9" in failed.reason
    assert [each.key for each in cache.places()] == [SPEC.key]  # nothing half-made is left


def test_a_python_that_is_not_there_says_how_to_get_it(house: Path) -> None:
    with pytest.raises(BuildFailed) as failed:
        cache.get(Spec((PACKAGE,), python="==3.99.*"))
    assert "3.99" in failed.value.remedy
    assert "uv python install" in failed.value.remedy
    assert cache.places() == []


@pytest.mark.parametrize(
    "other",
    [
        Spec((f"{PACKAGE}==1.1",)),
        Spec(SPEC.requires, python=">=3.8"),
        Spec(SPEC.requires, overrides=("x==1",)),
        Spec(SPEC.requires, build_requires=("x==1",)),
        Spec(SPEC.requires, environ=(("A", "1"),)),
        Spec(SPEC.requires, content="0" * 64),
        Spec((*SPEC.requires, "lxml==5.4.0")),
    ],
)
def test_the_key_depends_on_all_that_the_content_does(other: Spec) -> None:
    assert other.key != SPEC.key
    assert Spec(SPEC.requires).key == SPEC.key


# -- through the command line -----------------------------------------------------------------


def _texts(results: Path) -> dict[str, set[str]]:
    """Return the texts of each row of the only run."""
    (run,) = runs.all_runs(results)
    cells = run.cells()
    texts = run.texts(cells["text_hash"])
    return {
        row.label: {texts[name] for name in cells[cells["row"] == row.key]["text_hash"]}
        for row in run.manifest.rows
    }


def test_environments_do_not_leak(
    bench_cli: BenchCli, folder_gold: FolderGold, house: Path, tmp_path: Path
) -> None:
    """Two releases run side by side; neither sees the main environment nor the user's own."""
    code = (
        "import importlib.util\nNAMES = ('numpy', 'click', 'of_user', 'of_path')\n"
        "def text(html):\n"
        "    seen = [n for n in NAMES if importlib.util.find_spec(n)]\n"
        "    return ' '.join(['release', VERSION, *seen])\n"
    )
    for version in ("2.0", "3.0"):
        wheels.wheel(house, version, f"VERSION = {version!r}\n{code}")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    own = tmp_path / "userbase" / "lib" / version / "site-packages"
    more = tmp_path / "more"
    for folder, name in ((own, "of_user"), (more, "of_path")):
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text("")
    done = bench_cli(
        "run", "tiny@2.0", "tiny@3.0", "--adapter", wheels.adapter(tmp_path),
        "--gold", f"folder:{folder_gold()}", "--results", tmp_path / "results", "--json",
        env={
            **wheels.offline(house),
            "PYTHONUSERBASE": str(tmp_path / "userbase"),
            "PYTHONPATH": str(more),
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for version in ("2.0", "3.0"):
        assert f"{PACKAGE}=={version}: 1 package, Python 3." in done.stderr
    assert _texts(tmp_path / "results") == {
        "tiny@2.0": {"release 2.0"},
        "tiny@3.0": {"release 3.0"},
    }
    board = json.loads(done.stdout)
    assert {each["version"] for each in board["extractors"]} == {"2.0", "3.0"}
    (run,) = runs.all_runs(tmp_path / "results")
    assert [row.packages for row in run.manifest.rows] == [
        [f"{PACKAGE}==2.0"],
        [f"{PACKAGE}==3.0"],
    ]


def test_a_build_that_fails_makes_its_row_unavailable_and_the_run_goes_on(
    bench_cli: BenchCli, folder_gold: FolderGold, house: Path, tmp_path: Path
) -> None:
    words = ("run", "tiny@9", "everything", "--adapter", wheels.adapter(tmp_path))
    done = bench_cli(
        *words, "--gold", f"folder:{folder_gold()}", "--json", "-q", env=wheels.offline(house)
    )
    assert done.returncode == 1
    board = json.loads(done.stdout)
    assert [each["label"] for each in board["extractors"]] == ["everything"]
    (missing,) = board["unavailable"]
    assert missing["label"] == "tiny@9"
    assert "its environment cannot be made" in missing["reason"]
    assert f"{PACKAGE}==9" in missing["reason"]


def test_nothing_is_built_where_that_was_ruled_out(
    bench_cli: BenchCli, folder_gold: FolderGold, house: Path, tmp_path: Path, bench_home: Path
) -> None:
    done = bench_cli(
        "run", "tiny", "everything", "--no-build", "--adapter", wheels.adapter(tmp_path),
        "--gold", f"folder:{folder_gold()}", "--json", "-q", env=wheels.offline(house),
    )  # fmt: skip
    (missing,) = json.loads(done.stdout)["unavailable"]
    assert missing["reason"] == "its environment is not built"
    assert missing["remedy"] == "bench env build tiny"
    assert not (bench_home / "envs").exists()


def test_build_list_lock_and_prune(bench_cli: BenchCli, house: Path, tmp_path: Path) -> None:
    def bench(*words: str, status: int = 0) -> str:
        chosen = ("--adapter", path)
        done = bench_cli("env", *words, *chosen, env=wheels.offline(house))
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    def listed() -> dict[str, dict[str, Any]]:
        every = json.loads(bench("list", "--json"))
        return {each["for"]: each for each in every if each["for"].startswith("tiny")}

    path = wheels.adapter(tmp_path)
    assert listed()["tiny"]["state"] == "not built"
    wheels.wheel(house, "2.0")
    said = bench("build", "tiny", "tiny@1.0", "tiny@7", status=1)
    assert "tiny: 1 package, Python 3" in said
    assert "tiny@7: " in said
    assert f"{PACKAGE}==7" in said
    assert "2 of 3 in" in said
    found = listed()
    assert {name: each["state"] for name, each in found.items()} == {
        "tiny": "whole",
        "tiny@1.0": "whole",
    }
    assert found["tiny"]["packages"] == {PACKAGE: "2.0"}
    assert f"{PACKAGE}==1.0" in bench("lock", "tiny@1.0").splitlines()
    (Path(found["tiny@1.0"]["path"]) / "env" / "pyvenv.cfg").unlink()
    assert "damaged" in bench("list")
    assert "1 environment:" in bench("prune", "--dry-run")
    assert Path(found["tiny@1.0"]["path"]).exists()
    assert "freed" in bench("prune")
    assert not Path(found["tiny@1.0"]["path"]).exists()
    assert listed()["tiny"]["state"] == "whole"
    bench("prune", "--all")
    assert listed()["tiny"]["state"] == "not built"


@pytest.mark.parametrize("words", [("build",), ("build", "--all", "nothing"), ("lock", "nothing")])
def test_a_wrong_word_is_one_line(bench_cli: BenchCli, words: tuple[str, ...]) -> None:
    done = bench_cli("env", *words)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_rows_that_share_reason_and_remedy_stand_in_one_line() -> None:
    reason = "its environment is not built"
    board = Leaderboard(
        gold={"name": "x", "title": "x", "pages": 1, "smoke": False},
        lines=[],
        missing=[
            Missing("a", reason, "bench env build a"),
            Missing("b:one", reason, "bench env build b"),
            Missing("b:two", reason, "bench env build b"),
            Missing("c@1.0", reason, "bench env build c"),
            Missing("d", "R is not installed", "bench setup r"),
        ],
    )
    assert sentences.not_run(board) == [
        ("a, b (2 variants), c@1.0", f"{reason}; fix: bench env build a b c"),
        ("d", "R is not installed; fix: bench setup r"),
    ]


def test_the_test_suite_builds_nothing_by_accident(tmp_path: Path) -> None:
    assert commands.environment(tmp_path)["BENCH_NO_BUILD"]
    assert os.environ.get("BENCH_HOME")
