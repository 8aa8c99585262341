r"""Documents as LaTeX: strangers' strings escaped, rules by booktabs.

What is written is a fragment for ``\input``; the preamble needs ``\usepackage{booktabs}``. Names in
other scripts than Latin need LuaLaTeX or XeLaTeX and a font that has them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from bench.report.document import Block, Cell, Figure, Heading, Items, Paragraph, Table, shown
from bench.util.display import cut, plain

LONGEST = 300
"""Characters of one name; TeX reads lines into a buffer of limited size."""
LONGEST_TEXT = 2000
_LEVELS = {1: "section", 2: "subsection", 3: "subsubsection"}
_PREAMBLE = r"% For \input; the preamble needs \usepackage{booktabs} and \usepackage{graphicx}."
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    # After a row's end these would be taken for its arguments.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "–": "{--}",
    "±": r"\textpm{}",
    "×": r"\texttimes{}",
    "…": r"\ldots{}",
    "−": r"\textminus{}",
    "“": "``",
    "”": "''",
    "•": r"\textbullet{}",
    "↑": r"\ensuremath{\uparrow}",
    "↓": r"\ensuremath{\downarrow}",
    "ρ": r"\ensuremath{\rho}",
    "\N{NO-BREAK SPACE}": "~",
}


def escape(text: str, longest: int = LONGEST) -> str:
    """Return a text that LaTeX sets as it is, on one line, cut after ``longest`` characters."""
    line = cut(plain(text), longest)
    # Two hyphens would become a dash, two quotation marks one, so something stands between them.
    return "".join(
        "{}" + character
        if character == before and character in "-'"
        else _SPECIAL.get(character, character)
        for before, character in zip(" " + line, line, strict=False)
    )


def render(blocks: Iterable[Block], images: Collection[str]) -> str:
    r"""Return a document for ``\\input``; figures whose key is not among ``images`` are left out.

    Figures are named without an ending: LaTeX knows which it can read.
    """
    return f"{_PREAMBLE}\n\n" + "\n".join(_parts(blocks, images))


def _parts(blocks: Iterable[Block], images: Collection[str]) -> Iterator[str]:
    for block in shown(blocks, "latex"):
        match block:
            case Heading(text, level):
                yield rf"\{_LEVELS[level]}{{{escape(text, LONGEST_TEXT)}}}" + "\n"
            case Paragraph(text):
                yield escape(text, LONGEST_TEXT) + "\n"
            case Items(texts) if texts:
                items = [rf"  \item {escape(text, LONGEST_TEXT)}" for text in texts]
                yield "\n".join([r"\begin{itemize}", *items, r"\end{itemize}", ""])
            case Table():
                yield table(block)
            case Figure() if block.key in images:
                yield _figure(block)


# Shrunk to the line where it is wider; \width is the content's own (graphicx, section 4.2).
_NO_WIDER = r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def table(block: Table, notes: Sequence[str] = (), comments: Sequence[str] = ()) -> str:
    """Return a floating table, with notes below it and comments, which are not printed, above."""
    columns, rows = block.columns_of("latex")
    sides = "".join(column.align[0] for column in columns)
    cites = rf"~\cite{{{','.join(block.cites)}}}" if block.cites else ""
    lines = [
        *(f"% {cut(plain(comment), LONGEST_TEXT)}" for comment in comments),
        r"\begin{table}[htbp]",
        r"  \centering\small",
        rf"  \caption{{{escape(block.caption, LONGEST_TEXT)}{cites}}}",
        rf"  \label{{tab:{key(block.label)}}}",
        _NO_WIDER,
        rf"  \begin{{tabular}}{{{sides}}}",
        r"    \toprule",
        f"    {_row(column.title for column in columns)}",
        r"    \midrule",
    ]
    for at, cells in enumerate(rows):
        if at and at in block.rules:
            lines.append(r"    \midrule")
        lines.append(f"    {_row(cells)}")
    lines += [r"    \bottomrule", r"  \end{tabular}}"]
    lines += [rf"  \par\smallskip\footnotesize {escape(note, LONGEST_TEXT)}" for note in notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _figure(block: Figure) -> str:
    lines = [
        r"\begin{figure}[htbp]",
        r"  \centering",
        rf"  \includegraphics[width=\linewidth]{{{block.key}}}",
        rf"  \caption{{{escape(block.caption, LONGEST_TEXT)}}}",
        rf"  \label{{fig:{key(block.label)}}}",
        r"\end{figure}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(text: str) -> str:
    cite = text.cite if isinstance(text, Cell) else ""
    return escape(text) + (rf"~\cite{{{cite}}}" if cite else "")


def key(label: str) -> str:
    """Return a label of letters, digits and hyphens: others end it, or are active characters."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in plain(label))[:80]
