"""Other people's outputs: the four forms, seen from their content, and what is wrong with others."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.model import BenchError
from bench.scoring import export, predictions
from bench.scoring.predictions import FORMS, Form
from tests.conftest import PAGES, BenchCli, FolderGold, text_of

IDS = st.one_of(
    st.sampled_from(["output", "predictions", "articleBody", "page_id", "plaintext", "version"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["a\nb\r\n", "\u2028\u2029\x85\x0b", '{"page_id": "x"}', "\ufeffx", "\x00"]
)
FILES = {
    "aeb bare": '{"a": {"articleBody": "one", "url": "u"}, "b": {"articleBody": null}}',
    "aeb wrapped": '{"output": {"a": {"articleBody": "one"}, "b": {"articleBody": ""}}, '
    '"version": "2.0"}',
    "wcxb": '{"a": "one", "b": null}',
    "wcxb on lines": '{\n "a": "one",\n "b": ""\n}\n',
    "sigir": '{"page_id": "a", "plaintext": "one", "model": "bs4"}\n'
    '{"page_id": "b", "plaintext": "", "model": "bs4"}\n',
    "sigir with gaps": '\n{"plaintext": "one", "page_id": "a"}\r\n\n'
    '{"page_id": "b", "plaintext": null}',
    "thesis": '{"a": {"texto": "one"}, "b": {"texto": ""}}',
    "with a byte order mark": '\ufeff{"a": "one", "b": ""}',
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_the_form_is_seen_from_the_content(tmp_path: Path, kind: str, packed: bool) -> None:
    # A name says nothing.
    path, data = tmp_path / "system.json", FILES[kind].encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    (system,) = predictions.read(path)
    assert system.name == "system"
    assert system.texts == {"a": "one", "b": ""}
    assert system.version == ("2.0" if kind == "aeb wrapped" else None)


@given(texts=st.dictionaries(IDS, TEXT, min_size=1, max_size=5), form=st.sampled_from(FORMS))
def test_what_is_exported_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str], form: Form
) -> None:
    path = tmp_path_factory.mktemp("exported") / "one.two.json"
    path.write_text(export.written(form, "one.two", "1.0", texts), encoding="utf-8", newline="")
    (system,) = predictions.read(path)
    assert system.texts == texts
    assert system.name == "one.two"
    assert system.version == ("1.0" if form == "aeb" else None)


def test_a_folder_of_files(tmp_path: Path) -> None:
    for name in ("a.json", "b.jsonl", "c.json.gz", "d.jsonl.gz"):
        content = FILES["sigir" if "jsonl" in name else "wcxb"].encode()
        (tmp_path / name).write_bytes(gzip.compress(content) if "gz" in name else content)
    (tmp_path / "README.md").write_text("no predictions", encoding="utf-8")
    systems = predictions.read(tmp_path)
    assert [each.name for each in systems] == ["a", "b", "c", "d"]
    assert all(each.texts == {"a": "one", "b": ""} for each in systems)


SIGIR = '{"page_id": "a", "plaintext": "x"}\n'
WRONG = {
    "a torn line": (SIGIR + '{"page_id": "b", "pl', "line 2 cannot be read as JSON"),
    "a page twice": (SIGIR + SIGIR, "line 2 has page a for the second time"),
    "no text": (SIGIR + '{"page_id": "b"}', 'line 2 has no "page_id" with "plaintext"'),
    "no object": (SIGIR + "[]", 'line 2 has no "page_id" with "plaintext"'),
    "a number": (SIGIR + '{"page_id": "b", "plaintext": 1}', '"plaintext" of page b is int'),
    "a number for an id": (SIGIR + '{"page_id": 2, "plaintext": ""}', "line 2 has no"),
    "deep": (SIGIR + "[" * 100_000, "line 2 cannot be read as JSON"),
    "list for a text": ('{"a": ["x"]}', "page a is a list, not text"),
    "other lines": ('{"id": "a", "text": "x"}\n{"id": "b", "text": "x"}\n', "cannot be read as"),
    "nothing": ("", "cannot be read as JSON"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_said(tmp_path: Path, kind: str) -> None:
    content, message = WRONG[kind]
    path = tmp_path / "system.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BenchError, match=message) as caught:
        predictions.read(path)
    assert "system.jsonl" in str(caught.value)


@pytest.mark.parametrize("spoilt", ["cut off", "not gzip", "too large"])
def test_a_packed_file_that_is_none(
    tmp_path: Path, spoilt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, data = tmp_path / "system.json.gz", gzip.compress(FILES["wcxb"].encode())
    path.write_bytes({"cut off": data[:-9], "not gzip": data[:2] + b"x" * 20}.get(spoilt, data))
    message = "cannot be read as JSON"
    if spoilt == "too large":
        monkeypatch.setattr(predictions, "_MOST_UNPACKED", 10)
        message = "holds more than"
    with pytest.raises(BenchError, match=message):
        predictions.read(path)


def test_a_folder_without_any(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"holds no \.json file"):
        predictions.read(tmp_path)


def test_one_score_in_every_form(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold, folder = f"folder:{folder_gold()}", tmp_path / "theirs"
    folder.mkdir()
    texts = {page: text_of(body)[:60] for page, body in PAGES.items()}
    for form in FORMS:
        content = export.written(form, form, None, texts).encode()
        (folder / f"{form}.json.gz").write_bytes(gzip.compress(content))
    done = bench_cli("score", "--gold", gold, "--predictions", folder, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["extractors"]
    assert {each["name"] for each in rows} == set(FORMS)
    assert len({each["f1"]["value"] for each in rows}) == 1
    assert 0 < rows[0]["f1"]["value"] < 1


def test_published_outputs_keep_their_texts(shared: Path, tmp_path: Path) -> None:
    for path in sorted((shared / "gold" / "aeb" / "output").glob("*.json"))[::8]:
        (system,) = predictions.read(path)
        assert len(system.texts) >= 170
        for form in FORMS:
            copy = tmp_path / f"{system.name}.json"
            copy.write_text(
                export.written(form, system.name, system.version, system.texts), encoding="utf-8"
            )
            assert predictions.read(copy)[0].texts == system.texts
