"""A run's pages as documents: cost, slices, agreement, pages, method, and one for each extractor."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from bench.model import Outcome
from bench.report import code, pareto, scale, sentences
from bench.report.charts import extractor as row_charts
from bench.report.charts import plotted, scatter, style
from bench.report.document import (
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
from bench.report.site.charts import Drawn
from bench.report.site.evidence import Evidence, Row
from bench.report.site.rendering import web_address
from bench.scoring import agreement as agreeing
from bench.scoring.agreement import Gathered
from bench.stats.figure import Floats
from bench.util.display import plain, without_paths
from bench.util.numbers import duration, mib, number, percent, percent_range

if TYPE_CHECKING:
    import pandas as pd

_EXTREMES = 10
_FAILURES = 100
_LONGEST = 2000
_ELSEWHERE = {"rows", "packages", "warnings", "gold", "determinism"}
"""Parts of a manifest that are shown in their own place."""


@dataclass(frozen=True)
class SitePage:
    """What fills the template of a run's pages."""

    title: str
    lead: str
    blocks: Sequence[Block]
    images: Mapping[str, Markup] = field(default_factory=dict)
    form: str = ""
    """What can be chosen: ``price`` or ``pages``."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the form shows."""


def _name(row: Row) -> Cell:
    href = f"extractors/{row.file}.html"
    return Cell(row.label, name=True, href=href, sort=row.label.lower())


def cost(evidence: Evidence, price: float) -> SitePage:
    """Return quality against CPU time and memory, and what a million pages cost."""
    board, main = evidence.board, evidence.board.metric.main
    labels = plotted.labels(board.lines)
    links = {
        label: f"extractors/{row.file}.html"
        for label, row in zip(labels, evidence.rows, strict=True)
    }
    figures, images = charts.drawn(
        {
            "cpu": partial(scatter.quality_cost, board, plotted.CPU, style.PAGE),
            "memory": partial(scatter.quality_cost, board, plotted.MEMORY, style.PAGE),
            "deadline": partial(
                scatter.quality_cost,
                evidence.scale.board_at_deadline,
                plotted.cpu_at(evidence.scale.deadline_s),
                style.PAGE,
            ),
        },
        labels,
        links,
    )
    timed = [(row, row.line.cost) for row in evidence.competitors if row.line.cost]
    fronts = {
        price_.name: {
            timed[at][0].label
            for at in pareto.front(
                [(price_.of(row.line) or 0.0, row.line.figures[main].shown) for row, _ in timed]
            )
        }
        for price_ in (plotted.CPU, plotted.MEMORY)
    }

    columns = [
        Column("extractor", "left", sort="up"),
        Column(sentences.title(main), sort="down"),
        Column("Pareto-optimal in", "left", sort="down"),
        *(
            Column(title, sort="up")
            for title in (
                "CPU ms/page", "wall ms/page\nmedian", "MiB", "start, s", "core-hours\nper million",
                "cost\nper million",
            )
        ),
    ]  # fmt: skip
    rows = []
    for row, its_cost in timed:
        figure = row.line.figures[main]
        optimal_in = [name for name, labels in fronts.items() if row.label in labels]
        known = [
            _name(row),
            Cell(
                percent(figure.value), sort=figure.shown, hover=percent_range(figure.lo, figure.hi)
            ),
            Cell(", ".join(optimal_in), sort=len(optimal_in)),
            cells.cost(row.line.cpu_ms),
            cells.cost(its_cost.ms_per_page),
            cells.cost(its_cost.rss_peak_bytes, mib),
            cells.cost(its_cost.start_s),
            cells.cost(row.line.core_hours),
            cells.per_million(row.line, price),
        ]
        rows.append(TableRow(known))
    contended = f"Timings are {sentences.incomparable(board.machines)}. Do not compare them."
    return SitePage(
        "Quality against cost",
        "An extractor is Pareto-optimal if no other is both cheaper and better; the line in the "
        "charts joins those.",
        [
            Items([] if board.timings_ranked else [contended], style="notes"),
            *figures,
            Heading("What a million pages cost"),
            Paragraph(
                "Core-hours are mean CPU time of a page × 1,000,000 / 3,600 s, on this run's machine, "
                f"start-up left out. The price of a core-hour is {price:g}, in any currency; "
                "`bench report --price` sets it, and with scripts on, the field below."
            ),
            Table(columns, rows, caption="Cost of a million pages"),
            Heading("At scale"),
            replace(scale.figures(evidence.scale), caption="Rows at scale"),
            Items(scale.notes(evidence.scale), style="notes"),
        ],
        images,
        "price",
        {"price": price},
    )


def slices(evidence: Evidence) -> SitePage:
    """Return the heat maps."""
    metric = evidence.board.metric
    blocks: list[Block] = []
    for cut in evidence.cuts:
        parts = cut.slices[metric.name]
        columns = [Column("extractor", "left", sort="up"), Column("all", sort="down")]
        columns += [Column(f"{plain(own.name)}\n{own.pages} p.", sort="down") for own in parts]
        rows = [
            TableRow(
                [
                    _name(row),
                    *(
                        cells.heat(figure.value, percent(figure.value), cells.interval(figure))
                        for figure in (
                            row.line.figures[metric.main],
                            *(own.estimates[row.at] for own in parts),
                        )
                    ),
                ],
                "" if row.competes else "control",
                {} if row.competes else {"control": ""},
            )
            for row in evidence.rows
        ]
        blocks += [
            Heading(f"By {cut.title}"),
            Table(columns, rows, caption=f"By {cut.title}", label="heatmap"),
        ]
    return SitePage(
        "Slices",
        f"{sentences.title(metric.main)} of each extractor on parts of the pages, in per cent "
        f"({metric.title}). Few pages make wide intervals; point at a cell for its own.",
        blocks or [Paragraph("The pages differ in nothing that the data set states.")],
    )


def agreement(evidence: Evidence, gathered: Gathered | None) -> SitePage:
    """Return overlap of texts and of scores, the union, and the oracle, over the competitors.

    Without ``gathered``, what is known of texts, scores alone.
    """
    rows = evidence.competitors
    scores = evidence.page_scores(rows)
    oracle = agreeing.oracle(scores)
    tiles = [("Oracle: the best extractor of each page", percent(oracle.value))]
    if oracle.best is not None:
        best = rows[oracle.best].label
        tiles.append((f"Best single extractor, {best}", percent(oracle.single)))
    means = f"Means of page scores over {oracle.pages:,} pages, in per cent. "
    matrices = [
        (
            "Correlation of scores",
            "Pearson's correlation of page scores × 100: whether two extractors find the same pages "
            "hard. A dash where one has the same score on every page.",
            agreeing.correlations(scores),
        )
    ]
    if gathered:
        tiles += [
            ("Gold found by at least one extractor", percent(gathered.union)),
            ("Gold found by every extractor", percent(gathered.common)),
        ]
        means = (
            f"The first two are means of page scores over {oracle.pages:,} pages, in per cent; the "
            "others are shares of a page's distinct 4-grams of words (characters in languages "
            "without spaces), averaged over pages. "
        )
        overlap = (
            "Overlap of texts",
            "Mean over pages of Jaccard's coefficient of the distinct 4-grams of two texts, in per "
            "cent: 100 where they are always the same, whether or not they are right.",
            gathered.overlap,
        )
        matrices = [overlap, *matrices]
    wins = sorted(
        zip(rows, oracle.alone, oracle.shared, strict=True),
        key=lambda win: (-win[1], -win[2], win[0].label),
    )
    chosen = [
        TableRow([str(at), _name(rows[row]), percent(value)])
        for at, (row, value) in enumerate(oracle.chosen, 1)
    ]
    blocks: list[Block] = [
        Heading("Union and oracle"),
        Terms("", tiles, strong=True),
        Paragraph(f"{means}On {oracle.all_same:,} pages every extractor has the same score."),
        Heading("How few extractors come close"),
        Paragraph("One after the other, the extractor that lifts the oracle most."),
        Table(
            [Column("extractors"), Column("with", "left"), Column("oracle of these")],
            chosen,
            caption="How few extractors come close",
        ),
        Heading("Who wins pages"),
        Paragraph(
            "Alone: pages on which its score is higher than every other extractor's. Shared: "
            "highest, together with others."
        ),
        Table(
            [
                Column("extractor", "left", sort="up"),
                Column("alone", sort="down"),
                Column("shared", sort="down"),
            ],
            [TableRow([_name(row), f"{alone:,}", f"{shared:,}"]) for row, alone, shared in wins],
            caption="Who wins pages",
        ),
    ]
    for title, text, values in matrices:
        blocks += [
            Heading(title),
            Paragraph(f"{text} Numbers at the head are those of the rows."),
            _matrix(title, rows, values),
        ]
    return SitePage(
        "Agreement",
        "How much extractors return the same, and what could be had by choosing among them page by "
        "page.",
        blocks,
    )


def _matrix(title: str, rows: Sequence[Row], values: Floats) -> Table:
    columns = [Column("extractor", "left"), *(Column(str(at + 1)) for at in range(len(rows)))]
    lines = [
        TableRow(
            [
                Cell(f"{at} {row.label}", name=True),
                *(
                    cells.heat(value, percent(None if np.isnan(value) else value, 0))
                    for value in own
                ),
            ]
        )
        for at, (row, own) in enumerate(zip(rows, values.tolist(), strict=True), 1)
    ]
    return Table(columns, lines, caption=title, label="heatmap matrix")


def pages(evidence: Evidence) -> SitePage:
    """Return every page, hardest first, with its best and mean score over the competitors."""
    dimensions, rows = evidence.dimensions, evidence.competitors
    scores = evidence.page_scores(rows)
    kinds, tongues = dimensions["page_type"], dimensions["language"]
    lines = []
    for at, page_id in enumerate(evidence.pages.ids):
        own = scores[:, at]
        known = own[~np.isnan(own)]
        best, mean = (float(known.max()), float(known.mean())) if known.size else (None, None)
        leader = next(
            (row.label for row, score in zip(rows, own, strict=True) if score == best), ""
        )
        words = dimensions.stated[at].gold_words
        name, kind, tongue = (
            evidence.page(page_id),
            plain(kinds[at] or ""),
            plain(tongues[at] or ""),
        )
        known_of_it = [
            Cell(name.title, name=True, href=evidence.view(name), more=name.where),
            kind,
            tongue,
            *(
                Cell(text, sort=-1.0 if value is None else value)
                for text, value in (
                    ("–" if words is None else f"{words:,}", words),
                    (percent(mean), mean),
                    (percent(best), best),
                )
            ),
            leader,
            Cell(name.short, shade="id"),
        ]
        facts = {"row": "", "name": name.words, "kind": kind, "language": tongue}
        lines.append((1.0 if mean is None else mean, TableRow(known_of_it, facts=facts)))
    columns = [
        *(Column(title, "left", sort="up") for title in ("page", "type", "language")),
        *(Column(title, sort="up") for title in ("words of gold", "mean", "best")),
        *(Column(title, "left", sort="up") for title in ("best extractor", "id")),
    ]
    hardest = [line for _, line in sorted(lines, key=lambda pair: pair[0])]
    return SitePage(
        "Pages",
        "Every page with its best and mean score over the extractors, in per cent, the hardest "
        "first. `bench show ID` shows one on the terminal.",
        [Table(columns, hardest, caption="Pages")],
        form="pages",
        values={
            "kinds": sorted({plain(kind) for kind in kinds if kind}),
            "languages": sorted({plain(tongue) for tongue in tongues if tongue}),
        },
    )


_FORMULAS = (
    ("counts", "TP = Σ min(g, e), FP = Σ max(0, e − g), FN = Σ max(0, g − e), "
     "each divided by TP + FP + FN", ""),
    ("precision P", "TP / (TP + FP)", "mean over pages with TP + FP > 0"),
    ("recall R", "TP / (TP + FN)", "mean over pages with TP + FN > 0"),
    ("F1", "2PR / (P + R)", "2PR / (P + R) of the means P and R"),
    ("accuracy", "TP / (TP + FP + FN); 1 if both texts are empty", "mean over pages"),
    ("exact", "1 if the token lists are equal", "mean over pages"),
    ("page F1", "2PR / (P + R); 0 for a failed cell", "mean over all pages"),
)  # fmt: skip


def method(evidence: Evidence) -> SitePage:
    """Return formulas, the data set's card, the manifest, the warnings."""
    card, manifest, board = evidence.pages.data_set.card, evidence.manifest, evidence.board
    left_out = manifest.gold.left_out.items()
    stated = {
        "name": card.name,
        "title": card.title,
        "description": card.description,
        "labelled": card.labelled,
        "licence": card.licence,
        "to cite": card.citation,
        "source": card.source,
        "revision": card.revision,
        "version": card.version,
        "pages in this run": f"{len(evidence.pages.ids):,}",
        "fingerprint in this run": manifest.gold.fingerprint,
        "fingerprint as published": card.fingerprint,
        "left out": "; ".join(f"{plain(page)}: {plain(why)}" for page, why in left_out)[:_LONGEST],
    }
    isolation = [
        (what, f"{facts['state']}, by {facts['how']}" if facts["how"] != "open" else "open")
        for what, facts in manifest.isolation.items()
    ]
    metrics = [
        (
            metric.name,
            f"{metric.title}; it ranks by {sentences.title(metric.main)}. {metric.citation}",
        )
        for metric in (scores.metric for scores in evidence.scores)
    ]
    missing = sentences.not_run(board)
    blocks: list[Block] = [
        Items(sentences.notes(board), style="notes"),
        Heading("What the figures are"),
        Paragraph(sentences.method(board)),
        Paragraph(
            "Tokens are runs of letters, digits and underscores (\\w+), case kept. With g(x), e(x) "
            "how often the n-gram x is in gold and extraction:"
        ),
        Table(
            [Column(title, "left") for title in ("figure", "of a page", "of the data set")],
            [TableRow([Cell(name, name=True), *more]) for name, *more in _FORMULAS],
            caption="Formulas",
        ),
        Paragraph("Differences of texts on page views are a longest common subsequence of words."),
        Heading("Metrics of this report", 3),
        Terms("", metrics),
        Heading("Data set"),
        Terms("", [(name, _linked(plain(value))) for name, value in stated.items()]),
        Heading("What extractors were kept from"),
        Terms("", isolation),
        Heading(f"Manifest of run {evidence.run.id}"),
        Terms(
            "",
            [
                (name, _shown(value))
                for name, value in manifest.to_json().items()
                if name not in _ELSEWHERE
            ],
        ),
        Details(
            f"Packages beside bench: {len(manifest.packages)}", [Items(list(manifest.packages))]
        ),
    ]
    if missing:
        blocks[-4:-4] = [Heading("Not run"), Terms("", missing)]
    return SitePage("Method and provenance", "", blocks)


def _linked(text: str) -> str:
    return Cell(text, href=text) if web_address(text) else text


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return without_paths(text[:_LONGEST] + ("…" if len(text) > _LONGEST else ""))


# -- an extractor's page ---------------------------------------------------------------------


def charts_of(
    evidence: Evidence, row: Row, samples: pd.DataFrame, folder: Path, earlier: Sequence[Path]
) -> Drawn:
    """Draw how a row's page scores are distributed, and its memory and CPU over time.

    ``folder`` is the run's; those of an ``earlier`` site may know the first.
    """
    main = sentences.title(evidence.board.metric.main)
    (scores,) = evidence.page_scores([row])
    known = scores[~np.isnan(scores)]
    of_scores = {"scores": partial(row_charts.page_scores, known, main)}
    draw = partial(charts.drawn, of_scores, [])
    facts = [main, hashlib.sha256(known.tobytes()).hexdigest()]
    # What is to be published remembers nothing.
    figures, images = (
        charts.kept(folder, earlier, f"{row.file}-scores", facts, draw)
        if evidence.with_texts
        else draw()
    )
    usage, of_usage = charts.drawn({"usage": partial(row_charts.usage, samples)}, [])
    return figures + usage, images | of_usage


def extractor(evidence: Evidence, row: Row, drawn: Drawn) -> SitePage:
    """Return what a row is, where it is weak and strong, and what reproduces it."""
    line = row.line
    figures, images = drawn
    (scores,) = evidence.page_scores([row])
    return SitePage(
        f"{row.label} {plain(line.version or '')}".strip(),
        plain(row.stored.facts.description),
        [
            Terms("", _tiles(row, evidence.board.metric.main), strong=True),
            Heading("Reproduce"),
            *code.blocks(row.stored, evidence.data_set, evidence.manifest.packages),
            Heading("What it is"),
            Terms("", _facts(row)),
            *figures,
            *_compared(evidence, row, scores),
            Heading("Failures and empty texts"),
            *_failures(evidence, row),
        ],
        images,
    )


def _tiles(row: Row, main: str) -> list[tuple[str, str]]:
    line = row.line
    tiles = [
        (
            sentences.title(name),
            Cell(percent(figure.value), more=percent_range(figure.lo, figure.hi))
            if figure.lo is not None
            else percent(figure.value),
        )
        for name, figure in line.figures.items()
    ]
    tiles.sort(key=lambda tile: tile[0] != sentences.title(main))
    if line.rank:
        tiles.insert(1, ("rank", str(line.rank)))
    if line.cost:
        tiles += [
            ("CPU ms/page", duration(line.cpu_ms)),
            ("peak memory, MiB", mib(line.cost.rss_peak_bytes)),
        ]
    return tiles


def _facts(row: Row) -> list[tuple[str, str]]:
    line, facts, released = row.line, row.stored.facts, row.released
    last = "–"
    if released:
        when = (
            f"as of {released.asked}" if released.asked else "where it ran; later ones may be out"
        )
        last = ", ".join(filter(None, [released.version, released.date])) + f" ({when})"
    pairs = [
        ("licence", row.licence),
        ("available in", row.language),
        *([("last release", last)] if row.competes else []),
        *(
            (f"tuned on {name}", Cell(url, href=url))
            for name, url in sentences.tuned_on(line).items()
        ),
        ("homepage", _linked(plain(facts.homepage))),
        ("settings", _shown(row.stored.settings or "its defaults")),
        ("settings from", _linked(plain(facts.settings_source))),
        ("outcomes", ", ".join(f"{n:,} {name}" for name, n in line.outcomes.items() if n)),
    ]
    if line.cost:
        pairs += [
            ("wall time", f"median {duration(line.cost.ms_per_page)} ms/page, 95 % of pages within "
             f"{duration(line.cost.ms_per_page_p95)} ms"),
            ("CPU over wall time", f"{number(line.cost.cpu_percent)} %"),
            ("start, import, load, warm-up", f"{duration(line.cost.start_s)} s"),
        ]  # fmt: skip
    return pairs


def _compared(evidence: Evidence, row: Row, scores: Floats) -> list[Block]:
    """Return the row's worst and best pages, and those where another does better by most."""
    others = [other for other in evidence.competitors if other.key != row.key]
    theirs = np.nan_to_num(evidence.page_scores(others), nan=-1.0)
    known = np.flatnonzero(~np.isnan(scores))
    order = known[np.argsort(scores[known], kind="stable")].tolist()
    blocks: list[Block] = []
    if others:
        lead = theirs.max(axis=0) - scores
        behind = [at for at in known[np.argsort(-lead[known], kind="stable")] if lead[at] > 0]
        rows = [
            TableRow(
                [
                    *_page(evidence, row, at, float(scores[at])),
                    percent(float(theirs[:, at].max())),
                    others[int(theirs[:, at].argmax())].label,
                ]
            )
            for at in behind[:_EXTREMES]
        ]
        columns = [Column("page", "left"), Column("id", "left"), Column("score")]
        columns += [Column("best score"), Column("by", "left")]
        blocks += [
            Heading("Pages where others do better", 3),
            Paragraph(
                f"{len(behind):,} of {len(known):,} pages; those where it matters most first."
            ),
            Table(columns, rows, caption="Pages where others do better"),
        ]
    for title, places in (("Worst pages", order), ("Best pages", order[::-1])):
        rows = [TableRow(_page(evidence, row, at, float(scores[at]))) for at in places[:_EXTREMES]]
        columns = [Column("page", "left"), Column("id", "left"), Column("score")]
        blocks += [Heading(title, 3), Table(columns, rows, caption=title)]
    return blocks


def _page(evidence: Evidence, row: Row, at: int, score: float | None) -> list[Cell]:
    name = evidence.page(evidence.pages.ids[at])
    href = evidence.view(name, up="../", row=row)
    names = [Cell(name.title, name=True, href=href, more=name.where), Cell(name.short, shade="id")]
    return [*names, Cell(percent(score))] if score is not None else names


def _failures(evidence: Evidence, row: Row) -> list[Block]:
    all_cells = evidence.cells
    odd = all_cells[(all_cells["row"] == row.key) & (all_cells["outcome"] != Outcome.OK.value)]
    if odd.empty:
        return [Paragraph("None.")]
    # Failures before empty texts, which are answers.
    odd = odd.sort_values(
        "outcome", key=lambda outcomes: outcomes == Outcome.EMPTY.value, kind="stable"
    )
    places = {page_id: at for at, page_id in enumerate(evidence.pages.ids)}
    rows = []
    for page, outcome, said in odd.iloc[:_FAILURES][["page", "outcome", "diagnostics"]].itertuples(
        index=False
    ):
        first, _, rest = without_paths(said or "").partition("\n")
        error = Cell(first, more=rest[:_LONGEST], shade="said")
        rows.append(TableRow([*_page(evidence, row, places[page], None), outcome, error]))
    columns = [Column(title, "left") for title in ("page", "id", "outcome", "error")]
    shown = f", the first {_FAILURES}" if len(odd) > _FAILURES else ""
    return [Paragraph(f"{len(odd):,} pages{shown}."), Table(columns, rows, caption="Failures")]
