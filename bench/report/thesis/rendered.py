"""The chapter's blocks as Markdown and as LaTeX; every string is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench.report import latex as tex
from bench.report.markdown import escape
from bench.report.thesis.document import Block, Figure, Heading, Items, Paragraph, Table
from bench.util.display import plain

_LONGEST = 2000
"""Characters of a paragraph's text; strangers' names may stand in it."""
_LEVELS = {1: "section", 2: "subsection", 3: "subsubsection"}
_PREAMBLE = (
    r"% For \input; the preamble needs \usepackage{booktabs} and \usepackage{graphicx}." + "\n"
)


def markdown(blocks: Iterable[Block], files: Mapping[str, str]) -> str:
    """Return the chapter; ``files`` names the image of each figure, those without are left out."""
    return "\n\n".join(filter(None, (_markdown(each, files) for each in blocks))) + "\n"


def _markdown(block: Block, files: Mapping[str, str]) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {_cut(text)}"
        case Paragraph(text):
            return _cut(text)
        case Items(texts):
            return "\n".join(f"- {_cut(text)}" for text in texts)
        case Table():
            align = [":--" if at < block.left else "--:" for at in range(len(block.head))]
            lines = [[_cut(each) for each in block.head], align]
            lines += [[_cut(each, tex.LONGEST) for each in row] for row in block.rows]
            return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        case Figure(key, caption):
            return f"![{_cut(caption)}]({files[key]})" if key in files else ""


def _cut(text: str, longest: int = _LONGEST) -> str:
    line = plain(text)
    return escape(line if len(line) <= longest else f"{line[: longest - 1]}…")


def latex(blocks: Iterable[Block], files: Mapping[str, str]) -> str:
    r"""Return the chapter as a fragment for ``\\input``; files are named without what LaTeX adds."""
    return _PREAMBLE + "\n" + "\n".join(filter(None, (_latex(each, files) for each in blocks)))


def _latex(block: Block, files: Mapping[str, str]) -> str:
    match block:
        case Heading(level, text):
            return rf"\{_LEVELS[level]}{{{tex.escape(text, _LONGEST)}}}" + "\n"
        case Paragraph(text):
            return tex.escape(text, _LONGEST) + "\n"
        case Items(texts):
            items = [rf"  \item {tex.escape(text, _LONGEST)}" for text in texts]
            return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}", ""])
        case Table():
            return tex.table(
                block.caption,
                f"thesis-{block.key}",
                block.head,
                block.rows,
                left=block.left,
                rules=block.rules,
            )
        case Figure(key, caption):
            return tex.figure(caption, f"thesis-{key}", key) if key in files else ""
