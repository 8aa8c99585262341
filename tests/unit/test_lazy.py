"""Adapters are known by name, described when named, and not imported to be described."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bench.adapters import answers, entries, facts, literals, python, registry
from bench.adapters.answers import Unknown
from bench.extractor import Extractor
from bench.methods.ensembles.base import Ensemble
from bench.methods.ensembles.oracle import Oracle
from bench.methods.ensembles.union import Union
from bench.methods.ensembles.vote import Vote
from bench.worker import describe
from bench.worker.program import CommandExtractor
from tests.conftest import ROOT, described

MINE = '''"""What mine does."""
{top}
from bench.extractor import Extractor


class Mine(Extractor):
    name = "mine"
    {body}

    def extract(self, html, url):
        return html
'''

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(name: str = "mine", top: str = "", body: str = "", text: str = MINE) -> Path:
        path = tmp_path / f"{name}.py"
        text = text.format(top=top, body=body).replace('"mine"', f'"{name}"')
        path.write_text(text, encoding="utf-8")
        return path

    return file


# -- literals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted((ROOT / "extractors").glob("*.py")), ids=lambda p: p.stem)
def test_what_is_read_is_what_the_classes_have(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = literals.classes(path.read_bytes())
    monkeypatch.setattr(python, "_imported", lambda path: {"classes": describe.classes(str(path))})
    had = python._stated_when_imported(path, b"")
    assert [facts.make(one) for one in read] == [facts.make(one) for one in had]


def test_the_table_of_bases_is_what_they_have() -> None:
    for base in (Extractor, CommandExtractor, Ensemble, Vote, Union, Oracle):
        assert literals._BASES[f"{base.__module__}.{base.__qualname__}"] == literals.defaults(base)
    command = literals._BASES["bench.command.CommandExtractor"]
    assert command == literals.defaults(CommandExtractor)


LITERAL = {
    "nothing special": ("", ""),
    "a pattern": ("import re\nWORDS = re.compile('a+')", ""),
    "types": ("from typing import Any", "weights: dict[str, Any] = {}"),
    "methods": ("", "@staticmethod\n    def of(text: str = '') -> str:\n        return text"),
    "a class beside it": ("import html.parser\nclass P(html.parser.HTMLParser):\n    x = 1", ""),
}
TO_BE_IMPORTED = {
    "a computed fact": ("", "licence = 'M' + 'IT'"),
    "a name": ("LICENCE = 'MIT'", "licence = LICENCE"),
    "a call at the top": ("print('hello')", ""),
    "a call in an assignment": ("import time\nNOW = time.time()", ""),
    "a call in a default": ("def f(x=print('hello')): pass", ""),
    "a loop": ("for x in (1, 2): pass", ""),
    "a condition": ("import sys\nif sys.platform: pass", ""),
    "another package": ("import pytest", ""),
    "a decorator": ("def same(cls): return cls\n@same\nclass Other: pass", ""),
    "a method named like a fact": ("", "@property\n    def licence(self): return 'MIT'"),
    "a class body that runs": ("", "variants = {'a': {}}; variants['b'] = {}"),
    "a base of its own": ("import collections\nBase = collections\nclass X(Base.Y): pass", ""),
}


@pytest.mark.parametrize("kind", LITERAL)
def test_what_is_read_without_importing(write: Write, kind: str) -> None:
    top, body = LITERAL[kind]
    (stated,) = literals.classes(write("mine", top, body).read_bytes())
    assert (stated["name"], stated["description"]) == ("mine", "What mine does.")


@pytest.mark.parametrize("kind", TO_BE_IMPORTED)
def test_what_has_to_be_imported(write: Write, kind: str) -> None:
    top, body = TO_BE_IMPORTED[kind]
    with pytest.raises(literals.NotLiteral):
        literals.classes(write("mine", top, body).read_bytes())


def test_an_imported_file_states_the_same(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("mine", "", "licence = 'M' + 'IT'; variants = {'a': {'n': 1}}")
    (mine,) = described(path)
    assert (mine.facts.licence, mine.facts.variants) == ("MIT", {"a": {"n": 1}})
    assert mine.available
    monkeypatch.setattr(python, "_imported", None)
    assert described(path) == [mine], "it is imported once"
    assert "bench_adapters.mine" not in sys.modules, "it is imported elsewhere"


# -- files that do harm when they are imported ------------------------------------------------


HARMFUL = {
    "loops": ("while True: pass", "importing it takes more than 2 s"),
    "sleeps": ("import time\ntime.sleep(60)", "importing it takes more than 2 s"),
    "exits": ("import os\nos._exit(3)", "it gives no answer and ends with status 3"),
    "leaves": ("raise SystemExit(3)", "SystemExit: 3"),
    "dies": ("import os\nos.kill(os.getpid(), 9)", "it gives no answer and ends with status -9"),
    "connects": ("import socket\nsocket.create_connection(('192.0.2.1', 9))", "OSError"),
    "answers": ("import os\nos.write(3, b'{}')\nos._exit(0)", "it gives no answer"),
    "recurses": ("def f(): f()\nf()", "RecursionError"),
    "lacks": ("import no_such_module", "ModuleNotFoundError: No module named"),
    "forks": ("import os, time\nif not os.fork(): time.sleep(60)", ""),
    "prints": ("print('[]' * 99)", ""),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_file_that_does_harm_is_one_row(
    write: Write, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(python, "_IMPORT_S", 2.0)
    top, problem = HARMFUL[name]
    path = write(name, top)
    sound = write("sound")
    one, other = (described(each)[0] for each in (path, sound))
    assert other.available
    assert one.name == name
    if problem:
        assert one.problem.startswith(f"{name}.py cannot be read: ")
        assert problem in one.problem
        assert one.remedy == f"fix {path}"
    else:
        assert one.available


# -- names ------------------------------------------------------------------------------------


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the files that are read from now on."""
    names: list[str] = []
    read = python.read

    def noting(path: Path) -> python.Source:
        if path.parent != ROOT / "extractors":
            names.append(path.stem)
        return read(path)

    monkeypatch.setattr(python, "read", noting)
    return names


def test_only_what_is_named_is_read(
    write: Write, tmp_path: Path, reads: list[str], fresh_registry: None
) -> None:
    for name in ("one", "two", "three"):
        write(name)
    try:
        registry.use([tmp_path])
        registry.rows(["one"])
        assert sorted(reads) == ["one", "one", "three", "two"], "all once, for their names"
        reads.clear()
        registry.forget()
        assert [row.label for row in registry.rows(["t[hw]*"])] == ["three", "two"]
        assert sorted(reads) == ["three", "two"]
        reads.clear()
        registry.forget()
        write("one", body="licence = 'MIT'")
        assert registry.rows(["two"])[0].adapter.available
        assert sorted(reads) == ["one", "three", "two", "two"], "a file has changed"
    finally:
        registry.use([])


# -- answers ----------------------------------------------------------------------------------


def asking(counts: Sequence[object]) -> tuple[Callable[[], object], list[object]]:
    asked: list[object] = []

    def ask() -> object:
        answer = counts[len(asked)]
        asked.append(answer)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return ask, asked


def test_an_answer_is_kept_as_long_as_the_state_is_the_same() -> None:
    ask, asked = asking([1, 2, 3])
    assert [answers.kept("q", state, ask) for state in "aabba"] == [1, 1, 2, 2, 1]
    assert len(asked) == 2


def test_a_failure_is_believed_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, asked = asking([Unknown("no luck"), "luck"])
    for _ in range(2):
        with pytest.raises(Unknown, match="no luck"):
            answers.kept("q", 1, ask)
    assert len(asked) == 1
    monkeypatch.setattr(answers.time, "time", lambda: 1e12)
    assert answers.kept("q", 1, ask) == "luck"


def test_without_a_place_for_answers_everything_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("BENCH_HOME", str(tmp_path / "file"))
    ask, _ = asking([1, 2])
    assert [answers.kept("q", 1, ask) for _ in range(2)] == [1, 2]
    assert entries.at(ROOT / "extractors" / "nothing.py")
    assert described(ROOT / "extractors" / "nothing.py")[0].available


def test_another_file_is_another_state(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert answers.state_of(path) == [str(path)]
    path.write_text("a")
    first = answers.state_of(path)
    path.write_text("ab")
    os.utime(path, ns=(0, 0))
    assert answers.state_of(path) != first
