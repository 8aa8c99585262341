"""Finding adapters: words and globs, what is broken, what is missing, and keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bench.adapters import registry
from bench.adapters.adapter import Adapter, Row, linked, with_members
from bench.model import BenchError, ExtractorFacts, UsageError
from bench.util import paths
from tests import commands
from tests.conftest import ROOT

ADAPTER = '''"""{what}"""

from bench.extractor import Extractor


class It(Extractor):
    """{what}"""

    name = "{name}"
    {facts}

    def extract(self, html, url):
        return "text"
'''

Drop = Callable[..., Path]


@pytest.fixture
def drop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_registry: None) -> Drop:
    """Bundle a folder of adapters of our own, and drop files into it."""
    own = {name: tmp_path / name for name in ("extractors", "r_extractors", "gold")}
    for folder in own.values():
        folder.mkdir()
    monkeypatch.setattr(paths, "bundled", lambda name: own[name])

    def write(
        name: str = "mine", facts: str = "", *, file: str | None = None, text: str | None = None
    ) -> Path:
        path = own["extractors"] / f"{file or name}.py"
        source = ADAPTER.format(name=name, facts=facts, what=f"What {name} does.")
        path.write_text(text if text is not None else source, encoding="utf-8")
        registry.forget()
        return path

    return write


def labels(*patterns: str) -> list[str]:
    return [row.label for row in registry.rows(patterns)]


# -- words ----------------------------------------------------------------------------------


def test_a_bare_name_is_the_first_variant(drop: Drop) -> None:
    drop("mine", 'variants = {"b": {}, "a": {"x": 1}}')
    drop("plain")
    assert labels("mine") == ["mine:b"]
    assert labels("plain") == ["plain"]
    assert labels("plain:default") == ["plain"]


def test_globs_on_both_sides(drop: Drop) -> None:
    drop("mine", 'variants = {"fast": {}, "slow": {"x": 1}}')
    drop("mint")
    drop("other", 'variants = {"fast": {"y": 1}}')
    assert labels("mine:*") == ["mine:fast", "mine:slow"]
    assert labels("min*") == ["mine:fast", "mint"]
    assert labels("*:fast") == ["mine:fast", "other:fast"]
    assert labels("*") == ["mine:fast", "mint", "other:fast"]
    assert labels("?in[et]") == ["mine:fast", "mint"]


def test_each_row_comes_once_in_one_order(drop: Drop) -> None:
    drop("b")
    drop("a")
    drop("zero", 'kind = "control"')
    drop("aa", 'kind = "control"')
    assert labels("zero", "b", "a", "b", "*") == ["a", "b", "aa", "zero"], "controls last"
    assert [row.label for row in registry.all_rows()] == ["a", "b", "aa", "zero"]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("trafilatur", "no extractor is called 'trafilatur'; did you mean trafilatura"),
        ("Readability", "no extractor is called 'Readability'; did you mean readability"),
        ("qqqq", "no extractor is called 'qqqq'; `bench list` shows what there is"),
        ("", "no extractor is called ''"),
        ("zzz*", "no extractor is called 'zzz*'"),
        (
            "trafilatura:presision",
            "trafilatura has no variant 'presision'; did you mean precision?",
        ),
        ("trafilatura:zzz*", "trafilatura has no variant 'zzz*'"),
    ],
)
def test_a_word_that_matches_nothing(word: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        registry.rows([word])
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert caught.value.status == 2


def test_variants_are_listed_where_none_matches() -> None:
    with pytest.raises(UsageError, match="it has default, fast, precision, recall"):
        registry.rows(["trafilatura:qqqqqq"])


# -- adapters -------------------------------------------------------------------------------


def test_one_file_is_enough(drop: Drop) -> None:
    path = drop("mine", 'requires = ("pytest>=8",)\n    licence = "MIT"')
    mine = registry.adapters()["mine"]
    assert (mine.path, mine.facts.description, mine.facts.licence) == (
        path,
        "What mine does.",
        "MIT",
    )
    assert mine.version == pytest.__version__
    assert mine.available


def test_files_that_begin_with_an_underscore_are_no_adapters(drop: Drop) -> None:
    drop("mine", file="_mine")
    assert registry.adapters() == {}


def test_one_file_may_define_several(drop: Drop) -> None:
    one = ADAPTER.format(name="one", facts="", what="One.")
    two = "\n\nclass Two(It):\n    '''Two.'''\n    name = 'two'\n"
    drop(file="both", text=one + two)
    assert list(registry.adapters()) == ["one", "two"]


BROKEN = {
    "syntax": ("def (", "SyntaxError"),
    "raises": ("raise RuntimeError('two\\nlines')", "RuntimeError: two lines"),
    "no module": ("import no_such_module_at_all", "ModuleNotFoundError"),
    "nothing in it": ("x = 1", "defines no subclass"),
    "not text": ("\udcff", "Error"),
    "leaves": ("raise SystemExit(3)", "SystemExit"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_listed_with_its_reason(drop: Drop, kind: str) -> None:
    drop("sound")
    text, reason = BROKEN[kind]
    path = drop("broken", text="")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    registry.forget()
    broken = registry.adapters()["broken"]
    assert not broken.available
    assert broken.problem.startswith("broken.py cannot be read: ")
    assert reason in broken.problem
    assert "\n" not in broken.problem
    assert str(path) in broken.remedy
    assert registry.adapters()["sound"].available


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ('accepts = "soup"', "accepts 'soup' is not one of str, bytes, gold"),
        ('kind = "toy"', "kind 'toy' is not one of extractor, control"),
        ("variants = {}", "variants is empty"),
        ('requires = ("not a requirement!",)', "requires has 'not a requirement!'"),
        ('python = "about 3"', "about 3"),
    ],
)
def test_wrong_facts_are_named(drop: Drop, facts: str, reason: str) -> None:
    drop("mine", facts)
    mine = registry.adapters()["mine"]
    assert not mine.available
    assert reason in mine.problem


@pytest.mark.parametrize("name", ["Mine", "mi ne", "mi:ne", "mi-ne", "../x", "_x"])
def test_names_that_cannot_be_typed(drop: Drop, name: str) -> None:
    drop(name, file="file")
    assert "is not lowercase letters" in registry.adapters()["file"].problem


def test_a_requirement_that_is_not_met(drop: Drop) -> None:
    drop("mine", 'requires = ("pytest>=8", "no-such-thing-at-all>=2", "hypothesis>=999")')
    mine = registry.adapters()["mine"]
    assert mine.problem == "not installed: no-such-thing-at-all>=2, hypothesis>=999"
    assert mine.remedy == "bench env build mine"
    assert mine.version == pytest.__version__


def test_a_python_that_is_not_this_one(drop: Drop) -> None:
    drop("mine", 'python = ">=99"')
    mine = registry.adapters()["mine"]
    assert mine.problem.startswith("needs Python >=99, this is 3.")
    assert mine.remedy


def test_two_adapters_with_one_name(drop: Drop) -> None:
    one, two = drop("mine", file="one"), drop("mine", file="two")
    with pytest.raises(BenchError, match="two adapters are called 'mine'") as caught:
        registry.adapters()
    assert str(one) in str(caught.value)
    assert str(two) in str(caught.value)


def test_a_third_partys_package_registers_by_entry_point(tmp_path: Path) -> None:
    done = _with_package(tmp_path, ADAPTER.format(name="theirs", facts="", what="Theirs."))
    assert done.returncode == 0, done.stderr
    assert "theirs" in {each["name"] for each in json.loads(done.stdout)}


def test_a_third_partys_package_is_not_imported(tmp_path: Path) -> None:
    marker = tmp_path / "imported"
    adapter = ADAPTER.format(name="theirs", facts="", what="Theirs.")
    done = _with_package(
        tmp_path, adapter, init=f"open({str(marker)!r}, 'w')\nimport no_such_module"
    )
    (theirs,) = (each for each in json.loads(done.stdout) if each["name"] == "theirs")
    assert theirs["available"]
    assert not marker.exists()


def test_a_third_partys_broken_package_breaks_nothing_else(tmp_path: Path) -> None:
    done = _with_package(tmp_path, "raise RuntimeError('broken')", init="import no_such_module")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "xpath" in {each["name"] for each in json.loads(done.stdout)}


def _with_package(folder: Path, adapter: str, *, init: str = "") -> commands.Done:
    site = folder / "site"
    (site / "theirs_package").mkdir(parents=True)
    (site / "theirs_package" / "__init__.py").write_text(init, encoding="utf-8")
    (site / "theirs_package" / "adapter.py").write_text(adapter, encoding="utf-8")
    info = site / "theirs_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[bench.extractors]\nx = theirs_package.adapter\n")
    env = {**commands.environment(folder / "home"), "PYTHONPATH": f"{site}:{ROOT}"}
    return commands.call(["list", "--json"], cwd=folder, env=env)


# -- keys -----------------------------------------------------------------------------------

FACTS = ExtractorFacts("mine")
MINE = Adapter(FACTS, Path("mine.py"), version="1", source_hash="abc")


def key(adapter: Adapter = MINE, **settings: object) -> str:
    return Row(replace(adapter, facts=replace(adapter.facts, variants={"v": settings})), "v").key


def test_a_key_depends_on_version_settings_source_and_name() -> None:
    keys = {
        key(),
        key(replace(MINE, version="2")),
        key(replace(MINE, version=None)),
        key(replace(MINE, source_hash="abd")),
        key(replace(MINE, facts=ExtractorFacts("other"))),
        key(x=1),
        key(x=2),
        key(x="1"),
        key(y=1),
    }
    assert len(keys) == 9


def test_a_key_does_not_depend_on_place_words_or_order() -> None:
    other = replace(FACTS, description="other", licence="MIT")
    moved = replace(MINE, path=Path("/elsewhere/mine.py"), facts=other)
    assert key(moved) == key()
    assert key(x=1, y=2) == key(y=2, x=1)


def test_a_key_changes_with_the_adapters_source(drop: Drop) -> None:
    path = drop("mine")
    (before,) = registry.all_rows()
    assert registry.all_rows()[0].key == before.key
    drop("mine", text=path.read_text(encoding="utf-8") + "# changed\n")
    assert registry.all_rows()[0].key != before.key


def test_every_row_has_a_key_of_its_own() -> None:
    rows = registry.all_rows()
    assert len({row.key for row in rows}) == len(rows)


def test_variants_with_equal_settings_are_rows_of_their_own(drop: Drop) -> None:
    """Two rows with one key would share cells, and one of them be lost from the leaderboard."""
    drop("mine", 'variants = {"a": {}, "b": {}}')
    a, b = registry.all_rows()
    assert a.key != b.key


# -- ensembles ------------------------------------------------------------------------------


ENSEMBLE = 'kind = "ensemble"\n    accepts = "texts"\n    members = ({})'


def test_an_ensembles_rows_have_their_members(drop: Drop) -> None:
    drop("b", 'variants = {"x": {}, "y": {}}')
    drop("a")
    drop("all", ENSEMBLE.format('"b:*", "a", "b:x", "a+clean"'))
    (row,) = registry.rows(["all"])
    assert row.adapter.available
    assert [each.label for each in row.members] == ["b:x", "b:y", "a", "a+clean"], "its order"
    assert registry.all_rows()[-1].members == row.members
    assert [each.label for each in with_members([row])] == [
        "all", "b:x", "b:y", "a", "a+clean"
    ]  # fmt: skip
    own = [*registry.rows(["a"]), row]
    assert [each.label for each in with_members(own)].count("a") == 1
    assert with_members(with_members(own)) == with_members(own)


def test_ensembles_come_after_extractors_and_before_controls(drop: Drop) -> None:
    drop("z")
    drop("b", ENSEMBLE.format('"z",'))
    drop("a", 'kind = "control"')
    assert labels("*") == ["z", "b", "a"]


def test_an_ensembles_key_depends_on_its_members(drop: Drop) -> None:
    def key_of(name: str) -> str:
        return registry.rows([name])[0].key

    member = drop("a")
    drop("b")
    path = drop("all", ENSEMBLE.format('"a", "b"'))
    before = key_of("all")
    assert key_of("all") == before
    drop("a", text=member.read_text(encoding="utf-8") + "# changed\n")
    changed = key_of("all")
    assert changed != before
    drop("all", text=path.read_text(encoding="utf-8"))
    assert key_of("all") == changed
    (row,) = registry.rows(["all"])
    newer = [replace(each, adapter=replace(each.adapter, version="9")) for each in row.members]
    assert linked(row, newer).key != changed


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ('"nobody",', "its members: no extractor is called 'nobody'"),
        ('"a:nowhere",', "its members: a has no variant 'nowhere'"),
        ('"a+nofilter",', "its members: no filter is called 'nofilter'"),
        ('"all",', "its members: all is an ensemble itself"),
        ('"a", "other"', "its members: other is an ensemble itself"),
        ('"*",', "its members: all is an ensemble itself"),
        ('"a", "ceiling"', "its members: ceiling is handed the gold, which no extractor has"),
        ('"a", "lacking"', "its member lacking is not available: not installed: no-such-thing"),
        ('"a", "broken"', "its member broken is not available: broken.py cannot be read"),
    ],
)
def test_members_that_an_ensemble_cannot_have(drop: Drop, members: str, problem: str) -> None:
    drop("a")
    drop("ceiling", 'kind = "control"\n    accepts = "gold"')
    drop("lacking", 'requires = ("no-such-thing",)')
    drop("broken", text="import nothing_of_this_name")
    drop("other", ENSEMBLE.format('"a",'))
    drop("all", ENSEMBLE.format(members))
    (row,) = registry.rows(["all"])
    assert not row.adapter.available
    assert row.adapter.problem.startswith(problem)
    assert row.adapter.remedy
    assert registry.rows(["other"])[0].adapter.available
    assert row.key


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ('kind = "ensemble"', "kind 'ensemble' does not go with accepts 'str'"),
        ('accepts = "texts"', "kind 'extractor' does not go with accepts 'texts'"),
        ('kind = "ensemble"; accepts = "texts"', "an ensemble, and nothing else, names its"),
        ('members = ("a",)', "an ensemble, and nothing else, names its members"),
        (
            'kind = "ensemble"; accepts = "texts"; members = "a"',
            """members is 'a'; write a list of texts, members = ["a"]""",
        ),
    ],
)
def test_facts_that_do_not_make_an_ensemble(drop: Drop, facts: str, reason: str) -> None:
    drop("mine", facts)
    assert reason in registry.adapters()["mine"].problem


def test_an_ensemble_is_as_available_as_the_members_it_is_linked_with(drop: Drop) -> None:
    drop("lacking", 'requires = ("no-such-thing",)')
    drop("all", ENSEMBLE.format('"lacking",'))
    (row,) = registry.rows(["all"])
    assert not row.adapter.available
    repaired = replace(row.members[0].adapter, problem="", remedy="")
    assert linked(row, [replace(row.members[0], adapter=repaired)]).adapter.available


@pytest.mark.parametrize(
    "word", ["xpath@1.0\n--index-url=https://example.org", "xpath\0", "a\x1b[2J"]
)
def test_control_characters_are_refused(word: str) -> None:
    with pytest.raises(UsageError, match="control characters"):
        registry.rows([word])
