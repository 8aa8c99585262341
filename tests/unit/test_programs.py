"""``bench.toml``: what it may say, what is wrong with it, and versions that are asked once."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from bench.adapters import answers, registry
from bench.adapters.adapter import Adapter, Row
from bench.adapters.programs import command as programs
from bench.adapters.programs import config
from bench.model import UsageError
from bench.util import toml_file
from bench.worker.program import resolved, telling_line

SCRIPT = """
import json, sys
open("{log}", "a").write("started ")
for line in sys.stdin:
    print(json.dumps({{"protocol": 1, "name": "mine", "version": "{version}"}}), flush=True)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str) -> Path:
    path = folder / toml_file.FILE
    path.write_text(text, encoding="utf-8")
    return path


def only(folder: Path) -> Adapter:
    (facts,) = config.read(folder / toml_file.FILE)
    return programs.of_table(facts, folder / toml_file.FILE)


# -- the file -------------------------------------------------------------------------------


def test_every_key_is_read(here: Path) -> None:
    path = write(
        here,
        """
        [extractors.mine]
        command = ["./run", "-x"]
        one_shot = true
        accepts = "bytes"
        version = "2.1"
        description = "Does."
        licence = "MIT"
        homepage = "https://example.org"
        settings_source = "https://example.org/why"
        language = "Rust"
        files = ["lib/*.rs"]
        remedy = "make"
        [extractors.mine.variants.fast]
        speed = 9
        [extractors.mine.variants.slow]
        speed = 1
        """,
    )
    (program,) = config.read(path)
    assert program.program.command == ("./run", "-x")
    assert list(program.variants) == ["fast", "slow"]
    mine = only(here)
    assert (mine.version, mine.facts.accepts, mine.facts.language) == ("2.1", "bytes", "Rust")
    assert (mine.facts.licence, mine.facts.description) == ("MIT", "Does.")
    assert mine.problem == f"{here}/./run is not there"
    assert mine.remedy == "make"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[extractors.a]\ncommand = [", "cannot be read: "),
        ('[extractors.a]\ncomand = ["x"]', "line 2: extractors.a.comand is unknown; did you mean"),
        ("[extractor.a]", "line 1: extractor is unknown; did you mean extractors?"),
        ("[extractors.a]\n", "line 1: extractors.a has no command; add one"),
        (
            '[extractors.a]\n\ncommand = "node x.js"',
            "line 3: extractors.a.command is 'node x.js'; ",
        ),
        ("[extractors.a]\ncommand = []", "line 2: extractors.a.command is empty; leave it out"),
        ('[extractors.a]\ncommand = ["x", 1]', "line 2: extractors.a.command is a list; write"),
        ('[extractors.a]\ncommand = [" "]', "line 2: extractors.a.command is a list; write"),
        ('[extractors.A]\ncommand = ["x"]', "line 1: extractors.A 'A' is not lowercase"),
        (
            '[extractors.a]\ncommand = ["x"]\naccepts = "soup"',
            "line 3: extractors.a.accepts 'soup' is not one of str, bytes",
        ),
        ('[extractors.a]\ncommand = ["x"]\none_shot = 1', "line 3: extractors.a.one_shot is 1; "),
        ('[extractors.a]\ncommand = ["x"]\nversion = 2.0', "line 3: extractors.a.version is 2.0; "),
        (
            '[extractors.a]\ncommand = ["x"]\nlicence = ""',
            "line 3: extractors.a.licence is empty; ",
        ),
        (
            '[extractors.a]\ncommand = ["x"]\nvariants = {}',
            "line 3: extractors.a.variants is empty; ",
        ),
        (
            '[extractors.a]\ncommand = ["x"]\n[extractors.a.variants]\nv = 1',
            "line 4: extractors.a.variants.v is 1; write a table of settings",
        ),
        (
            '[extractors.a]\ncommand = ["x"]\n[extractors.a.variants.v]\ns = 1979-05-27',
            "line 4: extractors.a.variants.v.s is 1979-05-27; write",
        ),
        (
            '[extractors.a]\ncommand = ["x"]\nversion = "1"\nversion_command = ["x"]',
            "line 4: extractors.a.version_command stands beside version; keep one of them",
        ),
        (
            '[extractors.a]\ncommand = ["x"]\nfiles = ["/etc/*"]',
            "line 3: extractors.a.files has '/etc/*'; write it relative",
        ),
        ("extractors = 3", "line 1: extractors is no table; write [extractors.NAME]"),
        ("[extractors]\na = 3", "line 2: extractors.a is no table; write [extractors.NAME]"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(here: Path, text: str, message: str) -> None:
    path = write(here, text)
    with pytest.raises(UsageError) as caught:
        config.read(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_it_is_looked_for_up_to_the_projects_top(here: Path) -> None:
    inner = here / "project" / "a" / "b"
    inner.mkdir(parents=True)
    write(here, "")
    assert toml_file.find(inner) is None, "outside a project only the folder itself counts"
    (here / "project" / ".git").mkdir()
    assert toml_file.find(inner) is None, "above the project's top it is somebody else's"
    top = write(here / "project", "")
    assert toml_file.find(inner) == top
    near = write(inner, "")
    assert toml_file.find(inner) == near


# -- the command ----------------------------------------------------------------------------


def test_words_as_they_are_run(tmp_path: Path) -> None:
    (tmp_path / "extract.js").touch()
    (tmp_path / "lib").mkdir()
    words = ["node", "extract.js", "lib", "-w={width}", "{print}", "{folder}/lib/*", "./extract.js"]
    assert resolved(words, "/f", {"width": 7})[:3] == ["node", "extract.js", "lib"]
    top = str(tmp_path)
    assert resolved(words, top, {"width": 7, "other": "{folder}"}) == [
        "node", f"{top}/extract.js", "lib", "-w=7", "{print}", f"{top}/lib/*",
        f"{top}/./extract.js",
    ]  # fmt: skip
    assert resolved(["./run", "{a}"], top, {"a": "{b}", "b": "no"}) == [f"{top}/./run", "{b}"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", ""),
        ("a\nb\n", "b"),
        ("at x:1\nError: Cannot find module 'y'\n  at z\n\nNode.js v20", "Error: Cannot find"),
        ("Traceback\n  File\nKeyError: 'x'", "KeyError: 'x'"),
    ],
)
def test_the_line_that_says_most(words: str, line: str) -> None:
    assert telling_line(words).startswith(line)
    assert bool(telling_line(words)) == bool(line)


def test_what_is_missing_and_how_to_mend_it(here: Path) -> None:
    (here / "there.sh").touch()
    for command, problem, remedy in (
        ("no_such_program_at_all", "is not on the PATH", "install no_such_program_at_all"),
        ("there.sh", "is not on the PATH", "write ./there.sh"),
        ("./there.sh", "may not be executed", "chmod +x"),
        ("./gone.sh", "is not there", "put the program there"),
    ):
        write(here, f'[extractors.mine]\ncommand = ["{command}"]\n')
        mine = only(here)
        assert not mine.available
        assert problem in mine.problem
        assert remedy in mine.remedy


# -- versions -------------------------------------------------------------------------------


def script(here: Path, version: str) -> None:
    source = SCRIPT.format(log=here / "log", version=version)
    (here / "mine.py").write_text(source, encoding="utf-8")


def starts(here: Path) -> int:
    log = here / "log"
    return len(log.read_text().split()) if log.exists() else 0


def test_a_program_is_asked_once_and_again_when_its_file_changed(here: Path) -> None:
    command = json.dumps([sys.executable, "mine.py"])
    write(here, f"[extractors.mine]\ncommand = {command}\n")
    script(here, "1.0")
    first = only(here)
    assert first.version == only(here).version == "1.0"
    assert starts(here) == 1
    script(here, "1.1")
    second = only(here)
    assert second.version == "1.1"
    assert starts(here) == 2
    assert Row(first, "default").key != Row(second, "default").key
    answers.forget()
    assert only(here).version == "1.1"
    assert starts(here) == 3


def test_a_further_file_counts(here: Path) -> None:
    command = json.dumps([sys.executable, "mine.py"])
    script(here, "1.0")
    (here / "lib").mkdir()
    keys = set()
    for content in ("a", "b"):
        (here / "lib" / "model.txt").write_text(content)
        for files in ("", 'files = ["lib/*"]\n'):
            write(here, f"[extractors.mine]\ncommand = {command}\n{files}")
            keys.add(Row(only(here), "default").key)
    assert len(keys) == 3, "without files both contents are the same row"


def test_a_version_that_is_written_down_needs_no_start(here: Path) -> None:
    script(here, "1.0")
    command = json.dumps([sys.executable, "mine.py"])
    write(here, f'[extractors.mine]\ncommand = {command}\nversion = "1.0"\n')
    assert only(here).version == "1.0"
    assert starts(here) == 0


@pytest.mark.parametrize(
    ("command", "version"),
    [
        ("print('tool, version 3.4.5-beta (2020)')", "3.4.5-beta"),
        ("import sys; print('v7', file=sys.stderr)", "7"),
    ],
)
def test_a_command_prints_the_version(here: Path, command: str, version: str) -> None:
    asked = json.dumps([sys.executable, "-c", command])
    write(
        here, f'[extractors.mine]\ncommand = ["cat"]\none_shot = true\nversion_command = {asked}\n'
    )
    assert only(here).version == version


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit('no licence')", "exited with status 1: no licence"),
        ("print('no JSON at all', flush=True); input()", "no JSON: 'no JSON at all'"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
    ],
)
def test_a_program_that_does_not_greet_is_unavailable(here: Path, code: str, reason: str) -> None:
    command = json.dumps([sys.executable, "-c", code])
    write(here, f"[extractors.mine]\ncommand = {command}\n")
    mine = only(here)
    assert not mine.available
    assert reason in mine.problem
    assert mine.remedy


def test_a_damaged_note_is_written_anew(here: Path, bench_home: Path) -> None:
    script(here, "1.0")
    write(here, f"[extractors.mine]\ncommand = {json.dumps([sys.executable, 'mine.py'])}\n")
    for damaged in ("{", "[]", '{"x": 3}'):
        for note in (bench_home / "cache" / "answers").glob("*"):
            note.write_text(damaged)
        assert only(here).version == "1.0"
    assert only(here).version == "1.0"
    assert starts(here) == 3


def test_a_launcher_that_launches_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter's own words say what is missing, not the last line that the launcher printed."""
    launcher = here / "bin" / "python2"
    launcher.parent.mkdir()
    launcher.write_text("#!/bin/sh\necho 'Note: see the manual' >&2\nexit 127\n")
    launcher.chmod(0o755)
    monkeypatch.setenv("PATH", str(launcher.parent), prepend=os.pathsep)
    registry.forget()
    try:
        eatiht = registry.adapters()["eatiht"]
    finally:
        registry.forget()
    assert eatiht.problem == "python2 is on the PATH, but there is no program behind it"
    assert "needs a Python 2 with eatiht" in eatiht.remedy
    assert "python2 -m pip install eatiht==0.1.14" in eatiht.remedy
