"""The starter set is what its builder writes, covers what it promises, and its gold is on its pages."""

from __future__ import annotations

import functools
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

lxml_html = pytest.importorskip("lxml.html")
pytest.importorskip("jinja2")

STARTER = Path(__file__).resolve().parents[2] / "gold" / "starter"
ROWS = [
    json.loads(line) for line in (STARTER / "pages.jsonl").read_text(encoding="utf-8").splitlines()
]
IDS = [row["id"] for row in ROWS]
TYPES = {"article", "forum", "product", "collection", "listing", "documentation", "service"}
SCRIPTS = {
    "LATIN",
    "CJK",
    "HIRAGANA",
    "ARABIC",
    "DEVANAGARI",
    "CYRILLIC",
    "GREEK",
    "HANGUL",
    "HEBREW",
    "THAI",
}
FEATURES = {
    # what main text is made of
    "code", "table", "quote", "nested-list", "definition-list", "footnotes", "figure", "ruby",
    "very-short", "very-long", "no-main-text", "script-only", "pre", "rtl",
    # what stands around and between it
    "comments", "cookie-banner", "inline-ad", "inline-share", "inline-newsletter",
    "inline-related", "inline-hidden", "inline-iframe", "inline-comment", "paywall",
    "pagination", "print-footer", "sidebar", "amp", "json-ld", "hydrated-state", "svg",
    "microdata", "noscript", "template-element", "hidden-element", "html-comment",
    "lazy-images", "layout-tables", "font-tags", "1990s", "div-soup",
    # damage and encodings
    "unclosed-p", "unclosed-li", "unclosed-td", "uppercase-tags", "unquoted-attributes",
    "misnested", "stray-close", "duplicate-attributes", "truncated-tag", "truncated-document",
    "entities", "cp1252", "shift_jis", "utf-16", "bom", "lying-charset",
    "no-charset-declaration", "transport-charset",
}  # fmt: skip


@functools.cache
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("starter_build", STARTER / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@functools.cache
def front(page_id: str) -> dict[str, Any]:
    matter: dict[str, Any] = builder().read_source(STARTER / "source" / f"{page_id}.txt")[0]
    return matter


def gold(page_id: str) -> str:
    return (STARTER / "pages" / f"{page_id}.txt").read_text(encoding="utf-8")


def raw(page_id: str) -> bytes:
    return (STARTER / "pages" / f"{page_id}.html").read_bytes()


def markup(page_id: str) -> str:
    return raw(page_id).decode(front(page_id).get("codec", "utf-8")).removeprefix("\ufeff")


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def page_tokens(page_id: str, joint: str) -> list[str]:
    """Tokens of the page but its scripts and styles, text nodes put together with `joint`."""
    tree = lxml_html.document_fromstring(markup(page_id))
    for element in tree.xpath("//script|//style|//head"):
        element.drop_tree()
    return tokens(joint.join(tree.itertext()))


def test_committed_files_are_what_the_builder_writes() -> None:
    check = subprocess.run(
        [sys.executable, STARTER / "build.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stderr


def test_builder_is_deterministic() -> None:
    assert builder().build_all() == builder().build_all()


def test_check_reports_a_changed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = builder()
    files = module.build_all()
    (tmp_path / "pages").mkdir()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(module, "build_all", lambda: files)
    assert module.main(["--check"]) == 0
    (tmp_path / f"pages/{IDS[0]}.txt").write_text("other", encoding="utf-8")
    assert module.main(["--check"]) == 1


def test_index_agrees_with_the_folder() -> None:
    assert sorted(IDS) == IDS
    assert len(set(IDS)) == len(IDS)
    assert {path.stem for path in (STARTER / "pages").glob("*.html")} == set(IDS)
    assert {path.stem for path in (STARTER / "pages").glob("*.txt")} == set(IDS)
    for row in ROWS:
        facts = {"id", "url", "language", "page_type", "encoding", "title", "features"}
        assert set(row) - {"no_main_content"} == facts
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", row["id"])
        assert row["id"].startswith(f"{row['page_type']}-{row['language']}-")
        assert re.match(r"https://([\w-]+\.)+(example|(example\.(org|com|net)))/", row["url"])
        assert row["title"].strip()
        assert row["features"] == sorted(set(row["features"]))
    assert len({row["url"] for row in ROWS}) == len(ROWS)


def test_card_agrees_with_the_index() -> None:
    card = tomllib.loads((STARTER / "card.toml").read_text(encoding="utf-8"))
    assert card["pages"] == len(ROWS) >= 52
    assert card["languages"] == sorted({row["language"] for row in ROWS})
    assert card["licence"] == "MIT"
    assert card["layout"] == "folder"


def test_page_types_and_languages() -> None:
    types = Counter(row["page_type"] for row in ROWS)
    assert set(types) == TYPES
    assert types.most_common(1)[0][0] == "article"
    assert min(types.values()) >= 4
    assert {"en", "es", "pl", "de", "zh", "ja", "ar", "hi", "ru"} <= {
        row["language"] for row in ROWS
    }
    names = Counter(
        unicodedata.name(c, "?").split()[0] for i in IDS for c in gold(i) if c.isalpha()
    )
    assert {name for name, count in names.items() if count > 200} >= SCRIPTS


def test_templates_differ() -> None:
    templates = Counter(front(page_id)["template"] for page_id in IDS)
    assert len(templates) >= 8
    assert max(templates.values()) <= len(IDS) / 4


def test_every_promised_feature_is_present() -> None:
    assert {feature for row in ROWS for feature in row["features"]} >= FEATURES


def test_size() -> None:
    assert sum(len(raw(page_id)) for page_id in IDS) < 1_500_000


@pytest.mark.parametrize("joint", ["", " "])
@pytest.mark.parametrize(
    "page_id", [row["id"] for row in ROWS if "script-only" not in row["features"]]
)
def test_gold_is_on_the_page_in_order(page_id: str, joint: str) -> None:
    whole = page_tokens(page_id, joint)
    grams = {tuple(whole[i : i + 4]) for i in range(len(whole))}
    for line in gold(page_id).splitlines():
        words = tokens(line)
        missing = [
            words[i : i + 4] for i in range(len(words) - 3) if tuple(words[i : i + 4]) not in grams
        ]
        assert not missing
    rest = iter(whole)
    assert all(word in rest for word in tokens(gold(page_id))), (
        "gold is not a subsequence of the page"
    )


def test_script_only_text_is_in_the_script_alone() -> None:
    (page_id,) = (row["id"] for row in ROWS if "script-only" in row["features"])
    assert not set(tokens(gold(page_id))) <= set(page_tokens(page_id, ""))
    state = re.search(r"__PRELOADED_STATE__ = (\{.*?\});</script>", markup(page_id))
    assert state is not None
    entry = json.loads(state[1])["entry"]
    assert "\n".join([entry["headline"], *entry["paragraphs"]]) == gold(page_id).strip()


def test_comments_ads_and_reviews_are_not_gold() -> None:
    for row in ROWS:
        chrome = tomllib.loads(
            (STARTER / "source" / "_chrome" / f"{row['language']}.toml").read_text("utf-8")
        )
        texts = [
            chrome["cookie"],
            chrome["newsletter"],
            *chrome["ads"],
            *(text for _, text in chrome["comments"]),
        ]
        texts += [text for _, text in chrome.get("reviews", [])]
        assert not [text for text in texts if text in gold(row["id"])]


def test_lengths() -> None:
    lengths = {row["id"]: len(tokens(gold(row["id"]))) for row in ROWS}
    assert [i for i, n in lengths.items() if n == 0] == ["service-en-login-portal"]
    assert any(0 < n < 50 for n in lengths.values())
    assert max(lengths.values()) > 2_500


def test_no_text_twice() -> None:
    lines = Counter(line for i in IDS for line in gold(i).splitlines() if len(line) > 40)
    assert not [line for line, count in lines.items() if count > 1]


@pytest.mark.parametrize("page_id", IDS)
def test_bytes_are_in_the_encoding_intended(page_id: str) -> None:
    codec = front(page_id).get("codec", "utf-8")
    declared = front(page_id).get("declare", "utf-8")
    text = markup(page_id)
    assert "\ufffd" not in text
    found = re.search(r"charset=[\"']?([\w-]+)", text, re.I)
    assert (found[1] if found else "") == declared
    if codec == "utf-16-le":
        assert raw(page_id).startswith(b"\xff\xfe")
    if codec in {"cp1252", "latin-1", "shift_jis", "cp1251", "koi8-r"}:
        with pytest.raises(UnicodeDecodeError):
            raw(page_id).decode("utf-8")


def test_transport_charset_is_the_only_true_one_given() -> None:
    for row in ROWS:
        if row["encoding"] is not None:
            assert row["encoding"] == front(row["id"])["codec"]
            assert front(row["id"])["declare"] == ""


def test_the_lie_is_a_lie() -> None:
    (page_id,) = (row["id"] for row in ROWS if "lying-charset" in row["features"])
    assert b'charset="iso-8859-1"' in raw(page_id)
    assert raw(page_id).decode("utf-8") != raw(page_id).decode("iso-8859-1")


def test_truncated_pages_end_after_the_main_text() -> None:
    for row in ROWS:
        whole = re.search(r"</html>\s*$", markup(row["id"]), re.I) is not None
        assert whole == (not {"truncated-tag", "truncated-document"} & set(row["features"]))
