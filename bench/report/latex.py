r"""Tables for LaTeX: strangers' strings escaped, rules by booktabs.

What is written is a fragment for ``\input``; the preamble needs ``\usepackage{booktabs}``. Names in
other scripts than Latin need LuaLaTeX or XeLaTeX and a font that has them.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.report import sentences
from bench.scoring.leaderboard import Leaderboard, Line
from bench.util.display import mib, milliseconds, percent, plain

LONGEST = 300
"""Characters of one name; TeX reads lines into a buffer of limited size."""
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
    "ρ": r"\ensuremath{\rho}",
    "\N{NO-BREAK SPACE}": "~",
}


def escape(text: str, longest: int = LONGEST) -> str:
    """Return a text that LaTeX sets as it is, on one line, cut after ``longest`` characters."""
    line = plain(text)
    if len(line) > longest:
        line = f"{line[: longest - 1]}…"
    # Two hyphens would become a dash, two quotation marks one, so something stands between them.
    return "".join(
        "{}" + each if each == before and each in "-'" else _SPECIAL.get(each, each)
        for before, each in zip(" " + line, line, strict=False)
    )


# Shrunk to the line where it is wider; \width is the content's own (graphicx, section 4.2).
_NO_WIDER = r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def table(
    caption: str,
    label: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    rules: Sequence[int] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return a floating table; every string is escaped here.

    The first ``left`` columns are set to the left. A rule stands before each row in ``rules``.
    """
    lines = [
        r"\begin{table}[htbp]",
        r"  \centering\small",
        rf"  \caption{{{escape(caption, 2000)}}}",
        rf"  \label{{tab:{_key(label)}}}",
        _NO_WIDER,
        rf"  \begin{{tabular}}{{{'l' * left}{'r' * (len(head) - left)}}}",
        r"    \toprule",
        f"    {_row(head)}",
        r"    \midrule",
    ]
    for at, row in enumerate(rows):
        if at and at in rules:
            lines.append(r"    \midrule")
        lines.append(f"    {_row(row)}")
    lines += [r"    \bottomrule", r"  \end{tabular}}"]
    lines += [rf"  \par\smallskip\footnotesize {escape(note, 2000)}" for note in notes if note]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def figure(caption: str, label: str, path: str) -> str:
    """Return a floating figure of a file beside the document; ``path`` has no special characters."""
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            r"  \centering",
            rf"  \includegraphics[width=\linewidth]{{{path}}}",
            rf"  \caption{{{escape(caption, 2000)}}}",
            rf"  \label{{fig:{_key(label)}}}",
            r"\end{figure}",
            "",
        ]
    )


def _row(cells: Sequence[str]) -> str:
    return " & ".join(escape(each) for each in cells) + r" \\"


def _key(label: str) -> str:
    """Return a label of letters, digits and hyphens: others end it, or are active characters."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in plain(label))[:80]


def leaderboard(board: Leaderboard) -> str:
    """Return the leaderboard as a table with its notes."""
    main = board.metric.main
    names = [name for name in board.metric.figures if name != main]
    timed = any(line.cost for line in board.lines)
    head = ["#", "alike", "extractor", "version", sentences.title(main), "95 %"]
    head += [sentences.title(name) for name in names]
    head += [f"{each.name} {sentences.title(each.main)}" for each in board.others]
    if timed:
        head += ["ms/page", "MiB"]
    rows = [_cells(line, board, names, timed=timed) for line in board.lines]
    ranked = sum(line.rank is not None for line in board.lines)
    notes = [sentences.method(board), *sentences.notes(board)]
    notes += [f"Not run: {label}: {why}." for label, why in sentences.not_run(board)]
    return table(
        f"{sentences.heading(board)}.",
        f"bench-{board.gold['name']}",
        head,
        rows,
        left=4,
        rules=[ranked],
        notes=notes,
    )


def _cells(line: Line, board: Leaderboard, names: Sequence[str], *, timed: bool) -> list[str]:
    main = line.figures[board.metric.main]
    cells = [
        str(line.rank or ""),
        line.letters,
        line.label,
        line.version or "",
        percent(main.value),
        "" if main.margin is None else f"{percent(main.lo)}–{percent(main.hi)}",
        *(percent(line.figures[name].value) for name in names),
        *(percent(line.metrics[each.name][each.main].value) for each in board.others),
    ]
    if timed:
        cost = line.cost
        cells += [milliseconds(cost.ms_per_page), mib(cost.rss_peak_bytes)] if cost else ["", ""]
    return cells
