"""The project's chores: ``nox -s bench``, ``tests``, ``lint``, ``types``, ``perf``."""

from __future__ import annotations

import os

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["tests", "lint", "types"]


def install(session: nox.Session, extras: str) -> None:
    """Install the project with the exact versions that constraints.txt holds."""
    session.install("--constraint", "constraints.txt", "--editable", f".[{extras}]")


@nox.session
def bench(session: nox.Session) -> None:
    """Regenerate the leaderboard of the starter data set: results/ and reports/."""
    install(session, "extractors")
    session.run("bench", "setup", "r", "--no-cran", "--if-possible")
    session.run("bench", "run", "--all", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    install(session, "extractors,dev")
    if "CI" in os.environ:
        # There the R extractors are tested for real; elsewhere wherever R is already set up.
        session.run("bench", "setup", "r", "--no-cran", "--if-possible")
    session.run("pytest", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    install(session, "extractors,dev")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    install(session, "extractors,dev")
    session.run("mypy")


@nox.session
def perf(session: nox.Session) -> None:
    """Print what the harness itself costs, as ratios measured in one go on this machine."""
    install(session, "extractors,dev")
    session.run("python", "-m", "tests.perf", *session.posargs)
