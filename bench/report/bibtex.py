"""What a leaderboard in a paper has to cite: its data set, its metrics, its extractors, and bench."""

import re
from collections.abc import Iterable, Mapping

from bench.adapters.adapter import own_version
from bench.report import latex
from bench.runs.store.manifest import RowFacts
from bench.scoring.leaderboard import Leaderboard
from bench.util.display import plain

_CITED = (
    re.compile(r"(?P<author>[^()]+) \((?P<year>\d{4})\): (?P<title>.+?)\.(?: (?P<note>.*)|$)"),
    re.compile(r"(?P<author>[^()]+) \((?P<year>\d{4})\), (?P<title>.+?)(?:, (?P<note>.*)|$)"),
)
"""As cards of data sets, and metrics, write it."""
_NO_BRACES = str.maketrans("{}", "()")
_LONGEST = 1000
_ADDRESS = re.compile(r"https?://\S+")


def key(kind: str, name: str) -> str:
    """Return what LaTeX calls a data set, metric or extractor."""
    return f"bench-{kind}-{latex.key(name)}"


def render(board: Leaderboard, rows: Iterable[RowFacts], citation: str) -> str:
    """Return the entries of a leaderboard; ``citation`` is that of its data set's card."""
    name = str(board.gold["name"])
    entries = {key("data", name): _cited(citation, {"title": str(board.gold["title"])})}
    for metric in (board.metric, *board.others):
        entries[key("metric", metric.name)] = _cited(metric.citation, {"title": metric.title})
    shown = {line.name for line in board.lines if line.kind != "control"}
    for row in rows:
        if row.facts.name in shown:
            entries[key("extractor", row.facts.name)] = {
                "title": row.facts.name,
                "note": f"Version {row.version}. {row.facts.description}",
                "url": row.facts.homepage,
            }
    entries["bench-software"] = {
        "author": "{The bench authors}",
        "title": "bench: which program pulls the main text out of a web page best",
        "note": f"Version {own_version()}",
    }
    return "\n".join(_entry(entry_key, fields) for entry_key, fields in entries.items())


def _cited(citation: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of ``Family, Given; … (YEAR): Title. Rest``; another form is a note."""
    first = plain(citation).partition("; in the form of ")[0]
    match = next(filter(None, (form.match(first) for form in _CITED)), None)
    address = _ADDRESS.search(first)
    parts = match.groupdict(default="") if match else {"note": first}
    known = {**fields, **parts}
    if match:
        known["author"] = " and ".join(name.strip() for name in known["author"].split(";"))
    known["note"] = _ADDRESS.sub("", known["note"]).strip(" .,;")
    return {**known, "url": address[0].rstrip(".;,")} if address else known


def _entry(entry_key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{_value(name, text)}}}," for name, text in fields.items() if text]
    return "\n".join([f"@misc{{{entry_key},", *lines, "}", ""])


def _value(name: str, text: str) -> str:
    if name == "author" and text.startswith("{"):
        return text
    # An address goes into \url, which takes it as it is but for braces.
    if name == "url":
        return re.sub(r"[{}\\\s]", "", plain(text))
    # BibTeX counts braces, those after a backslash too.
    return latex.escape(text.translate(_NO_BRACES), _LONGEST)
