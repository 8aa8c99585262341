"""From a new file to a measured extractor, through the real command line: Python, R, Node, shell."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.adapters.adapter import Row
from bench.cli.main import bench
from bench.model import Limits
from bench.runs.conformance import suite
from tests.conftest import ROOT, BenchCli, FolderGold, described, html_of

Done = subprocess.CompletedProcess[str]

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not here")

ADAPTER = '''"""{name}."""
from bench.extractor import Extractor


class It(Extractor):
    """What {name} does."""

    name = "{name}"

    def extract(self, html, url):
        {body}
'''

PAGE = html_of("<p>The old ferry crossed the river twice a day until the bridge was built.</p>")


@pytest.fixture
def here(tmp_path: Path, bench_cli: BenchCli) -> Path:
    folder = tmp_path / "here"
    (folder / "page.html").write_text(PAGE)
    return folder


def adapter(folder: Path, name: str = "mine", body: str = "return 'text'", file: str = "") -> Path:
    path = folder / (file or f"{name}.py")
    path.write_text(ADAPTER.format(name=name, body=body))
    return path


def fails(done: Done, status: int, words: str) -> None:
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def filled_in(path: Path) -> None:
    """Fill in what ``bench new`` left to be filled in."""
    text = re.sub(
        r"FILL IN[^.\n]*\.", "Keeps all lines but those beside the content.", path.read_text()
    )
    text = text.replace("requires = ()", 'requires = ("click>=8",)')
    for fact in ("homepage", "settings_source"):
        text = text.replace(f'{fact} = ""', f'{fact} = "https://example.org"')
        text = text.replace(f"@{fact}\n", f"@{fact} https://example.org\n")
        text = text.replace(f'# {fact} = "https://…"', f'{fact} = "https://example.org"')
    text = text.replace('licence = ""', 'licence = "MIT"').replace("@licence\n", "@licence MIT\n")
    path.write_text(text.replace('# licence = "MIT"', 'licence = "MIT"'))


# -- new, try, doctor, run ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["", "--r", pytest.param("--command", marks=needs_node)])
def test_a_new_extractor_works_at_once(
    bench_cli: BenchCli, here: Path, folder_gold: FolderGold, kind: str
) -> None:
    made = bench_cli("new", "mine", *filter(None, [kind]))
    assert made.returncode == 0, made.stderr
    file = {"": "mine.py", "--r": "mine.R", "--command": "bench.toml"}[kind]
    found = [] if kind == "--command" else ["--adapter", file]
    listed = bench_cli("list", "--json", "mine", *found)
    (facts,) = json.loads(listed.stdout)
    if kind == "--r" and not facts["available"]:
        pytest.skip(facts["problem"])
    assert f"next: bench try mine PAGE.html{' ' * bool(found)}{' '.join(found)}" in made.stdout
    tried = bench_cli("try", "mine", "page.html", *found)
    assert tried.returncode == 0, tried.stderr
    assert "The old ferry crossed the river" in tried.stdout
    assert "Home" not in tried.stdout
    assert "wall " in tried.stderr
    examined = bench_cli("doctor", "mine", *found, "--json")
    assert examined.returncode == 1, examined.stderr
    (report,) = json.loads(examined.stdout)
    failed = {each["check"] for each in report["findings"] if each["level"] == "fail"}
    assert failed == {"description", "licence", "homepage", "settings_source"}
    filled_in(here / file)
    examined = bench_cli("doctor", "mine", *found)
    assert examined.returncode == 0, examined.stdout
    words = ["run", "mine", *found, "--gold", f"folder:{folder_gold()}", "--json", "--quiet"]
    board = json.loads(bench_cli(*words).stdout)
    (row,) = board["extractors"]
    assert row["label"] == "mine"
    assert row["f1"]["value"] > 0.5


def test_new_never_overwrites(bench_cli: BenchCli, here: Path) -> None:
    for words, file in ((["one"], "one.py"), (["one", "--r"], "one.R")):
        assert bench_cli("new", *words).returncode == 0
        (here / file).write_text("precious")
        fails(bench_cli("new", *words), 1, f"{file} is there already")
        assert (here / file).read_text() == "precious"
    (here / "two.mjs").write_text("precious")
    fails(bench_cli("new", "two", "--command"), 1, "two.mjs is there already")
    assert not (here / "bench.toml").exists()
    (here / "bench.toml").write_text('[extractors.three]\ncommand = ["cat"]')
    fails(bench_cli("new", "three", "--command"), 1, "has [extractors.three] already")
    assert bench_cli("new", "four", "--command").returncode == 0
    text = (here / "bench.toml").read_text()
    assert text.startswith('[extractors.three]\ncommand = ["cat"]\n\n[extractors.four]\n')
    fails(bench_cli("new", "Bad-Name"), 2, "is not lowercase letters, digits and underscores")
    fails(bench_cli("new", "x", "--r", "--command"), 2, "give --r or --command, not both")


def test_new_in_a_checkout_goes_where_adapters_are_found(
    bench_cli: BenchCli, checkout: Path
) -> None:
    (checkout / "pyproject.toml").write_text("")
    for words, file in (([], "extractors/mine.py"), (["--r"], "r_extractors/mine_too.R")):
        name = Path(file).stem
        done = bench_cli("new", name, *words, checkout=checkout, cwd=checkout / "gold")
        assert done.returncode == 0, done.stderr
        assert (checkout / file).is_file()
        assert "--adapter" not in done.stdout
    listed = bench_cli("list", "--json", checkout=checkout, cwd=checkout)
    found = {each["name"]: each for each in json.loads(listed.stdout)}
    assert found["mine"]["available"]
    assert found["mine"]["origin"] == ""
    assert "mine_too" in found


# -- try ------------------------------------------------------------------------------------


def test_try_marks_what_is_missing_and_surplus(
    bench_cli: BenchCli, here: Path, folder_gold: FolderGold
) -> None:
    gold = folder_gold({"a/b".replace("/", "-"): (PAGE, "The old ferry crossed the wide river")})
    body = "return 'Menu The old ferry crossed the river \\x1b[31mred\\u202e'"
    path = adapter(here, body=body)
    for words in (["a-b", "--gold", f"folder:{gold}"], [f"folder:{gold}/a-b"]):
        done = bench_cli("try", "mine", *words, "--adapter", path)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "{+Menu+} The old ferry crossed the [-wide-] river [{+31mred+}\n"
        assert "precision 40.0, recall 50.0, F1 44.4" in done.stderr
    done = bench_cli("try", "mine", f"folder:{gold}/a-b", "--adapter", path, "--json")
    facts = json.loads(done.stdout)
    assert facts["score"] == {"precision": 0.4, "recall": 0.5, "f1": pytest.approx(4 / 9)}
    assert "".join(s["text"] for s in facts["spans"] if s["kind"] != "missing") == facts["text"]
    assert facts["outcome"] == "ok"
    assert facts["usage"]["wall_s"] > 0


def test_try_reads_standard_input_and_fails_with_the_outcome(
    bench_cli: BenchCli, here: Path
) -> None:
    path = adapter(here, body="raise ValueError('no such luck')")
    done = bench_cli("try", "mine", "page.html", "--adapter", path)
    assert done.returncode == 1
    assert "ValueError: no such luck" in done.stderr
    assert "Traceback" not in done.stderr
    done = bench_cli("try", "everything", "-")
    assert done.returncode == 0
    assert "everything 0" in done.stderr
    assert "empty" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nosuch", "page.html"], "no extractor is called 'nosuch'"),
        (["xpath", "gone.html"], "there is no file gone.html"),
        (["xpath", "dir/gone.html"], "there is no file dir/gone.html"),
        (["xpath", "starter/article-en-fog-notce"], "did you mean article-en-fog-notice?"),
        (["xpath", "nosuch/x"], "no data set is called 'nosuch'"),
        (["gold", "page.html"], "is handed the gold, and this page has none"),
    ],
)
def test_try_with_a_wrong_word(
    bench_cli: BenchCli, here: Path, words: list[str], message: str
) -> None:
    fails(bench_cli("try", *words), 2, message)


def test_try_of_what_cannot_be_loaded(bench_cli: BenchCli, here: Path) -> None:
    path = adapter(here)
    path.write_text(path.read_text() + "\n    def load(self):\n        import no_such_module\n")
    done = bench_cli("try", "mine", "page.html", "--adapter", path)
    assert done.returncode == 1
    assert "mine cannot be loaded: ModuleNotFoundError" in done.stderr
    assert "Traceback" not in done.stderr


# -- doctor ---------------------------------------------------------------------------------

ILLS = {
    "bytes": ("return b'text'", "article", "extract() returned bytes, not str"),
    "prints": ("print('hello ' * 9); return html", "prints nothing", "it prints, such as 'hello"),
    "no article": ("return 'nothing of it'", "article", "nothing of the article is in its text"),
    "empty": ("return ''", "article", "its text is empty"),
    "changes": (
        "self.n = getattr(self, 'n', 0) + 1; return f'harbour {self.n}'",
        "repeated calls",
        "another text",
    ),
    "remembers": (
        "old, self.seen = getattr(self, 'seen', ''), html[:60]; "
        "return 'harbour' if html == old else html[:60] + ('x' if 'frame' in old else '')"
        " + ' harbour'",
        "order",
        "of these is another",
    ),
    "URL": ("return html + url.lower()", "no URL", "AttributeError"),
    "raises on empty": ("return html if html.strip() else 1 / 0", "empty", "ZeroDivisionError"),
    "dies on depth": (
        "import os; '<div><div><div>' in html and os._exit(9); return html",
        "nested 10,000 deep",
        "crash: the worker exited with status 9",
    ),
    "slow on 5 MB": (
        "import time; len(html) > 4_000_000 and time.sleep(99); return html",
        "5 MB",
        "timeout",
    ),
    "garbles": (
        "import re; c = (re.findall('charset=\"(.*?)\"', html) or ['utf-8'])[0]; "
        "return html.encode().decode(c if c != 'x-mac-cyrillic' else 'utf-8', 'replace')",
        "encodings",
        "it garbles ",
    ),
    "connects": (
        "import socket; s = socket.socket(); s.connect_ex(('192.0.2.1', 9)); return html",
        "network",
        "attempts to reach it",
    ),
}
ADVICE = {"prints", "raises on empty"}


@pytest.mark.parametrize("ill", ILLS)
def test_doctor_names_each_ill(tmp_path: Path, ill: str) -> None:
    body, check, what = ILLS[ill]
    (mine,) = described(adapter(tmp_path, body=body))
    found = suite.examine(Row(mine, "default"), Limits(page_s=3))
    findings = {each.check: each for each in found}
    assert findings[check].level == ("advice" if ill in ADVICE else "fail")
    assert what in findings[check].what
    assert findings[check].fix
    assert findings["description"].level == findings["loads"].level == "ok"
    if ill not in ("bytes", "URL"):
        assert findings["scripts of the world"].level == "ok"


def test_doctor_of_what_is_not_there(bench_cli: BenchCli, here: Path) -> None:
    path = adapter(here)
    path.write_text(
        path.read_text().replace('name = "mine"', 'name = "mine"; requires = ("nix>=1",)')
    )
    done = bench_cli("doctor", "mine", "--adapter", path)
    assert done.returncode == 1
    assert "can run: not installed: nix>=1" in done.stdout
    assert "bench env build mine" in done.stdout
    fails(bench_cli("doctor"), 2, "name an extractor")
    fails(bench_cli("doctor", "nosuch"), 2, "no extractor is called 'nosuch'")


def test_doctor_passes_a_shipped_one(bench_cli: BenchCli) -> None:
    done = bench_cli("doctor", "xpath")
    assert done.returncode == 0, done.stdout
    assert "0 failed" not in done.stdout
    assert "checks passed" in done.stdout


# -- --adapter ------------------------------------------------------------------------------


def test_a_named_adapter_wins_and_says_so(bench_cli: BenchCli, here: Path) -> None:
    path = adapter(here, "readability", "return 'mine'")
    done = bench_cli("try", "readability", "page.html", "--adapter", path)
    assert done.stdout == "mine\n"
    assert f"bench: readability: {path} in place of the one that ships" in done.stderr
    shipped = bench_cli("try", "readability", "page.html")
    assert "in place of" not in shipped.stderr


def test_folders_and_several_paths(bench_cli: BenchCli, here: Path) -> None:
    folder = here / "mine"
    folder.mkdir()
    adapter(folder, "one")
    adapter(folder, "two")
    adapter(folder, "hidden", file="_hidden.py")
    (folder / "README.md").touch()
    three = adapter(here, "three")
    done = bench_cli("list", "--json", "--adapter", folder, "--adapter", three)
    origins = {each["name"]: each["origin"] for each in json.loads(done.stdout)}
    assert {name for name in origins if origins[name] == "--adapter"} == {"one", "two", "three"}
    shown = bench_cli("list", "one", "--adapter", "mine")
    assert "[from mine/one.py]" in shown.stdout
    twice = bench_cli("list", "three", "--adapter", three, "--adapter", "three.py")
    assert twice.returncode == 0, "the same file twice is one"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gone.py"], "gone.py is not there; `bench new` writes an adapter"),
        (["empty"], "has no .py or .R file"),
        (["page.html"], "page.html is no .py or .R file; programs go into bench.toml"),
        (["one.py", "--adapter", "other.py"], "two adapters are called 'one'"),
    ],
)
def test_a_wrong_path(bench_cli: BenchCli, here: Path, words: list[str], message: str) -> None:
    (here / "empty").mkdir()
    adapter(here, "one")
    adapter(here, "one", file="other.py")
    fails(bench_cli("list", "one", "--adapter", *words), 2, message)


@pytest.mark.parametrize("verb", ["list", "run", "speed", "doctor", "try"])
def test_every_verb_that_takes_extractors_takes_adapters(verb: str) -> None:
    command = bench.get_command(bench.make_context("bench", [verb], resilient_parsing=True), verb)
    assert command is not None
    assert any("--adapter" in parameter.opts for parameter in command.params)


def test_a_broken_file_is_listed_with_its_reason(bench_cli: BenchCli, here: Path) -> None:
    (here / "broken.py").write_text("def (")
    done = bench_cli("list", "--json", "broken", "--adapter", "broken.py")
    (facts,) = json.loads(done.stdout)
    assert "SyntaxError" in facts["problem"]


# -- bench.toml -----------------------------------------------------------------------------


def test_a_wrong_bench_toml_is_one_line(bench_cli: BenchCli, here: Path) -> None:
    (here / "bench.toml").write_text("[extractors.a]\n\ncomand = ['cat']\n")
    fails(bench_cli("list"), 2, "bench.toml, line 3: extractors.a.comand is unknown; did you")
    assert bench_cli("gold", "list").returncode == 0


def test_a_name_that_is_taken(bench_cli: BenchCli, here: Path) -> None:
    (here / "bench.toml").write_text(
        "[extractors.readability]\ncommand = ['cat']\none_shot = true\n"
    )
    fails(bench_cli("list"), 1, "two adapters are called 'readability'")


def test_a_changed_version_is_not_run(bench_cli: BenchCli, here: Path, tmp_path: Path) -> None:
    """What a program is, is looked up where the note of its version cannot see: it says so itself."""
    (tmp_path / "version").write_text("1")
    (here / "mine.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n"
        f"    version = open({str(tmp_path / 'version')!r}).read()\n"
        "    request = json.loads(line)\n"
        "    print(json.dumps({'protocol': 1, 'name': 'm', 'version': version,"
        " 'id': request.get('id'), 'text': version}), flush=True)\n"
    )
    (here / "bench.toml").write_text(
        f"[extractors.mine]\ncommand = [{sys.executable!r}, 'mine.py']\n"
        f"reads = [{str(tmp_path / 'version')!r}]\n"
    )
    assert bench_cli("try", "mine", "page.html").stdout == "1\n"
    (tmp_path / "version").write_text("2")
    done = bench_cli("try", "mine", "page.html")
    assert done.returncode == 1
    assert "it says version 2, not 1; type: bench list --fresh" in done.stderr
    assert '"version": "2"' in bench_cli("list", "--fresh", "--json", "mine").stdout
    assert bench_cli("try", "mine", "page.html").stdout == "2\n"


def test_an_adapter_file_may_run_a_program(bench_cli: BenchCli, here: Path) -> None:
    (here / "deep").mkdir()
    (here / "deep" / "upper.sh").write_text("tr a-z A-Z")
    (here / "mine.py").write_text(
        "from bench.worker.program import CommandExtractor\n\n\nclass Mine(CommandExtractor):\n"
        '    """Shouts."""\n    name = "mine"\n    command = ("sh", "deep/upper.sh")\n'
        '    one_shot = True\n    version_command = ("echo", "version 4.2")\n'
    )
    done = bench_cli("try", "mine", "page.html", "--adapter", "mine.py")
    assert done.returncode == 0, done.stderr
    assert "THE OLD FERRY" in done.stdout
    assert "mine 4.2 on page.html" in done.stderr
    facts = json.loads(bench_cli("list", "--json", "mine", "--adapter", "mine.py").stdout)
    assert facts[0]["language"] == "shell"


# -- another package ------------------------------------------------------------------------


def test_a_package_that_is_installed(
    bench_cli: BenchCli, here: Path, tmp_path: Path, folder_gold: FolderGold
) -> None:
    site = tmp_path / "site"
    (site / "theirs").mkdir(parents=True)
    (site / "theirs" / "__init__.py").write_text("")
    adapter(site / "theirs", "theirs", "return html.split('<p>')[1].split('</p>')[0]")
    info = site / "theirs_package-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs-package\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text("[bench.extractors]\nx = theirs.theirs\n")
    env = {"PYTHONPATH": f"{site}:{ROOT}"}
    listed = bench_cli("list", "theirs", env=env)
    assert "[from package theirs-package 1.5]" in listed.stdout
    words = ["run", "theirs", "--gold", f"folder:{folder_gold()}", "--json", "--quiet"]
    done = bench_cli(*words, env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["extractors"][0]["precision"]["value"] == 1.0
    assert bench_cli("doctor", "theirs", env=env).returncode == 1


# -- the documents --------------------------------------------------------------------------


def examples() -> dict[str, str]:
    """Return the files of docs/protocol.md, those of one name joined."""
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for name, content in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL):
        found[name] = found.get(name, "") + content
    return found


def test_the_documented_programs_run(
    bench_cli: BenchCli, here: Path, folder_gold: FolderGold
) -> None:
    for name, content in examples().items():
        (here / name).write_text(content, encoding="utf-8")
    tried = bench_cli("try", "tags_off", "page.html")
    assert tried.returncode == 0, tried.stderr
    assert "The old ferry crossed the river" in tried.stdout
    assert "<p>" not in tried.stdout
    if shutil.which("node") is None:
        pytest.skip("node is not here")
    tried = bench_cli("try", "paragraphs", "page.html")
    assert tried.stdout == (
        "The old ferry crossed the river twice a day until the bridge was built.\n"
    )
    assert "paragraphs 1.0.0 on page.html: ok" in tried.stderr
    assert bench_cli("try", "paragraphs:long", "page.html").stdout == ""
    words = ["tags_off", "paragraphs:*", "--gold", f"folder:{folder_gold()}", "--json", "--quiet"]
    board = json.loads(bench_cli("run", *words).stdout)
    rows = {row["label"]: row for row in board["extractors"]}
    assert set(rows) == {"tags_off", "paragraphs", "paragraphs:long"}
    assert rows["paragraphs"]["precision"]["value"] == 1.0
    assert rows["paragraphs"]["language"] == "JavaScript"
    sped = bench_cli("speed", "paragraphs", "--pages", "2", "--workers", "1", "--json")
    assert json.loads(sped.stdout)["speeds"][0]["failed"] == 0


def test_the_documented_keys_are_all_there() -> None:
    from bench.adapters.programs.config import KEYS

    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert [key for key in KEYS if f"`{key}`" not in text.split("## Every key")[1]] == []
