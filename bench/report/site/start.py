"""The start page: each run's verdict, chart and leaderboard, and the runs side by side."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any

from bench.adapters import released
from bench.report import html, sentences, verdict
from bench.report.charts import plotted, scatter, style
from bench.report.document import (
    Axis,
    Block,
    Cell,
    Column,
    Details,
    Heading,
    Items,
    Paragraph,
    Table,
    Terms,
)
from bench.report.document import Row as TableRow
from bench.report.site import cells, charts
from bench.report.site.evidence import Evidence, Row
from bench.scoring.leaderboard import Line
from bench.stats.estimate import Estimate
from bench.stats.slices import Slice
from bench.util.display import plain
from bench.util.numbers import mib, number, percent, percent_range, points

Context = dict[str, Any]

_EARLY = ("precision", "recall")
"""Figures that stand beside the main one; the others come after the cost."""
_MOVED = 3


def context(runs: Sequence[Evidence], boards: Sequence[Context], price: float) -> Context:
    """Return what the start page shows; ``boards`` are what it shows of each run."""
    competitors = [row for evidence in runs for row in evidence.competitors]
    across = _across(runs)
    return {
        "here": "leaderboard",
        "boards": boards,
        "across": html.render(across) if across else "",
        "data_sets": list(dict.fromkeys(evidence.data_set for evidence in runs)),
        "licences": sorted({row.licence for row in competitors}),
        "languages": sorted({row.language for row in competitors}),
        "price": price,
    }


def board(evidence: Evidence, at: int, price: float) -> Context:
    """Return what the start page shows of a run, the one at this place."""
    board = evidence.board
    labels = plotted.labels(board.lines)
    links = {
        label: f"site/{evidence.folder}/extractors/{row.file}.html"
        for label, row in zip(labels, evidence.rows, strict=True)
    }
    draw = partial(scatter.quality_cost, board, plotted.CPU)
    key = f"cost{at}"
    figures, images = charts.drawn(
        {key: partial(draw, style.PAGE), f"{key}-phone": partial(draw, style.PHONE)}, labels, links
    )
    return {
        "evidence": evidence,
        "heading": sentences.heading(board),
        "verdict": verdict.of(board, price, _best_by_type(evidence)),
        "chart": html.render(figures, images),
        "table": html.render([_leaderboard(evidence, price)]),
        "caveats": html.render(_caveats(evidence)),
        "figures": [
            {
                "value": f"{scores.metric.name}/{name}",
                "name": f"{scores.metric.name}: {sentences.title(name)}",
                "main": name == scores.metric.main,
            }
            for scores in evidence.scores
            for name in sorted(
                scores.metric.figures, key=lambda figure: figure != scores.metric.main
            )
        ],
        "cuts": [
            {
                "title": cut.title,
                "slices": [
                    {
                        "value": f"{cut.dimension}={own.name}",
                        "name": plain(own.name),
                        "n": own.pages,
                    }
                    for own in cut.slices[board.metric.name]
                ],
            }
            for cut in evidence.cuts
        ],
        "data": _data(evidence),
    }


def _best_by_type(evidence: Evidence) -> list[tuple[Slice, Line]]:
    """Return each page type with the row that has the highest figure there."""
    parts = next((cut for cut in evidence.cuts if cut.dimension == "page_type"), None)
    if parts is None or not evidence.competitors:
        return []
    return [
        (own, max(evidence.competitors, key=lambda row: own.estimates[row.at].shown).line)
        for own in parts.slices[evidence.board.metric.name]
    ]


def _leaderboard(evidence: Evidence, price: float) -> Table:
    metric = evidence.board.metric
    others = [name for name in metric.figures if name != metric.main]
    early = [name for name in others if name in _EARLY]
    late = [name for name in others if name not in _EARLY]
    figures = [row.line.figures[metric.main] for row in evidence.competitors or evidence.rows]
    fence = plotted.outlier_floor([figure.shown for figure in figures])
    axis = Axis.around(
        end
        for figure in figures
        if figure.shown >= fence
        for end in (figure.value, figure.lo, figure.hi)
    )
    columns = [
        Column("rank", sort="up"),
        Column("extractor", "left", sort="up"),
        Column(sentences.title(metric.main), sort="down", key="figure"),
        Column(
            f"95 % interval\n{percent(axis.low, 0)} to {percent(axis.high, 0)}", "left", key="axis"
        ),
        *(Column(sentences.title(name), sort="down") for name in early),
        Column("CPU ms/page", sort="up"),
        Column("cost\nper million", sort="up"),
        Column("MiB", sort="up"),
        *(Column(title, "left", sort="up") for title in ("not ok", "in", "licence", "tuned on")),
        Column("last release", "left", sort="down"),
        *(
            [Column("vs default", sort="down")]
            if any(row.line.versus for row in evidence.rows)
            else []
        ),
        *(Column(sentences.title(name), sort="down") for name in late),
        *(Column(title, sort="up") for title in ("wall ms/page\nmedian", "p95", "CPU %")),
    ]
    rows = [
        _row(evidence, row, at, axis, price, early, late) for at, row in enumerate(evidence.rows)
    ]
    return Table(columns, rows, caption=f"Leaderboard on {evidence.data_set}", label="board")


def _row(
    evidence: Evidence,
    row: Row,
    at: int,
    axis: Axis,
    price: float,
    early: Sequence[str],
    late: Sequence[str],
) -> TableRow:
    line, cost, last = row.line, row.line.cost, row.released
    main = line.figures[evidence.board.metric.main]
    control = line.kind == "control"
    known = [
        _rank(line, at),
        Cell(
            row.label,
            name=True,
            sort=row.label.lower(),
            href=f"site/{evidence.folder}/extractors/{row.file}.html",
            tag="" if row.competes else line.kind,
            more=plain(line.version or ""),
        ),
        Cell(percent(main.value), sort=main.shown, shade="main", facts={"main-value": ""}),
        Cell(
            percent_range(main.lo, main.hi) if main.lo is not None else "",
            interval=axis.at(main.value, main.lo, main.hi),
            facts={"interval": ""},
        ),
        *(cells.figure(line.figures[name]) for name in early),
        cells.cost(line.cpu_ms),
        cells.per_million(line, price),
        cells.cost(cost.rss_peak_bytes if cost else None, mib),
        Cell(
            sentences.outcomes(line.outcomes),
            sort=line.failed * 1_000_000 + line.pages - line.outcomes.get("ok", 0),
        ),
        "" if control else row.language,
        "" if control else row.licence,
        Cell(
            ", ".join(sentences.tuned_on(line)),
            tag="this set" if sentences.is_tuned_on(line, evidence.data_set) else "",
        ),
        Cell("" if control else last.month if last else "–", sort=(last and last.date) or ""),
        *([_versus(line)] if any(own.line.versus for own in evidence.rows) else []),
        *(cells.figure(line.figures[name]) for name in late),
        cells.cost(cost.ms_per_page if cost else None),
        cells.cost(cost.ms_per_page_p95 if cost else None),
        cells.cost(cost.cpu_percent if cost else None, number),
    ]
    facts = {"row": row.file, "name": row.label.lower()}
    facts |= {"licence": row.licence, "language": row.language}
    facts |= {} if row.competes else {"control": ""}
    style_ = "control" if not row.competes else "variant" if line.variant_of else ""
    return TableRow(known, style_, facts)


def _rank(line: Line, at: int) -> Cell:
    """Return one more than the rows that beat it, with a star for those of the best."""
    best = bool(line.standing and line.standing.best)
    text = f"{line.rank}{'*' if best else ''}" if line.standing else ""
    hover = "not distinguishable from the best" if best else ""
    return Cell(text, sort=at, shade="best" if best else "", hover=hover, facts={"rank": text})


def _versus(line: Line) -> Cell:
    """Return how much better a variant is than what its program is without options."""
    if line.versus is None:
        return Cell("", sort=-1e9)
    mark = "*" if line.versus.significant() else ""
    return Cell(points(line.versus.value) + mark, sort=line.versus.value)


def _caveats(evidence: Evidence) -> list[Block]:
    board = evidence.board
    releases = [row.released for row in evidence.rows]
    as_of = released.as_of(releases)
    said = sentences.method(board)
    if as_of:
        said += f" Last releases as of {as_of}."
    if any(release and release.date and not release.asked for release in releases):
        said += " ≥: of the R package where it ran; later ones may be out."
    notes = sentences.notes(board)
    missing = sentences.not_run(board)
    blocks: list[Block] = [Items(notes, style="notes"), Paragraph(said, "method")]
    if len(evidence.scores) > 1:
        blocks.append(Details("Under every metric", [_every_metric(evidence)]))
    if missing:
        blocks.append(Details(f"Not run: {len(missing)}", [Terms("", missing)]))
    return blocks


def _every_metric(evidence: Evidence) -> Table:
    columns = [Column("extractor", "left", sort="up")]
    for scores in evidence.scores:
        name = f"{scores.metric.name}: {sentences.title(scores.metric.main)}"
        columns += [Column(name, sort="down"), Column("95 %")]
    rows = []
    for row in evidence.rows:
        known = [
            row.line.metrics[scores.metric.name][scores.metric.main] for scores in evidence.scores
        ]
        pairs = ((cells.figure(own), percent_range(own.lo, own.hi)) for own in known)
        name = Cell(row.label, name=True, sort=row.label.lower())
        rows.append(TableRow([name, *chain.from_iterable(pairs)]))
    return Table(columns, rows, caption="Under every metric")


def _data(evidence: Evidence) -> Context:
    """Return each row's figures, whole and by slice, for the script: how each is drawn and written."""
    return {
        "rows": {
            row.file: {
                f"{metric}/{name}": _figure(figure)
                for metric, figures in row.line.metrics.items()
                for name, figure in figures.items()
            }
            for row in evidence.rows
        },
        "slices": {
            f"{cut.dimension}={own.name}": {
                metric: [_figure(cut.slices[metric][at].estimates[row.at]) for row in evidence.rows]
                for metric in cut.slices
            }
            for cut in evidence.cuts
            for at, own in enumerate(cut.slices[evidence.board.metric.name])
        },
        "order": [row.file for row in evidence.rows],
    }


def _figure(figure: Estimate) -> list[float | str | None]:
    """Return a figure's ends for drawing and its texts: the script rounds nothing."""
    places = [
        None if value is None else float(f"{value:.4g}")
        for value in (figure.value, figure.lo, figure.hi)
    ]
    interval = "" if figure.lo is None else percent_range(figure.lo, figure.hi)
    return [*places, percent(figure.value), interval]


# -- several data sets -----------------------------------------------------------------------------


def _across(runs: Sequence[Evidence]) -> list[Block]:
    """Return extractor × data set, and what holds on all of them; nothing for one data set."""
    if len(runs) < 2:
        return []
    lines = [{row.label: row.line for row in evidence.competitors} for evidence in runs]
    everywhere = [label for label in lines[0] if all(label in own for own in lines)]
    others = dict.fromkeys(label for own in lines for label in own if label not in everywhere)
    # Places among those that ran everywhere: others are no part of a mean over sets.
    places: dict[str, list[int]] = {label: [] for label in everywhere}
    for evidence, own in zip(runs, lines, strict=True):
        main = evidence.board.metric.main
        values = {label: own[label].figures[main].shown for label in everywhere}
        for label in everywhere:
            places[label].append(1 + sum(value > values[label] for value in values.values()))
    mean = {label: sum(own) / len(own) for label, own in places.items()}
    order = [*sorted(everywhere, key=lambda label: mean[label]), *others]
    columns = [Column("extractor", "left", sort="up"), Column("mean rank", sort="up")]
    columns += [
        Column(f"{evidence.data_set}\n{evidence.board.gold['pages']} pages", sort="down")
        for evidence in runs
    ]
    rows = [
        TableRow(
            [
                Cell(label, name=True, sort=label.lower()),
                Cell(f"{mean[label]:.1f}" if label in mean else "–", sort=mean.get(label, 1e9)),
                *(
                    _of_set(evidence, own.get(label))
                    for evidence, own in zip(runs, lines, strict=True)
                ),
            ]
        )
        for label in order
    ]
    return [
        Heading("Across data sets"),
        Items(_conclusions(runs, places)),
        Table(columns, rows, caption="Across data sets", label="heatmap"),
        Paragraph(
            "The figure that ranks on each set, in per cent; mean rank over the extractors that ran on "
            "all of them.",
            "method",
        ),
    ]


def _of_set(evidence: Evidence, line: Line | None) -> Cell:
    if line is None:
        return Cell("–", sort=-1)
    figure = line.figures[evidence.board.metric.main]
    return cells.heat(figure.shown, percent(figure.value), percent_range(figure.lo, figure.hi))


def _conclusions(runs: Sequence[Evidence], places: Mapping[str, Sequence[int]]) -> list[str]:
    """Say which conclusions hold on every data set, and which turn."""
    if not places:
        return ["No extractor ran on all of these data sets."]
    advice = [evidence.board.recommendation for evidence in runs]
    always = [label for label in places if all(one and label in one.tied for one in advice)]
    count = len(runs)
    said = [
        f"Not significantly different from the best on all {count} sets: {', '.join(always)}."
        if always
        else f"No extractor is among the best of every one of the {count} sets."
    ]
    pairs = list(combinations(places, 2))
    kept = sum(
        len({a < b for a, b in zip(places[one], places[other], strict=True)}) == 1
        for one, other in pairs
    )
    if pairs:
        said.append(f"{kept} of {len(pairs)} pairs of extractors have the same order on all sets.")
    spread = sorted(places, key=lambda label: min(places[label]) - max(places[label]))
    moved = [label for label in spread if len(set(places[label])) > 1][:_MOVED]
    if moved:
        said.append(
            "The order depends on the set most for "
            + ", ".join(f"{at} (place {min(places[at])} to {max(places[at])})" for at in moved)
            + "."
        )
    return [plain(sentence) for sentence in said]
