"""The project's chores: ``nox -s bench``, ``publish``, ``tests``, ``nightly``, ``lint``, ``types``,
``check``, ``perf``, ``releases``.
"""

from __future__ import annotations

import os
import shutil

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["tests", "lint", "types"]


def install(session: nox.Session, extras: str, **env: str) -> None:
    """Install the project with the exact versions that constraints.txt holds."""
    session.install("--constraint", "constraints.txt", "--editable", f".[{extras}]", env=env)


def chromium(session: nox.Session) -> None:
    """Install the browser that the report is tested in, where that may be done without asking."""
    if shutil.which("chromium") or not shutil.which("apt-get") or os.geteuid() != 0:
        return
    install_it = "apt-get install -y --no-install-recommends chromium fonts-dejavu-core"
    # Without it the tests in the browser are left out, and say so.
    session.run(
        "sh", "-c", f"({install_it} || (apt-get update && {install_it})) >&2 || true", external=True,
        env={"DEBIAN_FRONTEND": "noninteractive"},
    )  # fmt: skip


def pytest(session: nox.Session, *words: str) -> None:
    """Run tests in two workers, each file in one, in the order that tests/conftest.py gives them."""
    workers = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
    session.run("pytest", *workers, *words)


@nox.session
def bench(session: nox.Session) -> None:
    """Regenerate the leaderboard of the starter data set: results/ and reports/."""
    install(session, "extractors")
    session.run("bench", "setup", "r", "--no-cran", "--if-possible")
    # What the main environment runs; `bench run --all` makes the environments of the others too.
    session.run("bench", "run", "--all", "--no-build", *session.posargs)
    session.run("bench", "report", "--export", "png,svg", "--output", "reports/starter")


PUBLISHED = (
    "trafilatura", "rs_trafilatura", "readability", "mozilla_readability", "magic_html",
    "resiliparse", "justext", "boilerpy3", "inscriptis", "html_text",
)  # fmt: skip
"""What the README shows on real pages: others are a matter of time, `bench run --all --gold aeb`."""


@nox.session
def publish(session: nox.Session) -> None:
    """Write reports/aeb and reports/wcxb, and the README's table of them; one worker at a time."""
    install(session, "extractors,dev")
    for gold in ("aeb", "wcxb"):
        session.run("bench", "run", *(session.posargs or PUBLISHED), "--gold", gold)
        folder = f"reports/{gold}"
        session.run("bench", "report", "--export", "json,markdown,svg", "--output", folder)
        session.run("bench", "report", "--without-texts", "--output", folder)
    table = "tests/contract/test_docs.py::test_readme_evidence_is_what_the_reports_say"
    session.run("pytest", "-q", table, env={"BENCH_UPDATE_GOLDEN": "1"})


@nox.session
def tests(session: nox.Session) -> None:
    """All tests that are not slow, two at a time but for those that must run alone."""
    # Workers keep no bytecode of what they import, and there are hundreds of them.
    install(session, "extractors,dev", UV_COMPILE_BYTECODE="1")
    if "CI" in os.environ:
        # There the R extractors are tested for real; elsewhere wherever R is already set up.
        session.run("bench", "setup", "r", "--no-cran", "--if-possible")
        chromium(session)
    pytest(session, *session.posargs)


@nox.session
def nightly(session: nox.Session) -> None:
    """All tests at full size: simulations, every row on real pages, real environments, all of R."""
    install(session, "extractors,dev", UV_COMPILE_BYTECODE="1")
    session.run("bench", "setup", "r", "--if-possible")
    chromium(session)
    pytest(session, "-m", "", "--hypothesis-profile", "nightly", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    install(session, "extractors,dev")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    install(session, "extractors,dev")
    session.run("mypy")


@nox.session
def check(session: nox.Session) -> None:
    """Compare the extractors with results/baseline.json on the starter set."""
    install(session, "extractors")
    baseline = ("--gold", "starter", "--baseline", "results/baseline.json")
    session.run("bench", "check", *baseline, *session.posargs)


@nox.session
def perf(session: nox.Session) -> None:
    """Print what the harness itself costs, as ratios measured in one go on this machine."""
    install(session, "extractors,dev")
    session.run("python", "-m", "tests.perf", *session.posargs)


@nox.session
def releases(session: nox.Session) -> None:
    """Ask the package indexes for the last release of what adapters wrap: extractors/releases.json."""
    install(session, "extractors")
    session.run("bench", "list", "--fresh", "--snapshot")
