"""Builds the starter data set: every page once as HTML and once as gold text, from one source.

    python gold/starter/build.py            write pages/ and pages.jsonl
    python gold/starter/build.py --check    exit 1 if a committed file differs from what would be written

A source is `source/ID.txt`: TOML front matter between `+++` lines, then block markup (README.md lists
it). The HTML comes from the page's template, the gold from `gold_lines` below. The two renderers share
the parsed blocks and nothing else, which is what makes the gold exact by construction.
"""

from __future__ import annotations

import codecs
import html
import json
import re
import sys
import textwrap
import tomllib
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

HERE = Path(__file__).resolve().parent
RTL = {"ar", "he"}
INSERTS = {"ad", "share", "newsletter", "related", "hidden", "iframe", "comment"}


@dataclass(frozen=True)
class Block:
    """One block of main text (or, of kind `insert`, something a page puts between two of them)."""

    kind: str
    text: str = ""
    meta: str = ""
    level: int = 0
    parts: tuple[Block, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


# --- reading a source ---------------------------------------------------------------------------


def read_source(path: Path) -> tuple[dict[str, Any], list[Block]]:
    """Front matter and blocks of one source file."""
    _, front, body = path.read_text(encoding="utf-8").split("+++\n", 2)
    return tomllib.loads(front), parse(body)


def parse(body: str) -> list[Block]:
    """Blocks of a body; `@post` and `@item` own what follows, up to the next or `@end`."""
    blocks: list[Block] = []
    owner: Block | None = None
    owned: list[Block] = []

    def close() -> None:
        nonlocal owner
        if owner is not None:
            blocks.append(Block(owner.kind, owner.text, owner.meta, parts=tuple(owned)))
            owned.clear()
            owner = None

    for chunk in _chunks(body):
        first, _, rest = chunk.partition("\n")
        if match := re.match(r"@(post|item|end)\b *(.*)", first):
            close()
            if match[1] != "end":
                text, _, meta = match[2].partition(" | ")
                owner = Block(match[1], text, meta)
                if rest:
                    owned.append(parse_block(rest))
        else:
            (blocks if owner is None else owned).append(parse_block(chunk))
    close()
    return blocks


def _chunks(body: str) -> Iterator[str]:
    """Pieces between blank lines; a fenced code block is one piece, blank lines and all."""
    lines: list[str] = []
    fenced = False
    for line in [*body.splitlines(), ""]:
        if line.startswith("```"):
            fenced = not fenced
        if line.strip() or fenced:
            lines.append(line)
        elif lines:
            yield "\n".join(lines)
            lines = []


def parse_block(chunk: str) -> Block:  # noqa: PLR0911 (one return a kind)
    """One chunk as a block; what carries no mark is a paragraph."""
    lines = chunk.split("\n")
    joined = " ".join(line.strip() for line in lines)
    if match := re.match(r"(#+) (.*)", joined):
        return Block("heading", match[2], level=len(match[1]))
    if lines[0].startswith("```"):
        return Block("code", "\n".join(lines[1:-1]), meta=lines[0][3:])
    if lines[0].startswith("|"):
        rows = (tuple(cell.strip() for cell in line.strip("| ").split(" | ")) for line in lines)
        return Block("table", rows=tuple(rows))
    if lines[0].startswith(("- ", "1. ")):
        return _parse_list(lines)
    if lines[0].startswith("> "):
        return Block("quote", " ".join(line.removeprefix("> ") for line in lines))
    if lines[0].startswith(":: "):
        terms = re.findall(r"^:: (.*)\n: (.*)$", chunk, re.M)
        return Block("terms", parts=tuple(Block("term", term, meta) for term, meta in terms))
    if match := re.match(r"!fig (.*?) \| (.*)", joined):
        return Block("figure", match[2], meta=match[1])
    if match := re.match(r"\[\^(\w+)\]: (.*)", joined):
        return Block("note", match[2], meta=match[1])
    if (match := re.match(r"@(\w+) ?(.*)", joined)) and match[1] in INSERTS:
        return Block("insert", match[2], meta=match[1])
    return Block("para", joined)


def _parse_list(lines: list[str]) -> Block:
    """A list; lines indented by two spaces form a list inside the entry above them."""
    entries: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("  "):
            entries[-1][1].append(line[2:])
        else:
            entries.append((line.split(" ", 1)[1], []))
    parts = (
        Block("entry", text, parts=(_parse_list(inner),) if inner else ())
        for text, inner in entries
    )
    return Block("list", meta="ol" if lines[0].startswith("1. ") else "ul", parts=tuple(parts))


# --- gold ---------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Inline markup removed: what a reader sees of it."""
    text = re.sub(r"\[\^(\w+)\]", r"[\1]", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\{([^|}]+)\|([^}]+)\}", r"\1（\2）", text)
    return re.sub(r"\*\*|(?<!\\)[*`]", "", text).replace("\\*", "*").replace("\u00a0", " ")


def gold_lines(blocks: Iterable[Block]) -> Iterator[str]:
    """The gold text, one line per block (per row, entry or code line where a block has several)."""
    for block in blocks:
        if block.kind == "code":
            yield from (line for line in block.text.split("\n") if line.strip())
        elif block.kind == "note":
            yield f"[{block.meta}] {plain(block.text)}"
        elif block.kind != "insert":
            if block.text and block.kind != "post":
                yield plain(block.text)
            if block.kind == "term":
                yield plain(block.meta)
            yield from ("\t".join(map(plain, row)) for row in block.rows)
            yield from gold_lines(block.parts)


# --- HTML ---------------------------------------------------------------------------------------

INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>.+?)\*\*|(?<!\\)\*(?P<em>[^*]+)(?<!\\)\*|\[\^(?P<ref>\w+)\]"
    r"|\[(?P<label>[^\]]+)\]\((?P<href>[^)]*)\)|\{(?P<base>[^|}]+)\|(?P<ruby>[^}]+)\}"
)


def inline(text: str) -> Markup:
    """Inline markup as HTML."""

    def one(match: re.Match[str]) -> str:
        m = {key: escape(value) for key, value in match.groupdict().items() if value is not None}
        if "ref" in m:
            return f'<sup><a href="#fn{m["ref"]}">[{m["ref"]}]</a></sup>'
        if "label" in m:
            return f'<a href="{m["href"]}">{m["label"]}</a>'
        if "base" in m:
            return f"<ruby>{m['base']}<rp>（</rp><rt>{m['ruby']}</rt><rp>）</rp></ruby>"
        ((tag, value),) = m.items()
        return f"<{tag}>{value}</{tag}>"

    out, end = [], 0
    for match in INLINE.finditer(text):
        out += [escape(text[end : match.start()]), one(match)]
        end = match.end()
    return Markup("".join([*out, escape(text[end:])]).replace("\\*", "*"))


def escape(text: str) -> str:
    """The three characters that need it, and the apostrophe as many template engines write it."""
    return html.escape(text, quote=False).replace("'", "&#x27;")


def mail_body(blocks: Iterable[Block]) -> Markup:
    """Blocks as the plain text of a mail: wrapped at 72 columns, quotations marked with `>`."""
    out = []
    for block in blocks:
        if block.kind == "code":
            out.append(textwrap.indent(block.text, "    "))
        else:
            mark = "> " if block.kind == "quote" else ""
            out.append(
                textwrap.fill(plain(block.text), 72, initial_indent=mark, subsequent_indent=mark)
            )
    return Markup(escape("\n\n".join(out)))


def rotate(page_id: str) -> Callable[[list[Any], int], list[Any]]:
    """A chooser of n items of a list that differs from page to page and never from build to build."""

    def choose(items: list[Any], n: int) -> list[Any]:
        start = zlib.crc32(page_id.encode()) % len(items)
        return (items[start:] + items[:start])[:n]

    return choose


# --- damage -------------------------------------------------------------------------------------


def _tags(page: str, change: Callable[[str], str]) -> str:
    """Apply a change to every tag outside scripts and styles."""
    pieces = re.split(r"(?is)(<(?:script|style)\b.*?</(?:script|style)>|<!--.*?-->)", page)
    pieces[::2] = [
        re.sub(r"</?[a-zA-Z][^>]*>", lambda m: change(m[0]), piece) for piece in pieces[::2]
    ]
    return "".join(pieces)


def _drop(*names: str) -> Callable[[str], str]:
    return lambda page: re.sub(rf"(?i)</(?:{'|'.join(names)})>", "", page)


def _uppercase(page: str) -> str:
    return _tags(page, lambda tag: re.sub(r"^(</?)(\w+)", lambda m: m[1] + m[2].upper(), tag))


def _stray(page: str) -> str:
    """A close tag nobody opened after every second paragraph."""
    count = iter(range(10_000))
    return re.sub(r"</p>", lambda m: "</p></span></center>" if next(count) % 2 else m[0], page)


DAMAGE: dict[str, Callable[[str], str]] = {
    "unclosed-p": _drop("p"),
    "unclosed-li": _drop("li", "dd", "dt"),
    "unclosed-td": _drop("td", "tr", "th"),
    "uppercase-tags": _uppercase,
    "unquoted-attributes": lambda page: _tags(
        page, lambda tag: re.sub(r'="([\w#%]+)"', r"=\1", tag)
    ),
    "misnested": lambda page: re.sub(r"<strong>(.*?)</strong>", r"<b><i>\1</b></i>", page),
    "stray-close": _stray,
    "duplicate-attributes": lambda page: re.sub(
        r"<(p|li|h2)\b", r'<\1 class="x" id="t" class="y"', page
    ),
    "truncated-tag": lambda page: page[: page.index("<!--cut-->")] + '<div class="related-wid',
    "truncated-document": lambda page: page[: page.index("<!--cut-->")],
    "entities": lambda page: (
        page.replace("\u00a0", "&nbsp;")
        .replace("—", "&mdash;")
        .replace("’", "&#x2019;")
        .replace("«", "&laquo;")
        .replace("»", "&raquo;")
    ),
}


# --- the set ------------------------------------------------------------------------------------


def build_page(
    page_id: str, front: dict[str, Any], blocks: list[Block], env: Environment
) -> tuple[bytes, str]:
    """One page as the bytes of its HTML and its gold text."""
    gold = "\n".join(gold_lines(blocks))
    h1 = blocks[0].text if blocks and blocks[0].kind == "heading" and blocks[0].level == 1 else ""
    lang = front["language"]
    page = env.get_template(front["template"] + ".html").render(
        id=page_id,
        h1=h1,
        title=title_of(front, blocks),
        blocks=blocks[1:] if h1 else blocks,
        gold=gold,
        lang=lang,
        dir="rtl" if lang in RTL else "ltr",
        charset=front.get("declare", "utf-8"),
        url=front["url"],
        c=tomllib.loads((HERE / "source" / "_chrome" / f"{lang}.toml").read_text(encoding="utf-8")),
        choose=rotate(page_id),
        number=zlib.crc32(page_id.encode()),
        extra=front.get("extra", {}),
        lead=next((plain(b.text) for b in blocks if b.kind == "para"), ""),
    )
    for name in front.get("damage", []):
        page = DAMAGE[name](page)
    if not any(name.startswith("truncated") for name in front.get("damage", [])):
        page = page.replace("<!--cut-->", "")
    codec = front.get("codec", "utf-8")
    bom = codecs.BOM_UTF16_LE if codec == "utf-16-le" else b""
    return bom + page.encode(codec, errors="xmlcharrefreplace"), gold + "\n" if gold else ""


def title_of(front: dict[str, Any], blocks: list[Block]) -> str:
    """The page's title: its first heading unless the front matter gives another."""
    return front.get("title") or plain(blocks[0].text)


MARKUP = {
    "html-comment": "<!-- ", "iframe": "<iframe", "json-ld": "application/ld+json",
    "lazy-images": 'loading="lazy"', "microdata": "itemscope", "noscript": "<noscript", "svg": "<svg",
    "template-element": "<template", "hidden-element": "display:none", "inline-script": "<script",
    "inline-style": "<style",
}  # fmt: skip


def features_of(front: dict[str, Any], blocks: list[Block], page: str) -> list[str]:
    """What the page exercises: declared in the front matter, plus what its blocks and markup say."""
    found = {*front.get("features", []), *front.get("damage", []), "template-" + front["template"]}
    found.update(name for name, mark in MARKUP.items() if mark in page.lower())
    for block in _walk(blocks):
        if block.kind in {"code", "table", "quote", "terms", "figure"}:
            found.add({"terms": "definition-list"}.get(block.kind, block.kind))
        elif block.kind == "note":
            found.add("footnotes")
        elif block.kind == "entry" and block.parts:
            found.add("nested-list")
        elif block.kind == "insert":
            found.add(f"inline-{block.meta}")
    if front["language"] in RTL:
        found.add("rtl")
    if front.get("codec", "utf-8") != "utf-8":
        found.add(front["codec"].removesuffix("-le"))
    return sorted(found)


def _walk(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from _walk(block.parts)


def build_all() -> dict[str, bytes]:
    """Every file of the set by its path relative to this folder."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(inline=inline, plain=plain, mail=mail_body)
    env.globals["dialects"] = tomllib.loads(
        (HERE / "templates" / "dialects.toml").read_text(encoding="utf-8")
    )
    files: dict[str, bytes] = {}
    rows = []
    for path in sorted((HERE / "source").glob("*.txt")):
        front, blocks = read_source(path)
        data, gold = build_page(path.stem, front, blocks, env)
        files[f"pages/{path.stem}.html"] = data
        files[f"pages/{path.stem}.txt"] = gold.encode()
        row = {
            "id": path.stem,
            "url": front["url"],
            "language": front["language"],
            "page_type": front["page_type"],
            "encoding": front.get("transport"),
            "title": title_of(front, blocks),
            "features": features_of(front, blocks, data.decode(front.get("codec", "utf-8"))),
        }
        if not gold:
            row["no_main_content"] = True
        rows.append(json.dumps(row, ensure_ascii=False))
    files["pages.jsonl"] = ("\n".join(rows) + "\n").encode()
    return files


def main(arguments: list[str]) -> int:
    """Write the set, or with --check say which files differ."""
    files = build_all()
    (HERE / "pages").mkdir(exist_ok=True)
    present = {f"pages/{path.name}" for path in (HERE / "pages").iterdir()} | {"pages.jsonl"}
    stale = sorted(present - files.keys())
    if "--check" in arguments:
        wrong = [
            name
            for name, data in files.items()
            if not (HERE / name).exists() or (HERE / name).read_bytes() != data
        ]
        for name in wrong + stale:
            print(f"differs: {name}", file=sys.stderr)
        return 1 if wrong or stale else 0
    for name, data in files.items():
        (HERE / name).write_bytes(data)
    for name in stale:
        (HERE / name).unlink()
    print(f"{len(files) // 2} pages, {sum(map(len, files.values())) / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
