"""Whole runs under attack, as root and as an ordinary user: every other row is as if alone."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from bench.runs.store import runs
from tests import commands, ordinary_user, rogues

TOP = Path(__file__).resolve().parents[2]
HONEST = ("xpath", "html_text")
PAGES = ("a", "b", "c")
BAD_PAGE, AFTER_IT = "b", "c"
CRASHES = {
    "text_for_wall", "null_for_wall", "nan", "negative", "huge", "nested", "surrogates", "no_keys",
}  # fmt: skip
"""Answers that no worker of ours gives; whatever else is tried comes to nothing."""
CLOCK = {"stops_clock", "hides_cpu"}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="walls are Linux's")


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    # Where every user may go, and no worker has its temporary files.
    with tempfile.TemporaryDirectory(prefix="attacked-", dir="/var/tmp") as folder:
        top = Path(folder)
        top.chmod(0o755)
        (top / "pages").mkdir()
        for page in PAGES:
            deed = "behave"
            if page == BAD_PAGE:
                known = (top / "pages" / f"{page}.txt", top / "home", *_results(top))
                deed = "MISBEHAVE " + " ".join(f"path={path}" for path in known)
            html = f"<html><body><p>Page {page}: {deed}.</p><p>More text</p></body></html>"
            (top / "pages" / f"{page}.html").write_text(html)
            (top / "pages" / f"{page}.txt").write_text(f"Page {page}")
        yield top


def _results(top: Path) -> list[Path]:
    return [top / f"{user}-{jobs}" for user in ("root", "user") for jobs in (1, 2)]


def cells(place: Path, user: str, jobs: int, *rows: str) -> pd.DataFrame:
    """Run rows, and return their cells by label and page."""
    results = place / (f"{user}-{jobs}" if len(rows) > len(HONEST) else "undisturbed")
    home = place / f"home-{results.name}"
    for folder in (results, home):
        folder.mkdir()
    words = [
        sys.executable, "-m", "bench.cli.main", "run", *rows, "--gold", f"folder:{place / 'pages'}",
        "--adapter", str(TOP / "tests" / "rogues" / "cheats.py"), "--jobs", str(jobs),
        "--results", str(results), "--reports", str(home / "reports"), "--quiet",
    ]  # fmt: skip
    if user == "user":
        for path in (results, home, place / "pages", *(place / "pages").iterdir()):
            shutil.chown(path, ordinary_user.UID, ordinary_user.UID)
        needed = {sys.prefix, sys.base_prefix, str(TOP)}
        words = [sys.executable, "-m", "tests.ordinary_user", *needed, "--", *words]
    env = {**commands.environment(home), "HOME": str(home), "PYTHONPATH": str(TOP)}
    env.pop("TMPDIR", None)
    done = subprocess.run(words, env=env, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (run,) = runs.all_runs(results)
    labels = {row.key: row.label for row in run.manifest.rows}
    flags = {row.key: " ".join(row.flags) for row in run.manifest.rows}
    states = {what: facts["state"] for what, facts in run.manifest.isolation.items()}
    if set(states.values()) - {"isolated", "capped", "watched"}:
        pytest.skip(f"not wholly isolated here: {states}")
    table = run.cells()
    table = table.assign(label=table["row"].map(labels), row_flags=table["row"].map(flags))
    return table.set_index(["label", "page"])


@pytest.fixture(scope="module")
def undisturbed(place: Path) -> pd.DataFrame:
    return cells(place, "root" if os.geteuid() == 0 else "as we are", 1, *HONEST)


@pytest.mark.parametrize(
    ("user", "jobs"),
    [
        ("user", 2),
        ("root", 1),
        pytest.param("root", 2, marks=pytest.mark.slow),
        pytest.param("user", 1, marks=pytest.mark.slow),
    ],
)
def test_every_other_row_is_as_if_alone(
    place: Path, undisturbed: pd.DataFrame, user: str, jobs: int
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be both")
    gold = {path.name: path.read_bytes() for path in (place / "pages").iterdir()}
    first, second = HONEST
    attacked = cells(place, user, jobs, first, "cheats:*", second)
    columns = ["page_hash", "outcome", "text_hash", "diagnostics", "network_attempts"]
    for label in HONEST:
        pd.testing.assert_frame_equal(
            attacked.loc[label, columns], undisturbed.loc[label, columns], check_index_type=False
        )
    for row in rogues.rows("cheats"):
        outcomes = attacked.loc[row.label, "outcome"].to_dict()
        crashed = {BAD_PAGE} if row.variant in CRASHES else set()
        if row.variant == "answers_twice":
            crashed = {AFTER_IT}
        wanted = {page: "crash" if page in crashed else "ok" for page in PAGES}
        told = attacked.loc[row.label, "diagnostics"].to_dict()
        assert outcomes == wanted, (row.label, told)
        flags = {*attacked.loc[row.label, "flags"], *attacked.loc[row.label, "row_flags"]}
        assert "clock" in flags or row.variant not in CLOCK, row.label
        assert ("protocol" in flags) == bool(crashed), row.label
    assert {path.name: path.read_bytes() for path in (place / "pages").iterdir()} == gold
    assert rogues.has_ended("61.7")


REFUSED = """
echo 0 > /proc/sys/user/max_user_namespaces || exit 9
exec setpriv --bounding-set=-all --inh-caps=-all "$@"
"""
"""Runs a command as a user who may make no namespaces."""


def test_where_namespaces_are_refused_it_is_said_and_contents_are_kept(
    place: Path, undisturbed: pd.DataFrame
) -> None:
    results, home = place / "refused", place / "home-refused"
    home.mkdir()
    # Nothing that sends signals: processes are open here.
    rows = (*HONEST, "cheats:reads_gold", "cheats:writes_gold")
    words = [
        "unshare", "--user", "--map-root-user", "sh", "-c", REFUSED, "sh",
        sys.executable, "-m", "bench.cli.main", "run", *rows, "--gold", f"folder:{place / 'pages'}",
        "--adapter", str(TOP / "tests" / "rogues" / "cheats.py"),
        "--results", str(results), "--reports", str(home / "reports"), "--quiet",
    ]  # fmt: skip
    env = {**commands.environment(home), "HOME": str(home), "PYTHONPATH": str(TOP)}

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        whole = [*words, *more]
        return subprocess.run(whole, env=env, cwd=TOP, capture_output=True, text=True, check=False)

    required = run("--isolation", "require")
    if required.returncode != 2 or not required.stderr.startswith("bench: "):
        pytest.skip(f"no such user can be had here: {required.stderr}")
    assert "cannot be kept from other files and processes and network" in required.stderr
    assert not results.exists()
    done = run()
    assert done.returncode == 0, done.stderr
    (finished,) = runs.all_runs(results)
    states = {what: facts["state"] for what, facts in finished.manifest.isolation.items()}
    if states["files"] != "contents only":
        pytest.skip("no Landlock here")
    assert states["processes"] == "open"
    assert any("not wholly kept from" in warning for warning in finished.manifest.warnings)
    labels = {row.key: row.label for row in finished.manifest.rows}
    table = finished.cells()
    assert set(table["outcome"]) == {"ok"}, set(table["diagnostics"])
    texts = table.assign(label=table["row"].map(labels)).set_index(["label", "page"])["text_hash"]
    for label in HONEST:
        pd.testing.assert_series_equal(texts[label], undisturbed["text_hash"][label])
    assert (place / "pages" / f"{BAD_PAGE}.txt").read_text() == f"Page {BAD_PAGE}"
