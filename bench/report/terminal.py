"""Documents on a terminal: as many columns as fit, the least needed left out first."""

from collections.abc import Iterable

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from bench.report.document import (
    Block,
    Cell,
    Column,
    Heading,
    Items,
    Paragraph,
    Table,
    Terms,
    shown,
)
from bench.util.display import plain

_GAP = 1


def show(blocks: Iterable[Block], console: Console) -> None:
    """Print a document."""
    console.print(render(blocks, console.width))


def render(blocks: Iterable[Block], width: int) -> RenderableType:
    """Return what ``rich`` prints on a terminal of this width."""
    parts: list[RenderableType] = []
    left_out: list[str] = []
    for block in shown(blocks, "terminal"):
        match block:
            case Heading(text):
                parts.append(Text(plain(text), "bold"))
            case Paragraph(text, style, indent):
                paragraph = Text(plain(text), style)
                within = Padding(paragraph, (0, 0, 0, indent), expand=False)
                parts.append(within if indent else paragraph)
            case Items(texts, bullet, style):
                parts.extend(Text(bullet + plain(text), style) for text in texts)
            case Terms():
                parts.append(Padding(_terms(block), (0, 0, 1, 0)))
            case Table():
                grid, missing = _table(block, width)
                above, below = block.space
                parts.append(Padding(grid, (above, 0, below, 0)) if above or below else grid)
                if missing and block.left_out:
                    left_out.append(block.left_out.format(", ".join(missing)))
    return Group(*parts, *(Text(line, "dim") for line in left_out))


def _terms(block: Terms) -> Text:
    lines = Text(block.title, "bold")
    for word, text in block.pairs:
        lines.append(f"\n  {plain(word)}", "yellow")
        lines.append(f"  {plain(text)}")
    return lines


def _table(table: Table, width: int) -> tuple[Grid, list[str]]:
    """Return a table of the columns that fit, and the names of those that do not."""
    columns, rows = table.columns_of("terminal")
    heads = [_head(column) for column in columns]
    tall = max((head.count("\n") for head in heads), default=0)
    texts = [[*head.split("\n"), *cells] for head, *cells in zip(heads, *rows, strict=True)]
    fitting = _fitting(columns, texts, width)
    grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    if table.ruled:
        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for at in fitting:
        column, head, left = columns[at], heads[at], columns[at].align == "left"
        grid.add_column(
            "\n" * (tall - head.count("\n")) + head,
            justify=column.align,
            vertical="bottom",
            no_wrap=not column.fold,
            overflow="fold" if column.fold and (table.ruled or left) else "ellipsis",
        )
    for row, cells in zip(table.rows, rows, strict=True):
        grid.add_row(*(_Text(cells[at]) for at in fitting), style=row.style)
    missing = [column.name for at, column in enumerate(columns) if at not in fitting]
    return grid, missing


def _head(column: Column) -> str:
    """Return a title of one line or several, each harmless."""
    lines = (column.title if column.short is None else column.short).split("\n")
    return "\n".join(map(plain, lines))


class _Text(Text):
    """A cell that stands at the top of its row, while titles stand at the bottom of theirs."""

    vertical = "top"

    def __init__(self, text: str) -> None:
        super().__init__(plain(text), "bold" if isinstance(text, Cell) and text.strong else "")


def _fitting(columns: list[Column], texts: list[list[str]], width: int) -> list[int]:
    """Return the places of the columns that the width holds; ``texts`` are what each has in it."""
    widths = [
        max(min(cell_len(plain(text)), column.fold or width) for text in lines)
        for column, lines in zip(columns, texts, strict=True)
    ]
    fitting = list(range(len(columns)))
    for at in sorted(fitting, key=lambda at: -columns[at].least):
        if not columns[at].least or sum(widths[place] + _GAP for place in fitting) <= width:
            break
        fitting.remove(at)
    return fitting
