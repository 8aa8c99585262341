"""What help and listings may import: they start quickly, whatever a verb's work needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cli.gold import VERBS as GOLD
from bench.cli.main import VERBS
from tests import commands

BELOW = {
    "collect": ("status", "speed"),
    "corpus": ("build", "words", "phrases", "stats", "growth", "compare"),
    "env": ("list", "build", "prune", "lock"),
    "gold": tuple(GOLD),
    "runs": ("show",),
    "setup": ("r",),
    "webreader": ("check", "apply", "collect"),
}
LISTINGS = ("list", "gold list", "runs", "metrics --list", "env list")
OUTPUTS = "outputs.json"
RUN = "run xpath --quiet"
FOUND = (RUN, "leaderboard", "leaderboard --json")
SCORE = f"score --predictions {OUTPUTS}"
HELPS = [
    " ".join([*words, "--help"])
    for verb in VERBS
    for words in [(verb,), *((verb, each) for each in BELOW.get(verb, ()))]
]

ALWAYS = {"bench", "click", "rich", "platformdirs", "uv"}
ALSO = {
    "list": {"packaging"},  # versions that are wanted and there
    "env": {"packaging"},
    "history": {"packaging"},
    "setup": {"packaging"},
    "runs": {"msgspec", "typing_extensions"},  # manifests
}
"""Packages beside the standard library's that a verb, named by its first word, may import."""

CHILD = """
import json, os, sys
import click, rich.console, rich.table
from bench.cli import main

def packages():
    names = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
    return sorted(name for name in names if not name.startswith("_"))

for line in sys.stdin:
    ours, theirs = os.pipe()
    if not os.fork():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.argv[1:] = line.split()
        try:
            main.main()
        except SystemExit as end:
            os.write(theirs, json.dumps([end.code, packages()]).encode())
        os._exit(0)
    os.close(theirs)
    with open(ours, "rb") as answer:
        print(json.dumps([line.strip(), *json.loads(answer.read())]), flush=True)
"""
"""Runs each line as a command in a process that has only just begun; says what that imported."""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, set[str]]]:
    """Exit status and packages of each command."""
    home: Path = tmp_path_factory.mktemp("home")
    (home / OUTPUTS).write_text(json.dumps({"article-zh-tea-road": "茶"}))
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input="\n".join([*HELPS, *LISTINGS, SCORE, RUN, *FOUND]),
        capture_output=True,
        text=True,
        env=commands.environment(home),
        cwd=home,
        timeout=240,
        check=True,
    )
    answers = map(json.loads, done.stdout.splitlines())
    return {command: (status, set(packages)) for command, status, packages in answers}


@pytest.mark.parametrize("command", [*HELPS, *LISTINGS])
def test_only_what_is_needed_is_imported(
    command: str, imported: dict[str, tuple[int, set[str]]]
) -> None:
    status, packages = imported[command]
    assert status == 0
    assert packages <= ALWAYS | ALSO.get(command.split(maxsplit=1)[0], set())


def test_outputs_are_scored_without_tables(imported: dict[str, tuple[int, set[str]]]) -> None:
    status, packages = imported[SCORE]
    assert status == 0
    assert "numpy" in packages
    assert packages.isdisjoint({"pandas", "pyarrow"})


@pytest.mark.parametrize("command", FOUND)
def test_a_finished_run_is_found_without_what_computes(
    command: str, imported: dict[str, tuple[int, set[str]]]
) -> None:
    status, packages = imported[command]
    assert status == 0
    assert packages <= ALWAYS | {"msgspec", "packaging", "typing_extensions"}
