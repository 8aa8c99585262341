"""``bench setup r``: what it would do stands in what it prints, and it never hangs."""

from __future__ import annotations

import shutil
import time
from importlib import metadata
from pathlib import Path

import pytest

from bench.adapters.answers import Unknown
from bench.adapters.r import describe as adapters
from bench.adapters.r import installation, setup
from bench.model import ExtractorFacts, RFacts
from tests.conftest import BenchCli

NOWHERE = "http://127.0.0.1:9"
DEBIAN = shutil.which("apt-get") is not None


@pytest.fixture
def without_r(tmp_path: Path) -> dict[str, str]:
    """Return an environment with a PATH that has no R and no package manager."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("env", "sh"):
        (folder / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    return {"PATH": str(folder)}


def test_without_r_and_without_debian_it_says_what_to_type(
    bench_cli: BenchCli, without_r: dict[str, str]
) -> None:
    done = bench_cli("setup", "r", "--no-cran", env=without_r)
    assert done.returncode == 1
    assert "R is not installed. To install it, type: install R with" in done.stderr
    assert "not ready: " in done.stdout
    assert "Traceback" not in done.stderr
    again = bench_cli("setup", "r", "--no-cran", "--if-possible", env=without_r)
    assert again.returncode == 0
    assert again.stderr == done.stderr


@pytest.mark.skipif(not DEBIAN, reason="this is no Debian")
def test_without_rights_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_rights", lambda: None)
    monkeypatch.setattr(setup, "_knows", lambda packages: True)
    told: list[str] = []
    toy = ExtractorFacts("toy", r=RFacts(debian=("r-cran-no-such-package",)))
    setup.Setup([toy], told.append, cran=False, dry_run=True)._debian((), [toy])
    assert told[-1] == (
        "  sudo apt-get install -y -q --no-install-recommends r-cran-no-such-package"
    )


@pytest.mark.skipif(not DEBIAN, reason="this is no Debian")
def test_what_debian_has_not_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_rights", lambda: None)
    told: list[str] = []
    toy = ExtractorFacts("toy", r=RFacts(debian=("r-cran-no-such-package",)))
    setup.Setup([toy], told.append, dry_run=True)._debian(("coreutils",), [toy])
    assert told[0] == "this distribution has not what these need: toy (r-cran-no-such-package)"
    assert len(told) == 2


def test_cran_out_of_reach_is_one_line_and_quick() -> None:
    try:
        r = installation.find()
    except Unknown as error:
        pytest.skip(str(error))
    if r is None:
        pytest.skip("R is not installed")
    toy = ExtractorFacts("toy", requires=("nosuchtoy",), r=RFacts(cran=("nosuchtoy",)))
    told: list[str] = []
    before = time.monotonic()
    setup.Setup([toy], told.append, mirror=NOWHERE)._packages()
    assert time.monotonic() - before < 15
    assert len(told) == 2
    assert told[0].startswith(f"CRAN ({NOWHERE}) cannot be reached: ")
    assert told[1] == "not installed: nosuchtoy"


def test_a_dry_run_does_nothing(bench_cli: BenchCli, bench_home: Path) -> None:
    done = bench_cli("setup", "r", "--dry-run", "--mirror", NOWHERE, env={"R_LIBS": ""})
    assert done.returncode == 0, done.stderr
    assert done.stderr
    assert not (bench_home / "r-library").exists()


def test_an_unknown_name_is_a_wrong_word(bench_cli: BenchCli) -> None:
    done = bench_cli("setup", "r", "nosuch")
    assert done.returncode == 2
    assert "no R extractor is called 'nosuch'" in done.stderr


def test_help_has_examples(bench_cli: BenchCli) -> None:
    assert "Examples: bench setup r" in bench_cli("setup", "r", "--help").stdout
    assert "Examples: bench setup r" in bench_cli("setup", "--help").stdout


@pytest.mark.parametrize(
    ("r", "wanted"),
    [
        ("4.2.2", "rpy2-rinterface==3.6.5"),
        ("4.4.3", "rpy2-rinterface==3.6.5"),
        ("4.5.0", "rpy2-rinterface>=3.6.5"),
        ("5.0.0", "rpy2-rinterface>=3.6.5"),
    ],
)
def test_rpy2_goes_with_the_r_found(r: str, wanted: str) -> None:
    assert installation.rpy2_requirement(r) == wanted


def test_a_newer_rpy2_is_a_problem_with_an_old_r(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "3.6.7")
    assert installation.rpy2_problem("4.2.2") == "rpy2-rinterface 3.6.7 does not work with R 4.2.2"
    assert installation.rpy2_problem("4.5.1") == ""


def test_the_smallest_set_is_small() -> None:
    """What a plain run installs from Debian: no recommends, nothing for what only CRAN has."""
    wanted = set(setup.DEBIAN_BASE)
    for path in adapters.files():
        needed = adapters.read(path).r
        if not needed.cran:
            wanted.update(needed.debian)
    assert wanted == {
        "r-base-core", "make", "r-cran-rvest", "r-cran-xml", "r-cran-rjava", "libboilerpipe-java",
        "default-jre-headless",
    }  # fmt: skip
